#include "compile/launch_policy.hpp"

#include "compile/global_state.hpp"
#include "compile/source_text.hpp"
#include "compile/text.hpp"
#include "support/demangle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

std::string state_message(const GlobalState& state) {
  const std::string name = demangled(state.variable);
  if (state.written) {
    return fmt::format(
        "the kernels write the __device__ variable '{}', which would carry state from one launch "
        "to the next; keep it in the plan's workspace, set by an earlier launch of the same plan, "
        "or in shared memory",
        name);
  }
  return fmt::format(
      "the address of the __device__ variable '{}' is stored, passed on or used as a number, so "
      "nothing shows that it is never written; make it __constant__, or read it by its name where "
      "it is used",
      name);
}

// Whether the source itself can have asked for the time: the words that its clocks go by. Lines
// that claim to come from another file are refused (directive_policy.hpp).
bool may_ask_for_time(const SourceText& source) {
  static constexpr std::array<std::string_view, 2> k_words{"chrono", "globaltimer"};
  return std::any_of(k_words.begin(), k_words.end(),
                     [&](std::string_view word) { return contains(source.text(), word); });
}

bool is_wait_of_toolkit(const InstructionFinding& clock, const SourceText& source) {
  return !clock.written_here && starts_with(clock.opcode, "%globaltimer") &&
         !may_ask_for_time(source);
}

bool any_early_launch(const LaunchPlan& plan) {
  return std::any_of(plan.launches.begin(), plan.launches.end(),
                     [](const Launch& launch) { return launch.programmatic_dependent; });
}

}  // namespace

std::vector<Problem> check_launch_independence(const PtxModule& ptx, const PtxCode& code,
                                               const Instructions& instructions,
                                               const SourceText& source, bool traced) {
  std::vector<Problem> result;
  for (const UnreadPtx& one : code.unread) {
    result.push_back(broken_rule(
        fmt::format("the PTX has a statement that starts with `{}`, which is none that is known "
                    "here, so nobody can tell what it does; write it with other instructions",
                    one.text),
        ptx.place(one.line).line));
  }
  for (const GlobalState& state : global_state(code)) {
    std::size_t line = ptx.place(state.line).line;
    if (line == 0) line = source.line_of_word(state.variable);
    result.push_back(broken_rule(state_message(state), line));
  }
  for (const InstructionFinding& one : instructions.findings) {
    if (one.kind != "clock" || is_wait_of_toolkit(one, source)) continue;
    if (traced && !one.written_here) continue;
    result.push_back(broken_rule(
        fmt::format("reads {}: a version may not look at clocks or launch counters, since it could "
                    "then behave differently when it is timed; remove the read",
                    one.opcode),
        one.line));
  }
  return result;
}

std::vector<Problem> check_dependent_launch(const LaunchPlan& plan,
                                            const Instructions& instructions) {
  std::vector<Problem> result;
  if (any_early_launch(plan)) return result;
  for (const InstructionFinding& one : instructions.findings) {
    if (one.kind != "dependent_launch") continue;
    result.push_back(broken_rule(
        "griddepcontrol.launch_dependents (cudaTriggerProgrammaticLaunchCompletion) lets the next "
        "launch start early, but no launch of the plan has \"programmatic_dependent_launch\"; set "
        "that on "
        "the launch that follows, or remove the call",
        one.line));
  }
  return result;
}

}  // namespace kernelloop
