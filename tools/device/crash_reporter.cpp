#include "device/crash_reporter.hpp"

#include "device/sanitizer.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace kernelloop {
namespace {

// A signal handler gets no argument of ours: this is where it finds them.
struct Watched {
  const std::vector<GuardedBuffer>* buffers = nullptr;
  bool sanitized = false;
  std::function<void(const Fault&)> report;
  std::vector<char> stack;  // the faulting stack may be a fiber's, and full
  // What was there before; AddressSanitizer has handlers of its own, if it is in this process.
  struct sigaction segmentation_fault {};
  struct sigaction bus_error {};
  stack_t former_stack{};
};
Watched* watched = nullptr;

template <typename Function>
Function runtime_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

const char* access_of([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "wrote" : "read";
#else
  return "accessed memory";
#endif
}

void on_fault(int number, siginfo_t* information, void* context) {
  ::signal(number, SIG_DFL);  // a second fault, in here, is the end
  if (watched != nullptr) {
    for (const GuardedBuffer& buffer : *watched->buffers) {
      if (buffer.forbids_store_to(information->si_addr)) {
        watched->report(changed_input({buffer.name()}));
        ::_exit(99);
      }
      const std::ptrdiff_t distance = buffer.distance(information->si_addr);
      if (distance == 0) continue;
      const std::string where =
          distance > 0 ? fmt::format("at byte {}, past the end of",
                                     buffer.bytes().size() + static_cast<std::size_t>(distance - 1))
                       : fmt::format("{} bytes before the start of", -distance);
      watched->report(
          {FaultKind::illegal_access, fmt::format("{} {} '{}' ({} bytes)", access_of(context),
                                                  where, buffer.name(), buffer.bytes().size())});
      ::_exit(99);
    }
    std::array<char, 160> line{};
    const auto written = fmt::format_to_n(
        line.data(), line.size(), "{}: the kernel {} address {}, which belongs to no tensor\n",
        number == SIGBUS ? "bus error" : "segmentation fault", access_of(context),
        information->si_addr);
    [[maybe_unused]] const ssize_t ignored =
        ::write(STDERR_FILENO, line.data(), std::min(written.size, line.size()));
  }
  ::raise(number);
}

// The tensor that an address near or in a heap block belongs to.
const GuardedBuffer* nearest(const std::vector<GuardedBuffer>& buffers, std::uintptr_t address) {
  constexpr std::uintptr_t k_near = 4096;
  const GuardedBuffer* best = nullptr;
  std::uintptr_t best_distance = k_near;
  for (const GuardedBuffer& buffer : buffers) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data());
    const std::uintptr_t end = begin + buffer.bytes().size();
    const std::uintptr_t distance = address < begin ? begin - address : address - end;
    if (address >= begin && address < end) return &buffer;
    if (distance < best_distance) {
      best_distance = distance;
      best = &buffer;
    }
  }
  return best;
}

void on_sanitizer_report(const char* text) {
  if (watched == nullptr) return;
  if (const auto* address = reinterpret_cast<const void*>(segmentation_fault_address(text))) {
    for (const GuardedBuffer& buffer : *watched->buffers) {
      if (!buffer.forbids_store_to(address)) continue;
      watched->report(changed_input({buffer.name()}, place_of(text)));
      ::_exit(99);
    }
  }
  std::string message = "AddressSanitizer found an error";
  if (const auto finding = first_finding(text)) message = finding->message;
  const auto address_function = runtime_function<void* (*)()>("__asan_get_report_address");
  if (address_function != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(address_function());
    if (const GuardedBuffer* buffer = nearest(*watched->buffers, address)) {
      const auto begin = reinterpret_cast<std::uintptr_t>(buffer->data());
      const std::size_t size = buffer->bytes().size();
      message += address < begin ? fmt::format(", {} bytes before the start of '{}' ({} bytes)",
                                               begin - address, buffer->name(), size)
                                 : fmt::format(", byte {} of '{}' ({} bytes)", address - begin,
                                               buffer->name(), size);
    }
  }
  watched->report({FaultKind::illegal_access, message});
  ::_exit(99);
}

void install_handlers(Watched& state) {
  stack_t alternative{};
  alternative.ss_sp = state.stack.data();
  alternative.ss_size = state.stack.size();
  ::sigaltstack(&alternative, &state.former_stack);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &state.segmentation_fault);
  ::sigaction(SIGBUS, &action, &state.bus_error);
}

void restore_handlers(const Watched& state) {
  ::sigaction(SIGSEGV, &state.segmentation_fault, nullptr);
  ::sigaction(SIGBUS, &state.bus_error, nullptr);
  ::sigaltstack(&state.former_stack, nullptr);
}

using SetReportCallback = void (*)(void (*)(const char*));

void set_sanitizer_callback(void (*callback)(const char*)) {
  const auto set = runtime_function<SetReportCallback>("__asan_set_error_report_callback");
  if (set != nullptr) set(callback);
}

}  // namespace

CrashReporter::CrashReporter(const std::vector<GuardedBuffer>& buffers, bool sanitized,
                             std::function<void(const Fault&)> report) {
  watched = new Watched{&buffers, sanitized, std::move(report), std::vector<char>(64u << 10)};
  if (sanitized) {
    set_sanitizer_callback(on_sanitizer_report);
  } else {
    install_handlers(*watched);
  }
}

CrashReporter::~CrashReporter() {
  if (watched->sanitized) {
    set_sanitizer_callback(nullptr);
  } else {
    restore_handlers(*watched);
  }
  delete watched;
  watched = nullptr;
}

}  // namespace kernelloop
