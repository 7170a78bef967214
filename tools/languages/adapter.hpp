// Runs a language's adapter: source and plan in, PTX and a plan that names every number out.
#pragma once

#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"

#include "languages/language.hpp"
#include "languages/toolchain.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct AdapterJob {
  const Language* language = nullptr;
  const Toolchain* toolchain = nullptr;
  const OpSpec* spec = nullptr;
  std::filesystem::path source;    // absolute
  LaunchPlan plan;                 // PlanForm::compiled
  std::string architecture;        // "90a"
  std::filesystem::path work_dir;  // exists, ours; receives everything, what the source can write
                                   // in a folder of its own
  // CPU time; ten times as much on the wall.
  std::chrono::milliseconds timeout{60000};
  std::size_t memory_limit = std::size_t{16} << 30;  // bytes of address space
};

struct AdapterProblem {
  std::string message;
  std::size_t line = 0;  // of the source; 0 when unknown
};

struct AdapterRun {
  enum class Outcome {
    built,
    rejected,   // `problems` say why
    crashed,    // the compiler died of this source; `crash` says how
    timed_out,  // of the source, which it runs
  };
  Outcome outcome = Outcome::rejected;
  std::vector<AdapterProblem> problems;
  std::string crash;
  std::filesystem::path ptx;                 // built
  LaunchPlan plan;                           // built: PlanForm::cuda
  std::vector<std::filesystem::path> dumps;  // the language's own stages
};

// The source is run by the language's compiler, so it is confined: no network, nothing of this
// machine but the toolchain, one folder to write into. Throws Error(environment) when that cannot
// be had (unless KERNELLOOP_SANDBOX is `off`) or the adapter itself fails.
AdapterRun run_adapter(const AdapterJob& job);

}  // namespace kernelloop
