#include "verify/verdict.hpp"

#include "support/rounded.hpp"
#include "support/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json element(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json gate_json(const Gate& gate) {
  return {{"metric", gate.metric},
          {"limit", finite_or_null(gate.limit)},
          {"value", finite_or_null(gate.value)},
          {"margin", finite_or_null(gate.margin)},
          {"passed", gate.passed}};
}

// Of a hidden case: which gates there were and whether they passed. Limits and values depend on the
// shape and the data, and would tell about them.
Json hidden_output_json(const OutputVerdict& output) {
  Json gates = Json::array();
  for (const Gate& gate : output.gates) {
    gates.push_back({{"metric", gate.metric}, {"passed", gate.passed}});
  }
  return {{"name", output.name}, {"gates", gates}};
}

Json output_json(const OutputVerdict& output) {
  Json metrics = Json::object();
  for (const auto& [name, value] : named_metrics(output.metrics)) {
    metrics[name] = finite_or_null(value);
  }
  Json gates = Json::array();
  for (const Gate& gate : output.gates) gates.push_back(gate_json(gate));
  Json json{{"name", output.name}, {"metrics", metrics}, {"gates", gates}};
  if (output.metrics.worst >= 0) {
    json["worst"] = {{"index", output.worst},
                     {"got", element(output.got)},
                     {"expected", element(output.expected)}};
  }
  json["pattern"] = output.pattern;
  return json;
}

Json memory_json(const MemoryWatch& watch) {
  Json json{{"placements", watch.placements}, {"inputs", watch.inputs}};
  if (!watch.tool.empty()) json["tool"] = watch.tool;
  return json;
}

Json case_json(const CaseVerdict& verdict) {
  Json json{{"name", verdict.name}};
  if (!verdict.hidden) {
    json["axes"] = verdict.axes;
    json["seed"] = verdict.seed;
    if (!verdict.family.empty()) json["family"] = verdict.family;
  }
  json["status"] = name_of(verdict.status);
  if (verdict.fault) {
    json["fault"] = {{"kind", verdict.fault->kind}, {"message", verdict.fault->message}};
  }
  if (!verdict.note.empty()) json["note"] = verdict.note;
  if (!verdict.memory.placements.empty()) json["memory"] = memory_json(verdict.memory);
  json["outputs"] = Json::array();
  for (const OutputVerdict& output : verdict.outputs) {
    json["outputs"].push_back(verdict.hidden ? hidden_output_json(output) : output_json(output));
  }
  return json;
}

std::string failed_gates(const OutputVerdict& output, bool hidden) {
  std::string text;
  for (const Gate& gate : output.gates) {
    if (gate.passed) continue;
    if (hidden) {
      text += (text.empty() ? "" : ", ") + gate.metric;
      continue;
    }
    const bool larger_is_better = gate.metric == "psnr" || gate.metric == "cosine";
    text +=
        fmt::format("{}{} {} {} {}", text.empty() ? "" : ", ", gate.metric, beside_one(gate.value),
                    larger_is_better ? "<" : ">", beside_one(gate.limit));
  }
  return text;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::not_runnable:
      return "not_runnable";
    case Verdict::skipped:
      return "skipped";
  }
  return "failed";
}

void VerificationCost::add(const VerificationCost& other) {
  draw += other.draw;
  reference += other.reference;
  candidate += other.candidate;
  judge += other.judge;
}

Json to_json(const VerificationCost& cost) {
  return {{"draw", rounded_to_milliseconds(cost.draw)},
          {"reference", rounded_to_milliseconds(cost.reference)},
          {"candidate", rounded_to_milliseconds(cost.candidate)},
          {"judge", rounded_to_milliseconds(cost.judge)}};
}

VerificationCost cost_of(const RungVerdict& rung) {
  VerificationCost cost;
  for (const CaseVerdict& verdict : rung.cases) cost.add(verdict.cost);
  return cost;
}

Json to_json(const RungVerdict& rung) {
  Json cases = Json::array();
  for (const CaseVerdict& verdict : rung.cases) cases.push_back(case_json(verdict));
  Json json{{"name", rung.name},
            {"status", name_of(rung.status)},
            {"reason", rung.reason},
            {"cost_s", to_json(cost_of(rung))},
            {"cases", cases}};
  if (!rung.notes.empty()) json["notes"] = rung.notes;
  return json;
}

std::string failure_text(const CaseVerdict& verdict) {
  if (verdict.fault) return fmt::format("{}: {}", verdict.fault->kind, verdict.fault->message);
  for (const OutputVerdict& output : verdict.outputs) {
    if (output.passed) continue;
    std::string text = fmt::format("{}: {}", output.name, failed_gates(output, verdict.hidden));
    text += verdict.hidden ? " beyond the limit" : "; " + output.pattern;
    return text;
  }
  return verdict.note;
}

}  // namespace kernelloop
