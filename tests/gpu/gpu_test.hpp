// What the tests of the CUDA device share: tensors x and y, a worker, and a reason to skip.
#pragma once

#include "device/worker_client.hpp"
#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

namespace kernelloop::test {

using std::chrono::milliseconds;

constexpr int k_elements = 1000;  // no multiple of a block

template <typename T>
ResolvedArgument value_argument(T value) {
  ResolvedArgument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

inline ResolvedArgument tensor_argument(const std::string& tensor) {
  ResolvedArgument argument;
  argument.kind = ResolvedArgument::Kind::tensor;
  argument.tensor = tensor;
  return argument;
}

inline ResolvedPlan plan_for(const std::string& kernel, int n, int threads = 256) {
  ResolvedLaunch launch;
  launch.kernel = kernel;
  launch.grid = {(n + threads - 1) / threads, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments = {tensor_argument("x"), tensor_argument("y"), value_argument(n)};
  ResolvedPlan plan;
  plan.launches = {launch};
  return plan;
}

inline TensorArena make_tensors(int n) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  TensorArena arena({{"x", bytes, false}, {"y", bytes, true}});
  std::byte* x = arena.bytes("x").data();
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) * 0x1p-24f;
    std::memcpy(x + i * sizeof value, &value, sizeof value);
  }
  return arena;
}

inline float element(const TensorArena& arena, const std::string& tensor, int i) {
  float value = 0;
  std::memcpy(&value, arena.bytes(tensor).data() + static_cast<std::size_t>(i) * sizeof value,
              sizeof value);
  return value;
}

class GpuTest : public ::testing::Test {
 protected:
  GpuTest() : worker_(WorkerOptions{"cuda", KERNELLOOP_DEVICE_PROGRAM}) {}

  void SetUp() override {
    try {
      if (worker_.device().architecture != "sm_90") {
        GTEST_SKIP() << "the test kernels are built for sm_90a; this GPU is "
                     << worker_.device().architecture;
      }
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    worker_.load({CANDIDATES_CUBIN, {"twice"}});
  }

  RunResult run(const ResolvedPlan& plan, milliseconds timeout = milliseconds(60000)) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan;
    request.timeout = timeout;
    return worker_.run(request);
  }

  RunResult run(const std::string& kernel, Placement placement) {
    RunRequest request;
    request.arena = &arena_;
    request.plan = plan_for(kernel, k_elements);
    request.placement = placement;
    return worker_.run(request);
  }

  RunResult run(const std::string& kernel, milliseconds timeout = milliseconds(60000)) {
    return run(plan_for(kernel, k_elements), timeout);
  }

  void expect_twice() {
    for (int i = 0; i < k_elements; ++i) {
      ASSERT_EQ(element(arena_, "y", i), 2.0f * element(arena_, "x", i)) << "at " << i;
    }
  }

  // Whatever the last candidate did: the next one runs.
  void expect_healthy() {
    const RunResult result = run("twice");
    EXPECT_EQ(result.fault.kind, FaultKind::none) << result.fault.message;
    expect_twice();
  }

  TensorArena arena_ = make_tensors(k_elements);
  Worker worker_;
};

}  // namespace kernelloop::test
