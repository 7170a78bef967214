// The parts that a prompt is put together from, each a piece of Markdown that ends with a line end,
// or nothing.
#pragma once

#include "config/op_config.hpp"
#include "loop/history.hpp"
#include "propose/templates.hpp"

#include "languages/language.hpp"

#include <cstddef>
#include <string>

namespace kernelloop {

// What a version is in a language: its own template ("language_triton") where there is one; else
// what its adapter says, and how plans of such languages are written.
std::string language_section(const Language& language, const Templates& templates);

// What is known of the device: the template of its architecture, else a general one.
std::string device_section(const OpConfig& config, const Language& language,
                           const Templates& templates);

// A version's source under a title, with how it did. Nothing when there is no such source.
std::string version_section(const char* title, const OpConfig& config, const History& history,
                            const std::string& version);

// A table of the last `most` versions.
std::string tried_section(const History& history, std::size_t most);

// For one of several versions of a round: which of them it is. Nothing where a round has one.
std::string lane_text(const OpConfig& config, int version);

// What shows the bottleneck, a list.
std::string evidence_text(const Bottleneck& bottleneck);

}  // namespace kernelloop
