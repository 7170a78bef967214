// From the name of an operator to its config.json, for commands that people type.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

// `given` when it is not empty; else the first of ".", "build" and the directories in "build"
// that has operators; "." when none has.
std::filesystem::path choose_build_dir(const std::string& given);

// config.json of every operator of a build directory, by name. Empty where there is none.
std::vector<std::filesystem::path> all_configs(const std::filesystem::path& build_dir);

// The same; throws Error(bad_input) where there is none.
std::vector<std::filesystem::path> require_configs(const std::filesystem::path& build_dir);

// Throws Error(bad_input) with the operators that are there.
std::filesystem::path find_config(const std::filesystem::path& build_dir, const std::string& op);

}  // namespace kernelloop
