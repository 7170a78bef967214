// One worker process as its parent sees it: start, ask with a deadline, kill.
#pragma once

#include "device/channel.hpp"
#include "support/control_group.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/output_tail.hpp"
#include "support/sandbox.hpp"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

// Where a worker in a sandbox finds the artefacts that it loads. The same name everywhere, since
// messages hold it.
constexpr const char* k_artifacts_in_sandbox = "/tmp/artifacts";

struct WorkerStart {
  std::filesystem::path program;
  std::string device;
  std::vector<std::string> preload;             // libraries for LD_PRELOAD
  std::vector<std::string> watcher;             // a command that starts the program and watches it
  std::vector<std::filesystem::path> readable;  // beside the program's own files
  std::vector<std::filesystem::path> writable;
  std::filesystem::path artifacts;  // folder that a sandbox shows at k_artifacts_in_sandbox
  bool foreign_library = false;     // it will load a library of the user's, with all that one needs
  std::optional<SandboxRules> sandbox;  // none: a plain process
  std::size_t memory_limit = 0;         // bytes beside what is shared with it; 0: none
  // NAME=value, beside and instead of what the parent has.
  std::vector<std::string> variables;
};

// What became of a request.
struct Exchange {
  enum class End { replied, timed_out, died };
  End end = End::died;
  Json reply;
  std::string how_it_died;  // "was killed by signal 11 (Segmentation fault)", "exited with code 1"
};

class WorkerProcess {
 public:
  // Throws Error(environment) when the program cannot be started.
  explicit WorkerProcess(const WorkerStart& start);
  ~WorkerProcess();  // kills the process group and waits for it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // How the memory of the worker is kept below its limit, in words; empty: it has none.
  [[nodiscard]] std::string memory_text() const;

  // After anything but `replied` the process is gone.
  Exchange ask(const Json& request, const std::vector<int>& descriptors,
               std::chrono::milliseconds timeout);

  // Kills it without waiting, where a process can be had that keeps `lock` until it is gone.
  void leave(const FileLock& lock);

  // Ends it by closing the channel. Returns whether it went by itself in time; else it was killed.
  bool finish(std::chrono::milliseconds timeout);

  // What it has printed since the last call of ask(), the last part of it.
  [[nodiscard]] const std::string& output() const noexcept { return tail_.text(); }

 private:
  void drain();
  void learn_sandboxed();
  std::string takes_too_much();                      // of what; empty: it does not
  [[nodiscard]] std::string memory_amount() const;   // "200 MiB of memory", its limit
  [[nodiscard]] std::size_t allowed_memory() const;  // with what is shared with it
  void share(const std::vector<int>& descriptors);
  std::string how_it_ended(int status) const;
  bool exited() const;
  bool wait_for_exit(std::chrono::milliseconds timeout);
  int end();

  pid_t pid_ = -1;
  Channel channel_;
  Descriptor output_;
  OutputTail tail_;
  bool watched_ = false;
  bool sandboxed_ = false;
  Descriptor info_;       // where bubblewrap says which process it made
  pid_t inner_ = -1;      // that one, the first of its namespace
  pid_t worker_ = -1;     // the worker itself, once it is known
  Descriptor worker_fd_;  // of a sandbox: tells when the worker has ended
  // The network of a sandbox. Whoever leaves a network last takes it down, which took 30 to 100 ms
  // on a machine with an H200: that is not to be the worker, while the GPU waits for its end.
  Descriptor network_;
  std::size_t memory_limit_ = 0;
  std::unique_ptr<ControlGroup> group_;          // none: its memory is only looked at
  std::map<unsigned long, std::size_t> shared_;  // bytes by inode
};

}  // namespace kernelloop
