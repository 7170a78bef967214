// One worker process as its parent sees it: start, ask with a deadline, kill.
#pragma once

#include "device/channel.hpp"
#include "support/json.hpp"
#include "support/output_tail.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kernelloop {

struct WorkerStart {
  std::filesystem::path program;
  std::string device;
  std::vector<std::string> preload;  // libraries for LD_PRELOAD
  std::vector<std::string> watcher;  // a command that starts the program and watches it
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

  // After anything but `replied` the process is gone.
  Exchange ask(const Json& request, const std::vector<int>& descriptors,
               std::chrono::milliseconds timeout);

  // Ends it by closing the channel. Returns whether it went by itself in time; else it was killed.
  bool finish(std::chrono::milliseconds timeout);

  // What it has printed since the last call of ask(), the last part of it.
  [[nodiscard]] const std::string& output() const noexcept { return tail_.text(); }

 private:
  void drain();
  bool exited() const;
  bool wait_for_exit(std::chrono::milliseconds timeout);
  int end();

  pid_t pid_ = -1;
  Channel channel_;
  Descriptor output_;
  OutputTail tail_;
  bool watched_ = false;
};

}  // namespace kernelloop
