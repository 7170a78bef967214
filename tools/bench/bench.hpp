// The bench step: times a verified version and writes the verdict (docs/formats.md, bench.json).
#pragma once

#include "bench/timing_device.hpp"
#include "bench/workload_case.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"
#include "verify/compiled_version.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace kernelloop {

// Whether the outputs in a set of a case are right, by the reference: nothing, or what is wrong.
using OutputJudge =
    std::function<std::optional<std::string>(const WorkloadCase& one, std::size_t set)>;

struct BenchRequest {
  const OpSpec* spec = nullptr;     // of timing.json
  CompiledVersion compiled;         // for `device`
  Json verified;                    // verify.json
  std::string device;               // "cuda" | "cpu"
  std::filesystem::path cache_dir;  // of measured ceilings
  std::uint64_t seed = 0;           // of the inputs
  // Asked when a timed launch and a fresh run disagree bit for bit, which a kernel that adds in no
  // fixed order may do. Without it, such a version fails.
  OutputJudge judge;
};

struct BenchReport {
  Json bench;    // bench.json
  Json samples;  // samples.json
};

// A version that is not verified, has no artefact for the device or misbehaves is a value: status
// "skipped" or "failed" with the reason. Throws Error for what is not its doing: no device, no
// memory, verify.json of another source.
BenchReport bench(const BenchRequest& request, TimingDevice& device);

// One line for people, from bench.json: "softmax v003  41.2 µs  88 % of the roof  NVIDIA
// H200". CPU times say that they are wall times of an emulation.
std::string summary_line(const Json& bench);

// "812 ns", "41.2 µs", "3.10 ms", "1.25 s".
std::string time_text(double microseconds);

}  // namespace kernelloop
