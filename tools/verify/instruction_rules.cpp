#include "verify/instruction_rules.hpp"

#include "spec/precision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace kernelloop {
namespace {

using Types = std::vector<std::string_view>;

// "f16|bf16" is one or the other, which only run time knows: allowed where either is.
bool allows(const Types& allowed, std::string_view input) {
  while (!input.empty()) {
    const std::size_t bar = std::min(input.find('|'), input.size());
    if (std::find(allowed.begin(), allowed.end(), input.substr(0, bar)) != allowed.end()) {
      return true;
    }
    input.remove_prefix(std::min(bar + 1, input.size()));
  }
  return false;
}

std::string accumulation_name(const OpSpec& spec) {
  return std::string(info(spec.precision.accumulate).name);
}

std::string tensor_core_input(const Json& finding, const OpSpec& spec) {
  const Types allowed = tensor_core_types(spec);
  for (const std::string input : finding.at("inputs")) {
    if (allows(allowed, input)) continue;
    if (allowed.empty()) {
      return fmt::format(
          "{} multiplies on tensor cores, which precision.tensor_core_inputs of the "
          "op rules out; use ordinary arithmetic",
          finding.at("opcode").get<std::string>());
    }
    return fmt::format(
        "{} multiplies {} on tensor cores, which rounds values that the op does not let be rounded "
        "(tensor cores may multiply: {}); multiply in a declared type{}",
        finding.at("opcode").get<std::string>(), input, fmt::join(allowed, ", "),
        input == "tf32" ? "; tf32 needs precision.allow_tf32" : "");
  }
  return {};
}

std::string tensor_core_accumulator(const Json& finding, const OpSpec& spec) {
  const std::string accumulator = finding.at("accumulator");
  const bool half = accumulator == "f16" && !half_accumulation_allowed(spec);
  const bool single = accumulator == "f32" && spec.precision.accumulate == DType::float64;
  if (!half && !single) return {};
  return fmt::format(
      "{} accumulates in {}, but the op accumulates in {} or wider; use the form "
      "with a wider accumulator",
      finding.at("opcode").get<std::string>(), accumulator, accumulation_name(spec));
}

std::string half_arithmetic(const Json& finding, const OpSpec& spec) {
  if (half_arithmetic_allowed(spec)) return {};
  return fmt::format(
      "{} rounds a partial result to 16 bits, but the op computes in {} or wider; convert the "
      "operands to float, compute there, and round the final result once (comparisons, min, max "
      "and conversions in 16 bits are fine)",
      finding.at("opcode").get<std::string>(), accumulation_name(spec));
}

std::string half_reduction(const Json& finding, const OpSpec& spec) {
  if (half_accumulation_allowed(spec)) return {};
  return fmt::format(
      "{} adds up in memory in 16 bits, but the op accumulates in {} or wider; "
      "reduce in float and convert once",
      finding.at("opcode").get<std::string>(), accumulation_name(spec));
}

// One rule: which findings it is about, and what is wrong with one; empty when it is allowed.
struct Rule {
  const char* code;
  const char* kind;
  std::string (*objection)(const Json& finding, const OpSpec& spec);
};

constexpr Rule k_rules[] = {
    {"tensor_core_input", "tensor_core", tensor_core_input},
    {"tensor_core_accumulator", "tensor_core", tensor_core_accumulator},
    {"half_arithmetic", "half_arithmetic", half_arithmetic},
    {"half_reduction", "half_reduction", half_reduction},
};

std::string place_of(const Json& finding) {
  const auto line = finding.at("line").get<std::size_t>();
  return line == 0 ? "" : fmt::format("line {}: ", line);
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

void judge_finding(const Json& finding, const OpSpec& spec, InstructionVerdict& verdict) {
  const std::string kind = finding.at("kind");
  for (const Rule& rule : k_rules) {
    if (kind != rule.kind) continue;
    if (const std::string objection = rule.objection(finding, spec); !objection.empty()) {
      add_once(verdict.violations,
               fmt::format("{}: {}{}", rule.code, place_of(finding), objection));
    }
  }
  if (kind == "cache_policy") {
    add_once(verdict.notes,
             fmt::format("{}{} steers what L2 keeps; lines that it keeps are reset before every "
                         "timed launch",
                         place_of(finding), finding.at("opcode").get<std::string>()));
  } else if (kind == "approximate") {
    add_once(verdict.notes,
             fmt::format("{}uses {}", place_of(finding), finding.at("opcode").get<std::string>()));
  }
}

}  // namespace

InstructionVerdict judge_instructions(const Json& instructions, const OpSpec& spec) {
  InstructionVerdict verdict;
  for (const auto& [architecture, found] : instructions.items()) {
    for (const Json& finding : found.at("findings")) judge_finding(finding, spec, verdict);
  }
  return verdict;
}

}  // namespace kernelloop
