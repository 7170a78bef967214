#include "product/evidence_file.hpp"

#include "bench/bench.hpp"
#include "bench/rematch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

namespace kernelloop {
namespace {

bool is_private_member(const std::string& name) { return name == "uuid"; }

Json published(const Json& value) {
  if (value.is_object()) {
    Json result = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (!is_private_member(name)) {
        result[name] = published(member);
      }
    }
    return result;
  }
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& element : value) {
      result.push_back(published(element));
    }
    return result;
  }
  if (value.is_string() && value.get_ref<const std::string&>().starts_with('/')) {
    return std::filesystem::path(value.get<std::string>()).filename().string();
  }
  return value;
}

Json resources(const OpConfig& config, const Json& compiled) {
  return {{"kernels", compiled.value("kernels", Json::array())},
          {"options", config.compile_options},
          {"toolchain", published(compiled.value("toolchain", Json::object()))}};
}

std::string percent(const Json& fraction) {
  return fraction.is_number() ? fmt::format("{:.0f} %", 100 * fraction.get<double>())
                              : std::string("–");
}

std::string timing_table(const Json& bench) {
  const bool on_cpu = bench.value("mode", "") == "wall";
  std::string text =
      on_cpu ? "## Time (wall time of the emulation, no GPU time)\n\n" : "## Time (cold L2)\n\n";
  text += "| workload | median | 25 % to 75 % | spread | samples | GB/s | of the roof |\n";
  text += "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Json& one : bench.at("workloads")) {
    text += fmt::format(
        "| {} | {} | {} to {} | {:.1f} % | {} | {} | {} |\n", one.at("name").get<std::string>(),
        time_text(one.at("median_us").get<double>()), time_text(one.at("p25_us").get<double>()),
        time_text(one.at("p75_us").get<double>()), 100 * one.at("spread").get<double>(),
        one.at("samples").get<std::size_t>(),
        on_cpu ? std::string("–")
               : fmt::format("{:.0f}", one.at("bytes_per_second").get<double>() / 1e9),
        percent(one.value("sol", Json())));
  }
  const Json& summary = bench.at("summary");
  text += fmt::format("\nWeighted geometric mean: {}, {} of the roof. Clocks: {}.\n",
                      time_text(summary.at("time_us").get<double>()),
                      percent(summary.value("sol", Json())), bench.value("clocks", "unknown"));
  const Json ceilings = bench.value("ceilings", Json::object());
  if (ceilings.contains("roofs")) {
    text += fmt::format(
        "Roof of a copy: {:.0f} GB/s (read and written), measured over buffers of {} MiB. Smaller "
        "shapes cannot reach it.\n",
        ceilings.at("roofs").value("copy", 0.0) / 1e9,
        ceilings.value("buffer_bytes", std::int64_t{0}) >> 20);
  }
  return text;
}

std::string verification_table(const Json& verify) {
  std::string text = "\n## Verification\n\n| rung | verdict | cases |\n| --- | --- | --- |\n";
  for (const Json& rung : verify.value("rungs", Json::array())) {
    text += fmt::format("| {} | {} | {} |\n", rung.value("name", ""), rung.value("status", ""),
                        rung.value("cases", Json::array()).size());
  }
  return text + fmt::format("\nVerification rules: {}.\n", verify.value("rules", 0));
}

std::string count_text(const Json& kernel, const char* member) {
  const auto found = kernel.find(member);
  return found != kernel.end() && found->is_number() ? found->dump() : std::string("–");
}

std::string resource_table(const Json& compile) {
  std::string text =
      "\n## Resources\n\n| kernel | registers | spill stores | spill loads | stack | static shared "
      "|\n| --- | --- | --- | --- | --- | --- |\n";
  for (const Json& kernel : compile.at("kernels")) {
    text += fmt::format("| {} | {} | {} B | {} B | {} B | {} B |\n", kernel.value("name", ""),
                        count_text(kernel, "registers"), count_text(kernel, "spill_store_bytes"),
                        count_text(kernel, "spill_load_bytes"), count_text(kernel, "stack_bytes"),
                        count_text(kernel, "static_shared_bytes"));
  }
  return text;
}

}  // namespace

Json evidence_json(const OpConfig& config, const Candidate& candidate,
                   const Comparisons& comparisons) {
  const Json& bench = candidate.files.measured;
  const Json& verify = candidate.files.verified;
  return {{"schema_version", 1},
          {"op", config.op},
          {"version", candidate.version},
          {"status", "verified"},
          {"source_sha256", candidate.source_sha256},
          {"rules",
           {{"verification", verify.value("rules", 0)}, {"measurement", bench.value("rules", 0)}}},
          {"device", published(bench.value("device", Json::object()))},
          {"clocks", bench.value("clocks", "unknown")},
          {"verify", published(verify)},
          {"bench", published(bench)},
          {"compile", resources(config, candidate.files.compiled)},
          {"first_comparison", published(comparisons.first)},
          {"comparison", published(comparisons.confirming)}};
}

std::string evidence_report(const Json& evidence) {
  const Json& device = evidence.at("device");
  std::string text = fmt::format("# {} {}\n\n", evidence.at("op").get<std::string>(),
                                 evidence.at("version").get<std::string>());
  text += fmt::format("Adopted on {}{}. Driver: {}. Source: sha256 {}.\n\n",
                      device.value("name", "an unknown device"),
                      device.value("kind", "") == "cpu" ? " (the CPU device, an emulation)" : "",
                      device.value("driver", "unknown"),
                      evidence.at("source_sha256").get<std::string>());
  if (const Json& comparison = evidence.at("comparison"); comparison.is_object()) {
    text += rematch_line(comparison) + ".\n\n";
  }
  return text + timing_table(evidence.at("bench")) + verification_table(evidence.at("verify")) +
         resource_table(evidence.at("compile"));
}

}  // namespace kernelloop
