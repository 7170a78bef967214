#include "fake_executor.hpp"

#include "spec/dtype.hpp"

#include <algorithm>
#include <cstring>

namespace kernelloop {

std::vector<double> FakeLaunch::read(const std::string& tensor) const {
  const auto bytes = arena.bytes(tensor);
  std::vector<double> values(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load_element(DType::bfloat16, &bytes[2 * i]);
  }
  return values;
}

void FakeLaunch::write(const std::string& tensor, std::int64_t index, double value) const {
  store_element(DType::bfloat16, value, &arena.bytes(tensor)[static_cast<std::size_t>(2 * index)]);
}

FakeExecutor::FakeExecutor(std::string kind, Kernel kernel, Tools tools)
    : kernel_(std::move(kernel)), tools_(std::move(tools)) {
  device_.kind = std::move(kind);
  device_.name = "a fake device";
}

RunResult FakeExecutor::run(const RunRequest& request) {
  const auto output = request.arena->bytes("y");
  request.poison.fill(output);
  FakeLaunch launch{*request.arena, request, request.plan.launches.at(0).grid[0], 0, runs_++};
  for (const ResolvedArgument& argument : request.plan.launches.front().arguments) {
    if (argument.kind != ResolvedArgument::Kind::bytes || launch.cols != 0) continue;
    std::memcpy(&launch.cols, argument.bytes.data(), argument.bytes.size());
  }
  RunResult result = kernel_(launch);
  result.placement = request.placement;
  if (result.input_protection.empty()) result.input_protection = "hash";
  return result;
}

ToolResult FakeExecutor::check(SanitizerTool tool, const RunRequest& request) {
  return tools_ ? tools_(tool, request) : Executor::check(tool, request);
}

}  // namespace kernelloop
