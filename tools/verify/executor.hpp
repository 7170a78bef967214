// Where candidates run, as the verifier sees it.
#pragma once

#include "device/worker_client.hpp"
#include "verify/compiled_version.hpp"

namespace kernelloop {

class Executor {
 public:
  virtual ~Executor() = default;
  // Throws Error(environment) when the device is not to be had.
  virtual const DeviceDescription& device() = 0;
  // Makes ready for the first run, where that takes time; what goes wrong shows there.
  virtual void warm_up() {}
  virtual RunResult run(const RunRequest& request) = 0;
  // The same under a tool of compute-sanitizer; `unavailable` where there is none.
  virtual ToolResult check(SanitizerTool, const RunRequest&) {
    ToolResult result;
    result.reason = "compute-sanitizer watches GPUs only";
    return result;
  }
};

// Runs one artefact in a device worker.
class WorkerExecutor final : public Executor {
 public:
  WorkerExecutor(WorkerOptions options, const CompiledVersion& version)
      : worker_(std::move(options)),
        module_(worker_.load(artifact_for(version, worker_.device()))) {}

  const DeviceDescription& device() override { return worker_.device(); }
  void warm_up() override { worker_.warm_up(); }
  RunResult run(const RunRequest& request) override { return worker_.run(request, module_); }
  ToolResult check(SanitizerTool tool, const RunRequest& request) override {
    return device().kind == "cuda" ? worker_.check(tool, request, module_)
                                   : Executor::check(tool, request);
  }

 private:
  Worker worker_;
  int module_;
};

}  // namespace kernelloop
