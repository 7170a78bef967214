#include "compile/instructions.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace kernelloop {
namespace {

constexpr std::array<std::string_view, 16> k_factor_types{
    "f64",  "f32",  "tf32", "f16", "bf16", "e4m3", "e5m2", "e3m2",
    "e2m3", "e2m1", "s8",   "u8",  "s4",   "u4",   "b1",   "s32"};
constexpr std::array<std::string_view, 4> k_half_types{"f16", "f16x2", "bf16", "bf16x2"};
constexpr std::array<std::string_view, 13> k_arithmetic{"add",   "sub",   "mul",  "mad", "fma",
                                                        "div",   "rcp",   "sqrt", "ex2", "tanh",
                                                        "mul24", "mad24", "sad"};

bool is_half(std::string_view type) { return is_one_of(type, k_half_types); }

// "f16x2" of "fma.rn.relu.f16x2": the first type, which is that of the result.
std::string_view result_type(const PtxInstruction& one) {
  for (const std::string_view part : one.modifiers()) {
    if (is_half(part) || is_one_of(part, k_factor_types)) return part;
    if (part == "f32x2" || part == "u32" || part == "u64" || part == "s64" || part == "u16" ||
        part == "s16") {
      return part;
    }
  }
  return {};
}

bool multiplies_matrices(const PtxInstruction& one) {
  const std::string_view base = one.base();
  if (base == "mma") return true;
  if (base == "wmma" || base == "tcgen05") return one.has("mma");
  return base == "wgmma" && one.has("mma_async");
}

// What the fifth generation names by kind; the types stand in a descriptor that run time makes.
struct MatrixKind {
  std::string_view name;
  std::vector<std::string> inputs;
};
const std::vector<MatrixKind>& matrix_kinds() {
  static const std::vector<MatrixKind> k_kinds{
      {"kind::tf32", {"tf32"}},        {"kind::f16", {"f16|bf16"}},       {"kind::i8", {"s8|u8"}},
      {"kind::f8f6f4", {"e4m3|e5m2"}}, {"kind::mxf8f6f4", {"e4m3|e5m2"}}, {"kind::mxf4", {"e2m1"}},
      {"kind::mxf4nvf4", {"e2m1"}},
  };
  return k_kinds;
}

// The types of `d = a b + c` stand in the order d a b c; wgmma has no c, and wmma names d and c
// alone where a and b are float16.
void read_matrix_types(const PtxInstruction& one, InstructionFinding& finding) {
  std::vector<std::string> types;
  for (const std::string_view part : one.modifiers()) {
    if (is_one_of(part, k_factor_types)) types.emplace_back(part);
  }
  if (!types.empty()) {
    finding.accumulator = types[0];
    if (types.size() < 3) {
      finding.inputs = {"f16"};
    } else {
      finding.inputs = {types[1]};
      if (types[2] != types[1]) finding.inputs.push_back(types[2]);
    }
    // A half-precision c is one even where d is wider.
    if (types.size() == 2 && types[1] == "f16") finding.accumulator = "f16";
    if (types.size() > 3 && types[3] == "f16") finding.accumulator = "f16";
    return;
  }
  for (const MatrixKind& kind : matrix_kinds()) {
    if (one.has(kind.name)) finding.inputs = kind.inputs;
  }
}

bool adds_half_in_memory(const PtxInstruction& one) {
  const std::string_view base = one.base();
  const bool reduces =
      base == "red" || base == "atom" || base == "multimem" || (base == "cp" && one.has("reduce"));
  if (!reduces || !one.has("add") || one.has("acc::f32")) return false;
  const auto parts = one.modifiers();
  return std::any_of(parts.begin(), parts.end(), is_half);
}

bool sets_cache_policy(const PtxInstruction& one) {
  if (one.base() == "createpolicy") return true;
  const auto parts = one.modifiers();
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part == "L2::evict_last" || part == "L2::cache_hint";
  });
}

// A finding without place and count, or nothing.
std::optional<InstructionFinding> finding_of(const PtxInstruction& one) {
  InstructionFinding finding;
  finding.opcode = one.opcode;
  if (multiplies_matrices(one)) {
    finding.kind = "tensor_core";
    read_matrix_types(one, finding);
  } else if (adds_half_in_memory(one)) {
    finding.kind = "half_reduction";
  } else if (is_one_of(one.base(), k_arithmetic) && is_half(result_type(one))) {
    finding.kind = "half_arithmetic";
  } else if (one.has("approx")) {
    finding.kind = "approximate";
  } else if (one.base() == "griddepcontrol" && one.has("launch_dependents")) {
    finding.kind = "dependent_launch";
  } else if (sets_cache_policy(one)) {
    finding.kind = "cache_policy";
  } else {
    return std::nullopt;
  }
  return finding;
}

// Registers that tell one launch from another.
bool tells_launches_apart(std::string_view word) {
  static constexpr std::array<std::string_view, 8> k_registers{
      "%clock",          "%clock64",        "%clock_hi", "%globaltimer",
      "%globaltimer_lo", "%globaltimer_hi", "%gridid",   "%current_graph_exec"};
  return is_one_of(word, k_registers) || starts_with(word, "%pm");
}

// The class of `cost.flops` that an instruction belongs to; empty for what is no arithmetic.
std::string class_of(const PtxInstruction& one, const std::optional<InstructionFinding>& finding) {
  if (finding && finding->kind == "tensor_core") {
    const std::string input = finding->inputs.empty() ? "" : finding->inputs.front();
    if (input == "f64") return "fp64_tensor";
    if (input == "tf32") return "tf32_tensor";
    if (input == "bf16") return "bf16_tensor";
    if (input == "f16" || input == "f16|bf16") return "fp16_tensor";
    if (input == "s8" || input == "u8" || input == "s8|u8") return "int8_tensor";
    return starts_with(input, "e") ? "fp8_tensor" : "other_tensor";
  }
  static constexpr std::array<std::string_view, 9> k_special{"ex2", "lg2",   "sin",  "cos", "tanh",
                                                             "rcp", "rsqrt", "sqrt", "div"};
  const std::string_view base = one.base();
  if (one.has("approx") && is_one_of(base, k_special)) return "sfu";
  const bool compares = base == "min" || base == "max" || base == "setp" || base == "set";
  if (!compares && !is_one_of(base, k_arithmetic)) return {};
  const std::string_view type = result_type(one);
  if (type == "f64") return "fp64";
  if (type == "f32" || type == "f32x2") return "fp32";
  if (type == "f16" || type == "f16x2") return "fp16";
  if (type == "bf16" || type == "bf16x2") return "bf16";
  return type.empty() ? "" : "int32";
}

}  // namespace

Instructions read_instructions(const PtxCode& code, const PtxModule& module) {
  Instructions result;
  std::map<std::tuple<std::string, std::string, bool>, InstructionFinding> found;
  const auto add = [&](InstructionFinding finding, const PtxInstruction& one) {
    const bool here = finding.kind == "clock" && module.place(one.line).written_here;
    InstructionFinding& known = found[{finding.kind, finding.opcode, here}];
    if (known.count == 0) {
      known = std::move(finding);
      known.function = one.function;
      known.ptx_line = one.line;
      known.line = module.place(one.line).line;
      known.written_here = here;
    }
    ++known.count;
  };
  for (const PtxInstruction& one : code.instructions) {
    const std::optional<InstructionFinding> finding = finding_of(one);
    if (const std::string arithmetic = class_of(one, finding); !arithmetic.empty()) {
      ++result.counts[arithmetic];
    }
    if (finding) add(*finding, one);
    for (const std::string& word : one.operands) {
      if (!tells_launches_apart(word)) continue;
      InstructionFinding clock;
      clock.kind = "clock";
      clock.opcode = word;
      add(std::move(clock), one);
    }
  }
  for (auto& [key, finding] : found) result.findings.push_back(std::move(finding));
  return result;
}

Json to_json(const Instructions& instructions) {
  Json findings = Json::array();
  for (const InstructionFinding& one : instructions.findings) {
    Json json{{"kind", one.kind},
              {"opcode", one.opcode},
              {"count", one.count},
              {"line", one.line},
              {"function", one.function}};
    if (one.kind == "tensor_core") {
      json["inputs"] = one.inputs;
      json["accumulator"] = one.accumulator;
    }
    findings.push_back(std::move(json));
  }
  return {{"counts", instructions.counts}, {"findings", std::move(findings)}};
}

}  // namespace kernelloop
