#include "verify/case_runs.hpp"

#include "support/parallel.hpp"
#include "support/stopwatch.hpp"
#include "verify/output_judge.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <random>

namespace kernelloop {
namespace {

// A hash of the hashes of its pieces, which all cores take.
std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t seed) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::vector<std::uint64_t> pieces(static_cast<std::size_t>(chunk_count(size)));
  for_chunks(size, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    pieces[static_cast<std::size_t>(chunk)] =
        XXH3_64bits_withSeed(bytes.data() + begin, static_cast<std::size_t>(end - begin), seed);
  });
  return XXH3_64bits_withSeed(pieces.data(), pieces.size() * sizeof(std::uint64_t), seed);
}

CaseFault said_by(const Fault& fault) { return {name_of(fault.kind), fault.message}; }

bool is_fenced(Placement placement) {
  return placement == Placement::fence_end || placement == Placement::fence_begin;
}

// What is special about where the tensors lay.
std::string words_for(Placement placement) {
  switch (placement) {
    case Placement::fence_end:
      return "; in this run nothing is mapped right behind the end of any tensor";
    case Placement::fence_begin:
      return "; in this run nothing is mapped right before the start of any tensor";
    case Placement::least_alignment:
      return "; in this run every tensor starts at a multiple of its declared alignment and of "
             "nothing more";
    case Placement::margins:
    case Placement::bare:
      break;
  }
  return "";
}

}  // namespace

CaseRuns::CaseRuns(const OpSpec& spec, CaseData& data, RepeatedCase* repeated, ResolvedPlan plan,
                   Executor& executor, std::chrono::milliseconds timeout, CaseVerdict& verdict)
    : spec_(spec), data_(data), repeated_(repeated), executor_(executor), verdict_(verdict) {
  request_.arena = repeated != nullptr ? &repeated->arena() : &data.arena();
  request_.plan = std::move(plan);
  request_.timeout = timeout;
  if (executor.device().kind != "cpu") {
    std::random_device random;
    request_.digest_seed = std::uint64_t{random()} << 32 | random();
  }
}

const Bindings& CaseRuns::axes() const {
  return repeated_ != nullptr ? repeated_->axes() : data_.axes();
}

RunResult CaseRuns::execute(const CaseRun& run) {
  request_.poison = run.poison;
  request_.schedule_seed = run.schedule_seed;
  request_.placement = run.placement;
  RunResult result = executor_.run(request_);
  device_digest_ = result.digest;
  if (result.fault) result.placement = run.placement;
  note_watch(result);
  return result;
}

std::optional<CaseFault> CaseRuns::run(const CaseRun& run, std::optional<std::uint64_t> known) {
  const ScopedSeconds timed(verdict_.cost.candidate);
  request_.known_digest = request_.digest_seed ? known : std::nullopt;
  const RunResult result = execute(run);
  if (result.fault) return explain(result.fault, run);
  if (!result.changed_inputs.empty()) return said_by(changed_input(result.changed_inputs));
  return std::nullopt;
}

CaseFault CaseRuns::explain(const Fault& fault, const CaseRun& run) {
  CaseFault said = said_by(fault);
  const bool device_fault = fault.kind == FaultKind::illegal_access ||
                            fault.kind == FaultKind::misaligned || fault.kind == FaultKind::trap;
  if (verdict_.hidden || !device_fault || executor_.device().kind != "cuda") return said;
  if (is_fenced(run.placement)) {
    // A store to an input that is mapped for reading only looks like a stray access. In the open
    // it comes to an end and shows, and so does a write just beyond a tensor.
    CaseRun open = run;
    open.placement = Placement::margins;
    const RunResult again = execute(open);
    if (!again.fault && !again.changed_inputs.empty())
      return said_by(changed_input(again.changed_inputs));
    if (again.fault.kind == fault.kind) said.message = again.fault.message;
  }
  said.message += words_for(run.placement);
  const ToolResult watched = executor_.check(SanitizerTool::memcheck, request_);
  if (watched.outcome == ToolResult::Outcome::found) {
    note_tool(watched, SanitizerTool::memcheck);
    said.message += "; " + watched.finding.message;
  }
  return said;
}

std::optional<CaseFault> CaseRuns::check(SanitizerTool tool, std::string& unavailable) {
  const ScopedSeconds timed(verdict_.cost.candidate);
  const ToolResult result = executor_.check(tool, request_);
  switch (result.outcome) {
    case ToolResult::Outcome::unavailable:
      unavailable = result.reason;
      return std::nullopt;
    case ToolResult::Outcome::found:
      note_tool(result, tool);
      return said_by(result.finding);
    case ToolResult::Outcome::clean:
      break;
  }
  note_watch(result.run);
  note_tool(result, tool);
  if (!result.run.changed_inputs.empty()) return said_by(changed_input(result.run.changed_inputs));
  return std::nullopt;
}

CaseFault CaseRuns::explain_difference(const CaseRun& first, std::uint64_t digest_of_first,
                                       const CaseRun& run) {
  const OutputSnapshot later(spec_, axes(), arena());
  if (auto fault = this->run(first)) return *fault;
  const std::string where = first_difference(later);
  const bool repeatable = digest() == digest_of_first;
  if (repeatable && run.schedule_seed != first.schedule_seed) {
    return {"not_deterministic", "the result depends on the order of threads, first at " + where +
                                     ": a race, or floating-point atomics in no fixed order"};
  }
  if (repeatable && !(run.poison == first.poison)) {
    return {"reads_uninitialised",
            "what the outputs, the workspace and, on the CPU device, shared memory hold before the "
            "launch changes the result, first at " +
                where +
                ": the kernel reads memory that it has not written, or leaves it unwritten"};
  }
  return {"not_deterministic",
          "the result changes from run to run: two runs on the same inputs differ, first at " +
              where + ": a race, or floating-point atomics in no fixed order"};
}

std::vector<OutputVerdict> CaseRuns::judge(const ReferenceLibrary& reference,
                                           const Poison& poison) {
  const auto& expected = data_.expected(reference);
  const ScopedSeconds timed(verdict_.cost.judge);
  if (repeated_ != nullptr) return repeated_->judge(expected, poison);
  return judge_outputs(spec_, data_.axes(), data_.traits(), data_.arena(), expected, poison);
}

std::uint64_t CaseRuns::digest() const {
  if (device_digest_) return *device_digest_;
  const ScopedSeconds timed(verdict_.cost.judge);
  std::uint64_t digest = 0;
  for (const Tensor& output : spec_.outputs) {
    digest = digest_of(arena().bytes(output.name), digest);
  }
  return digest;
}

void CaseRuns::note_watch(const RunResult& result) {
  MemoryWatch& watch = verdict_.memory;
  const std::string name = name_of(result.placement);
  if (std::find(watch.placements.begin(), watch.placements.end(), name) == watch.placements.end()) {
    watch.placements.push_back(name);
  }
  if (watch.inputs != "read_only" && !result.input_protection.empty()) {
    watch.inputs = result.input_protection;
  }
}

void CaseRuns::note_tool(const ToolResult& result, SanitizerTool tool) {
  verdict_.memory.tool = fmt::format("compute-sanitizer {} {}", result.version, name_of(tool));
}

std::string CaseRuns::first_difference(const OutputSnapshot& before) const {
  const auto found = before.first_difference(arena());
  if (!found) return "an element";
  return fmt::format("{}{} ({:.6g}, then {:.6g})", found->output, found->index, found->before,
                     found->now);
}

}  // namespace kernelloop
