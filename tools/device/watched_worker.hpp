// A worker process of its own under a program that watches it: one load, one run.
#pragma once

#include "device/worker_client.hpp"
#include "device/worker_process.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct WatchedStart {
  std::filesystem::path program;  // kernelloop-device
  std::string device = "cuda";
  std::vector<std::string> watcher;     // the command line up to the program
  std::filesystem::path report_folder;  // where the watcher writes
  std::filesystem::path artifact;       // what it will load
  std::vector<std::string> variables{};
};

class WatchedWorker {
 public:
  // Error(environment) when no process can be started, or confined where it must be.
  explicit WatchedWorker(const WatchedStart& start);

  // What kept it from loading and running; empty when `result` holds what the worker says. A fault
  // that comes of being watched (no room for instrumented code) is such a reason.
  std::string run(const Artifact& artifact, const RunRequest& request, RunResult& result);

  // Whether the process goes on after the run.
  [[nodiscard]] bool alive() const noexcept { return alive_; }
  WorkerProcess& process() noexcept { return process_; }

 private:
  WorkerProcess process_;
  bool alive_ = true;
};

}  // namespace kernelloop
