// What a candidate can do wrong on a device, as a value.
#pragma once

#include <string>
#include <vector>

namespace kernelloop {

enum class FaultKind {
  none,
  launch_refused,  // the driver refused the launch (too much shared memory, bad cluster, ...)
  illegal_access,  // out of bounds, on either device
  misaligned,
  changed_input,  // a store to an input, or an input that is not what it was
  trap,
  divergent_barrier,    // cpu: not all threads of a block reach the same barrier
  timeout,              // killed
  crash,                // the worker died of a signal
  load_failed,          // cubin/library cannot be loaded or lacks a kernel
  not_runnable,         // cpu: construct that the emulation cannot run
  race,                 // a tool saw two threads collide
  reads_uninitialised,  // a tool saw memory read that nobody had written
  other,
};
const char* name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::none;
  std::string message;  // first finding, with file:line where known
  explicit operator bool() const noexcept { return kind != FaultKind::none; }
};

// "the kernel writes to input 'x' at kernel.cu:12:7; inputs are for reading only". `place` may be
// empty.
Fault changed_input(const std::vector<std::string>& names, const std::string& place = "");

}  // namespace kernelloop
