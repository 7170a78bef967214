// Says which tensor a faulting access belongs to, before the process ends.
//
// Plain modules: a handler for SIGSEGV and SIGBUS compares the address with the buffers and their
// guard pages. Sanitized modules: AddressSanitizer's report callback does the same with its
// address.
#pragma once

#include "device/guarded_buffer.hpp"
#include "device/worker_client.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

// While it lives, a fault in one of `buffers` calls `report` with the finding, on the faulting
// thread's signal stack, and ends the process. Other faults end it as they would otherwise. At most
// one at a time; `report` may write to a descriptor but should do little else.
class CrashReporter {
 public:
  // `sanitized`: whether the code that runs is built with AddressSanitizer.
  CrashReporter(const std::vector<GuardedBuffer>& buffers, bool sanitized,
                std::function<void(const Fault&)> report);
  ~CrashReporter();
  CrashReporter(const CrashReporter&) = delete;
  CrashReporter& operator=(const CrashReporter&) = delete;
};

}  // namespace kernelloop
