// How the commands of an operator compile a version.
#pragma once

#include "compile/compile.hpp"
#include "config/op_config.hpp"

#include <filesystem>

namespace kernelloop {

// By the operator's settings, in the language that the source's name tells. `spec` must outlive it.
CompileRequest compile_request(const OpConfig& config, const OpSpec& spec,
                               const std::filesystem::path& source,
                               const std::filesystem::path& output_dir);

}  // namespace kernelloop
