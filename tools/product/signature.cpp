#include "product/signature.hpp"

#include "spec/variable_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kernelloop {

std::vector<Parameter> call_parameters(const OpSpec& spec, bool with_workspace) {
  std::vector<Parameter> parameters;
  for (const Tensor& input : spec.inputs) {
    const std::string type(info(input.dtype).cuda_type);
    parameters.push_back({input.scalar ? type : fmt::format("const {}*", type), input.name});
  }
  for (const Tensor& output : spec.outputs) {
    parameters.push_back({fmt::format("{}*", info(output.dtype).cuda_type), output.name});
  }
  if (with_workspace) {
    parameters.push_back({"void*", "workspace"});
    parameters.push_back({"std::size_t", "workspace_bytes"});
  }
  for (const Parameter& axis : axis_parameters(spec)) {
    parameters.push_back(axis);
  }
  parameters.push_back({"cudaStream_t", "stream"});
  return parameters;
}

std::vector<Parameter> axis_parameters(const OpSpec& spec) {
  std::vector<Parameter> parameters;
  for (const std::string& name : variable_axes(spec)) {
    parameters.push_back({"std::int64_t", name});
  }
  return parameters;
}

std::string declared(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& one : parameters) {
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : ", ", one.type,
                   one.name);
  }
  return text;
}

std::string passed(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& one : parameters) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", one.name);
  }
  return text;
}

std::vector<std::string_view> dtype_headers(const OpSpec& spec) {
  std::vector<std::string_view> headers;
  const auto add = [&](const Tensor& tensor) {
    const std::string_view header = info(tensor.dtype).cuda_header;
    if (!header.empty() && std::find(headers.begin(), headers.end(), header) == headers.end()) {
      headers.push_back(header);
    }
  };
  std::for_each(spec.inputs.begin(), spec.inputs.end(), add);
  std::for_each(spec.outputs.begin(), spec.outputs.end(), add);
  return headers;
}

}  // namespace kernelloop
