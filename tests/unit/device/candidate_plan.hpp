// Plans and tensors for the fixture's kernels: (const float* x, float* y, int n).
#pragma once

#include "device/worker_client.hpp"

#include <cstring>

namespace kernelloop::test {

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

inline ResolvedPlan plan_for(const std::string& kernel, int n) {
  ResolvedLaunch launch;
  launch.kernel = kernel;
  launch.arguments = {tensor_argument("x"), tensor_argument("y"), value_argument(n)};
  ResolvedPlan plan;
  plan.launches = {launch};
  return plan;
}

inline TensorArena make_tensors(int n) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  TensorArena arena({{"x", bytes, false}, {"y", bytes, true}});
  for (int i = 0; i < n; ++i) {
    const float value = static_cast<float>(i) + 0.5f;
    std::memcpy(arena.bytes("x").data() + static_cast<std::size_t>(i) * sizeof value, &value,
                sizeof value);
  }
  return arena;
}

inline float element(const TensorArena& arena, const std::string& tensor, int i) {
  float value = 0;
  std::memcpy(&value, arena.bytes(tensor).data() + static_cast<std::size_t>(i) * sizeof value,
              sizeof value);
  return value;
}

}  // namespace kernelloop::test
