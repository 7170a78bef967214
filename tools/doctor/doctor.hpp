// What this machine has for a loop, and what it lacks.
#pragma once

#include "propose/user_config.hpp"
#include "support/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct Finding {
  enum class Level {
    ok,
    absent,  // something is not here that a loop can do without, or that only some need
    broken,  // nothing goes without it, or it is set up wrongly
  };
  Level level = Level::ok;
  std::string topic;   // "nvcc"
  std::string text;    // what was found
  std::string remedy;  // what to do; empty for ok
};
const char* name_of(Finding::Level level);

// The machine, as parameters so that tests can bring their own.
struct Surroundings {
  std::filesystem::path proc = "/proc";
  std::filesystem::path device_tool;    // kernelloop-device
  std::filesystem::path nvcc;           // empty: looked for
  std::filesystem::path host_compiler;  // empty: c++ from PATH
  Environment environment = process_environment;
};

// Compilers, the toolkit's programs, and what draws plots.
std::vector<Finding> check_compilers(const Surroundings& machine);
// Driver, GPU, rights to read counters, the sandbox.
std::vector<Finding> check_device(const Surroundings& machine);
// What is set up for each provider: keys by their source and last four characters, URLs without
// passwords. Nothing is sent.
std::vector<Finding> check_providers(const Surroundings& machine);

// Sends the smallest request to a provider and tells what came back. It costs a few tokens, which
// are booked in the ledger of `generated_dir` (empty: nowhere). Throws Error(bad_input) when there
// is no such provider.
Finding ask_once(const std::string& provider, const std::string& model,
                 const std::filesystem::path& generated_dir);

// The worst level of all.
Finding::Level worst(const std::vector<Finding>& findings);
std::string to_text(const std::vector<Finding>& findings);
Json to_json(const std::vector<Finding>& findings);

}  // namespace kernelloop
