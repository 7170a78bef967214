#include "device/parameters.hpp"

#include <fmt/format.h>

namespace kernelloop {

std::string parameter_problem(const ResolvedLaunch& launch, const std::vector<std::size_t>& sizes) {
  if (launch.arguments.size() != sizes.size()) {
    return fmt::format(
        "kernel '{}' takes {} parameters (of {} bytes), but the launch plan's "
        "\"args\" passes {}",
        launch.kernel, sizes.size(), fmt::join(sizes, ", "), launch.arguments.size());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ResolvedArgument& argument = launch.arguments[i];
    const bool map = argument.kind == ResolvedArgument::Kind::tensor_map;
    const bool pointer = !map && argument.kind != ResolvedArgument::Kind::bytes;
    const std::size_t size = map       ? k_tensor_map_bytes
                             : pointer ? sizeof(void*)
                                       : argument.bytes.size();
    if (size == sizes[i]) continue;
    return fmt::format(
        "parameter {} of kernel '{}' has {} bytes, but the launch plan passes {} "
        "of {} bytes",
        i, launch.kernel, sizes[i],
        map       ? "a tensor map"
        : pointer ? "a pointer"
                  : "a value",
        size);
  }
  return {};
}

}  // namespace kernelloop
