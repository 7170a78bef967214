// A valid op spec to break in one place at a time, and what the reader says about it.
#pragma once

#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kernelloop {

inline const std::string k_valid_spec = R"({
  "name": "scale",
  "description": "y = x * gain",
  "axes": {
    "rows": {"type": "var", "description": "rows"},
    "cols": {"type": "var"},
    "heads": {"type": "const", "value": 4},
    "wide": {"type": "expr", "expression": "cols * heads"}
  },
  "inputs": {
    "x": {"shape": ["rows", "wide"], "dtype": "bfloat16", "description": "in"},
    "gain": {"shape": null, "dtype": "float32", "values": {"family": "constant", "value": 2}}
  },
  "outputs": {"y": {"shape": ["rows", "wide"], "dtype": "float32", "description": "out"}},
  "constraints": ["cols % 2 == 0"],
  "precision": {"accumulate": "float32", "allow_tf32": false},
  "cost": {"bytes": "rows * wide * 6", "flops": {"fp32": "rows * wide"}},
  "workloads": [
    {"name": "small", "axes": {"rows": 3, "cols": 4}, "devices": ["cpu"]},
    {"name": "big", "axes": {"rows": 300, "cols": 64}, "scalars": {"gain": 3}, "weight": 2}
  ],
  "ladder": {
    "shapes": [{"rows": 1, "cols": 2}, {"rows": 7, "cols": 6}],
    "holdout": [{"rows": 5, "cols": 10}]
  },
  "tolerance": {"max_abs": 0.001}
}
)";

// `text` with one piece replaced; the piece must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test looks for " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

inline std::string with(const std::string& from, const std::string& to) {
  return replaced(k_valid_spec, from, to);
}

// The message of the error, or "no error".
inline std::string spec_error(const std::string& text) {
  try {
    const JsonDocument document = parse_json(text, "op.json");
    require_servable(document, parse_op_spec(document));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

inline OpSpec spec_from(const std::string& text) {
  return parse_op_spec(parse_json(text, "op.json"));
}

}  // namespace kernelloop
