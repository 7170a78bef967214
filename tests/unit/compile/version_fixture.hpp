// A version to compile: an op that scales a vector, and sources for it.
#pragma once

#include "compile/compile.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kernelloop {

constexpr const char* k_spec = R"({
  "name": "scale",
  "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "factor": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
  "workloads": [{"name": "small", "axes": {"n": 1000}}]
})";

// A plan comment of five lines that launches `kernel` with x, y, factor and n.
inline std::string plan_comment(const std::string& kernel = "scale") {
  return "/* kernelloop:plan\n"
         "{ \"launches\": [\n"
         "  { \"kernel\": \"" +
         kernel +
         "\", \"grid\": [\"ceil_div(n, 256)\"], \"block\": [256],\n"
         "    \"args\": [\"x\", \"y\", \"factor\", \"n\"] } ] }\n"
         "*/\n";
}

constexpr const char* k_kernel =
    "extern \"C\" __global__ void scale(const float* x, float* y, float factor, long long n) {\n"
    "  const long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "  if (i < n) y[i] = factor * x[i];\n"
    "}\n";

class VersionTest : public testing::Test {
 protected:
  VersionTest() : spec_(parse_op_spec(parse_json(k_spec, "op.json"))) {
    request_.source = directory_.path() / "version dir" / "kernel.cu";
    request_.output_dir = directory_.path() / "out dir";
    request_.spec = &spec_;
  }

  void write_source(const std::string& text) { write_file_atomic(request_.source, text); }

  Json compile(const std::string& source) {
    write_source(source);
    return compile_version(request_);
  }

  bool is_written(const std::string& name) const {
    return std::filesystem::exists(request_.output_dir / name);
  }

  TemporaryDirectory directory_;
  OpSpec spec_;
  CompileRequest request_;
};

}  // namespace kernelloop
