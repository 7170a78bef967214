#include "spec/variable_axes.hpp"

namespace kernelloop {

std::vector<std::string> variable_axes(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::variable) names.push_back(axis.name);
  }
  return names;
}

}  // namespace kernelloop
