// The settings of one operator: `config.json`, which CMake writes while it configures
// (docs/formats.md).
#pragma once

#include "cost/budget.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

struct OpConfig {
  std::filesystem::path path;  // of config.json itself
  std::string op;
  std::filesystem::path spec;
  std::filesystem::path reference_source;
  std::filesystem::path build_dir;       // <build>/kernelloop/<op>
  std::filesystem::path generated_dir;   // parent of <op>/
  std::filesystem::path reports_dir;     // parent of <op>/
  std::filesystem::path recordings_dir;  // parent of <op>/vNNN/conversation.json
  std::filesystem::path hints;           // empty: none
  std::vector<std::string> context;      // directories and files that the model may read
  std::filesystem::path notes_dir;       // the same, of KernelLoop itself; empty: none
  std::vector<std::string> baselines;
  std::vector<std::string> languages{"CUDA"};  // names, as tools/languages has them
  int versions = 1;                            // >= 1
  int candidates = 1;                          // versions of one round, >= 1
  int fix_limit = 3;                           // compile-error turns of one proposal, >= 0
  std::string provider = "auto";
  std::string model;                       // empty: the provider's default
  Budget budget;                           // of all requests for this op, ever
  Budget run_budget;                       // of all requests of one build
  double sol_target = 0.9;                 // (0, 1]
  std::vector<std::string> architectures;  // "90a"
  std::vector<std::string> compile_options;
  std::string device;          // "cuda" | "cpu"
  std::filesystem::path nvcc;  // empty: none on this machine
  std::filesystem::path host_compiler;
  std::filesystem::path cpu_include_dir;
  std::filesystem::path device_tool;        // kernelloop-device
  std::filesystem::path reference_library;  // <op>_reference
  std::vector<std::string> device_launcher;
  // By architecture, where devices of other classes than the loop's own are to be had.
  std::map<std::string, std::vector<std::string>> fleet;
  std::string device_class;  // whose results are meant; empty: the loop's own device's

  // <build_dir>/vNNN: what the steps write about a version.
  [[nodiscard]] std::filesystem::path step_dir(int version) const;
  // Where devices of the class in question leave what they say of a version: <build_dir>/vNNN, or
  // <build_dir>/fleet/<class>/vNNN.
  [[nodiscard]] std::filesystem::path results_dir(int version) const;
  // <generated_dir>/<op>/vNNN: the version itself.
  [[nodiscard]] std::filesystem::path version_dir(int version) const;
  [[nodiscard]] std::filesystem::path adopted_file() const;

  // Rounds count from 1; round r has versions first_of_round(r) .. last_of_round(r).
  [[nodiscard]] int round_of(int version) const;
  [[nodiscard]] int first_of_round(int round) const;
  [[nodiscard]] int last_of_round(int round) const;
  [[nodiscard]] int rounds() const;
  // Where round r's history.json and feedback.md stand.
  [[nodiscard]] std::filesystem::path history_dir(int round) const;
};

// Throws Error(bad_input) naming the member that is missing or wrong, and telling to reconfigure.
OpConfig load_config(const std::filesystem::path& path);

}  // namespace kernelloop
