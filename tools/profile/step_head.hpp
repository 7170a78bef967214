// What the steps that look closer at a version have in common.
#pragma once

#include "bench/workload_case.hpp"
#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"
#include "verify/compiled_version.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace kernelloop {

// The head of a step's file: {schema_version, op, version, status, reason}.
Json step_head(const CompiledVersion& version, const std::string& status,
               const std::string& reason = {});

// Why a version is not looked at: not compiled, not verified, no artefact; empty when it is.
std::string reason_not_to_run(const CompiledVersion& version, const Json& verified,
                              const std::string& device);

// The workload of that name; with "" the one that moves most bytes. Throws Error(bad_input) with
// the names there are when there is no such one, or none for `device`.
Workload workload_named(const OpSpec& spec, const std::string& device, const std::string& name);

}  // namespace kernelloop
