// From a finished conversation to a version: kernel.cu, origin.json, conversation.json, at once.
#pragma once

#include "config/op_config.hpp"
#include "propose/inner_loop.hpp"
#include "propose/journal.hpp"
#include "propose/secrets.hpp"

namespace kernelloop {

// Stages the version in the journal and renames it into place. Throws Error(provider) when one of
// the files would hold one of the secrets, Error(io) when the version is there or cannot be
// written.
void publish_proposal(const OpConfig& config, int version, const Proposal& proposal,
                      const Journal& journal, const std::vector<LiveSecret>& secrets);

// The bodies of the two files (docs/formats.md). The system text stands in the first turn only.
Json origin_of(const OpConfig& config, int version, const Proposal& proposal,
               const std::string& created, const Spend& spend);
Json conversation_of(const OpConfig& config, int version, const Proposal& proposal);

}  // namespace kernelloop
