// How many small calls of a reference a second can be made, each in a process of its own: forked
// from this process, as large calls are, and by the call server. A fork takes the longer the more
// its process has mapped, so this one holds as much as it is told to.
#include "support/json.hpp"
#include "support/stopwatch.hpp"
#include "verify/call_server.hpp"
#include "verify/contained_call.hpp"
#include "verify/inputs.hpp"
#include "verify/reference_call.hpp"
#include "verify/reference_library.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace kernelloop;

constexpr int k_calls = 400;
constexpr std::chrono::milliseconds k_timeout{60000};

std::string run_call(const void* argument) {
  return run(*static_cast<const ReferenceCall*>(argument));
}

// A call with every variable axis at 8.
class SmallCall {
 public:
  SmallCall(const OpSpec& spec, const char* library, CallMemory& memory) {
    Bindings variables;
    for (const Axis& axis : spec.axes) {
      if (axis.kind == Axis::Kind::variable) variables[axis.name] = 8;
    }
    ReferenceInputs inputs{resolve_axes(spec, variables), {}, {}};
    inputs.scalars = draw_scalars(spec, inputs.axes, {}, 1);
    std::map<std::string, ReferenceBuffers> outputs;
    const auto zeros = [&](const Tensor& tensor) {
      const auto count = static_cast<std::size_t>(element_count(tensor, inputs.axes));
      const std::span<double> values = memory.array<double>(count);
      for (double& value : values) value = 0.0;
      return values;
    };
    for (const Tensor& tensor : spec.inputs) {
      if (!tensor.scalar) inputs.tensors[tensor.name] = zeros(tensor);
    }
    for (const Tensor& tensor : spec.outputs) {
      outputs[tensor.name] = {zeros(tensor), zeros(tensor).data(),
                              memory.array<unsigned char>(1).data()};
    }
    call_ = &lay_out_call(library, spec, inputs, outputs, memory);
  }

  [[nodiscard]] const ReferenceCall* get() const { return call_; }

 private:
  const ReferenceCall* call_;
};

void measure(const char* way, std::size_t threads, const std::function<void(int)>& make_calls) {
  double wall = 0.0;
  {
    const ScopedSeconds timed(wall);
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < threads; ++i) {
      callers.emplace_back([&] { make_calls(k_calls); });
    }
    for (std::thread& caller : callers) caller.join();
  }
  const double calls = static_cast<double>(threads) * k_calls;
  fmt::print("{:24} {:2} threads {:8.0f} calls/s {:8.3f} ms each\n", way, threads, calls / wall,
             wall / k_calls * 1e3);
}

int compare(const char* spec_file, const char* library, std::size_t mebibytes) {
  const OpSpec spec = parse_op_spec(read_json(spec_file));
  CallServer server;
  server.start();
  std::vector<char> ballast(mebibytes << 20, 1);
  std::atomic<int> failed = 0;
  const auto count = [&](const std::string& problem) {
    if (problem.empty()) return;
    if (++failed == 1) fmt::print(stderr, "reference_calls: {}\n", problem);
  };
  for (const std::size_t threads : {1, 2, 8}) {
    measure("forked from this process", threads, [&](int calls) {
      CallMemory memory({});
      const SmallCall call(spec, library, memory);
      for (int i = 0; i < calls; ++i) {
        count(contained_call([&] { return run_call(call.get()); }, k_timeout));
      }
    });
    measure("by the call server", threads, [&](int calls) {
      for (int i = 0; i < calls; ++i) {
        CallServer::Room room(server);
        CallMemory memory(room.memory());
        const SmallCall call(spec, library, memory);
        count(room.call(run_call, call.get(), k_timeout));
      }
    });
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: reference_calls <op.json> <reference.so> <MiB>\n");
    return 2;
  }
  try {
    return compare(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
  } catch (const std::exception& error) {
    fmt::print(stderr, "reference_calls: {}\n", error.what());
    return 1;
  }
}
