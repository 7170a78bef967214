// A device and an op for tests of what is physically possible.
#pragma once

#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <string>

namespace kernelloop {

// As the driver describes it.
inline DeviceDescription h200() {
  DeviceDescription device;
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  device.architecture = "sm_90";
  device.multiprocessors = 132;
  device.l2_bytes = std::int64_t{60} << 20;
  device.datasheet_bandwidth = 6016.0 / 8 * 2 * 3.201e9;
  device.highest_clock_hz = 1.98e9;
  return device;
}

// c = a b with inputs of this type; `precision` are further members of it.
inline OpSpec matmul_spec(const std::string& dtype, const std::string& precision = "") {
  const std::string input = R"({"shape": ["n", "n"], "dtype": ")" + dtype + R"("})";
  return parse_op_spec(parse_json(
      R"({"name": "matmul", "axes": {"n": {"type": "var"}},
          "inputs": {"a": )" +
          input + R"(, "b": )" + input + R"(},
          "outputs": {"c": {"shape": ["n", "n"], "dtype": "float32"}},
          "precision": {"accumulate": "float32")" +
          (precision.empty() ? "" : ", " + precision) +
          R"(},
          "cost": {"bytes": "0"},
          "workloads": [{"name": "one", "axes": {"n": 8192}}]})",
      "op.json"));
}

}  // namespace kernelloop
