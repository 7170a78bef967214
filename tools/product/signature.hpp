// The parameter lists of the generated functions.
#pragma once

#include "spec/op_spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct Parameter {
  std::string type;
  std::string name;
};

// Inputs in file order (pointers to const; scalars by value), outputs, the workspace when asked
// for, the variable axes, the stream.
std::vector<Parameter> call_parameters(const OpSpec& spec, bool with_workspace);

// The variable axes alone.
std::vector<Parameter> axis_parameters(const OpSpec& spec);

std::string declared(const std::vector<Parameter>& parameters);  // "const float* x, float* y"
std::string passed(const std::vector<Parameter>& parameters);    // "x, y"

// The CUDA headers that the types of the spec need, each once, in file order.
std::vector<std::string_view> dtype_headers(const OpSpec& spec);

}  // namespace kernelloop
