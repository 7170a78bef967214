#include "product/adopt.hpp"

#include "bench/bench.hpp"
#include "product/adopted.hpp"
#include "product/candidate.hpp"
#include "product/evidence_file.hpp"
#include "product/judged_spec.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"
#include "verify/rules.hpp"

#include <fmt/format.h>

#include "languages/version_source.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

struct Ruling {
  bool adopt = false;
  std::string why;  // follows "adopted v006: " or "kept v004: "
  Comparisons comparisons{};
};

Ruling take(std::string why, Comparisons comparisons = {}) {
  return {true, std::move(why), std::move(comparisons)};
}
Ruling keep(std::string why) { return {false, std::move(why)}; }

// The architectures that a candidate's evidence speaks for. An emulation speaks for all alike.
std::vector<std::string> architectures_of(const OpConfig& config, const Candidate& candidate) {
  if (candidate.device_kind == "cpu" || candidate.architecture.empty()) {
    return config.architectures;
  }
  return {candidate.architecture};
}

const AdoptedVersion* incumbent_of(const Adopted& adopted,
                                   const std::vector<std::string>& architectures) {
  for (const std::string& architecture : architectures) {
    const auto found = adopted.architectures.find(architecture);
    if (found != adopted.architectures.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

bool evidence_holds(const OpConfig& config, const AdoptedVersion& adopted) {
  const std::filesystem::path path = evidence_path(config, adopted.evidence);
  return adopted.rules == k_verification_rules && std::filesystem::exists(path) &&
         sha256_of_file(path) == adopted.evidence_sha256 &&
         changed_since(config, member(read_json_if_there(path), "verify")).empty();
}

bool source_stands(const OpConfig& config, const AdoptedVersion& adopted) {
  const std::filesystem::path source =
      version_source(config.version_dir(version_number(adopted.version)));
  return std::filesystem::exists(source) && sha256_of_file(source) == adopted.source_sha256;
}

std::string noise_text(const Json& comparison) {
  return fmt::format(
      "{}: {:.3f} of its time, noise floor {:.1f} %", comparison.at("verdict").get<std::string>(),
      comparison.at("ratio").get<double>(), 100 * comparison.at("noise_floor").get<double>());
}

Ruling decide_by_rematch(const Candidate& candidate, const AdoptedVersion& incumbent,
                         const Rematch& rematch) {
  Comparisons comparisons;
  // The first picked the best of several noisy times and is biased for it; the second, in a process
  // of its own, is not.
  for (Json* comparison : {&comparisons.first, &comparisons.confirming}) {
    *comparison = rematch(incumbent.version, candidate.version);
    const bool again = comparison == &comparisons.confirming;
    if (comparison->value("status", "") != "compared") {
      return keep(fmt::format("{} could not be timed against it{} ({})", candidate.version,
                              again ? " a second time" : "",
                              comparison->value("reason", "no reason given")));
    }
    if (comparison->at("verdict") != "FASTER") {
      return keep(again ? fmt::format("{} was faster once, but not when it was timed again ({})",
                                      candidate.version, noise_text(*comparison))
                        : fmt::format("{} is not faster by more than the noise ({})",
                                      candidate.version, noise_text(*comparison)));
    }
  }
  const std::string noise = noise_text(comparisons.confirming);
  return take(fmt::format("faster than {} ({})", incumbent.version, noise), std::move(comparisons));
}

// By which the incumbent once won; they still say so, with the rules and the device they were made
// with.
Comparisons comparisons_of(const OpConfig& config, const AdoptedVersion& incumbent) {
  const Json evidence = read_json_if_there(evidence_path(config, incumbent.evidence));
  if (text_member(evidence, "source_sha256") != incumbent.source_sha256) return {};
  return {member(evidence, "first_comparison"), member(evidence, "comparison")};
}

// The incumbent is the candidate itself, from the same source.
Ruling decide_again(const OpConfig& config, const AdoptedVersion& incumbent) {
  return evidence_holds(config, incumbent)
             ? keep("it is still the fastest verified version")
             : take("its evidence was renewed", comparisons_of(config, incumbent));
}

// The incumbent is another version whose source is what was adopted.
Ruling decide_against(const OpConfig& config, const AdoptRequest& request,
                      const Candidate& candidate, const AdoptedVersion& incumbent,
                      const Rematch& rematch) {
  if (request.force) {
    return take(fmt::format("in place of {}, by --force, without a comparison", incumbent.version));
  }
  if (candidate.device_kind != "cpu" && incumbent.device_name != candidate.device_name) {
    return keep(
        fmt::format("it was adopted on {}, and {} was timed on {}; pass --force to replace "
                    "it all the same",
                    incumbent.device_name, candidate.version, candidate.device_name));
  }
  const Examined standing = examine(config, version_number(incumbent.version));
  if (!standing.built) {
    fail(ExitCode::check_failed,
         "{0}: the adopted {1} was not compiled in this build, so {2} cannot be timed against it: "
         "run verify_{0} first, or adopt with --force",
         config.op, incumbent.version, candidate.version);
  }
  if (standing.disproved) {
    return take(fmt::format("{} {}", incumbent.version, standing.reason));
  }
  return decide_by_rematch(candidate, incumbent, rematch);
}

Ruling decide(const OpConfig& config, const AdoptRequest& request, const Candidate& candidate,
              const std::optional<Adopted>& adopted, const Rematch& rematch) {
  if (!adopted) {
    return take("the first adopted version");
  }
  if (candidate.device_kind == "cpu") {
    if (const AdoptedVersion* on_gpu = adopted->on_gpu()) {
      return keep(
          fmt::format("it has evidence from {}, which evidence from the CPU device never "
                      "replaces",
                      on_gpu->device_name));
    }
  }
  const AdoptedVersion* incumbent = incumbent_of(*adopted, architectures_of(config, candidate));
  if (incumbent == nullptr) {
    return take("the first adopted version for its architecture");
  }
  if (incumbent->device_kind == "cpu" && candidate.device_kind != "cpu") {
    return take("its evidence comes from a GPU");
  }
  if (incumbent->version == candidate.version &&
      incumbent->source_sha256 == candidate.source_sha256) {
    return decide_again(config, *incumbent);
  }
  if (!source_stands(config, *incumbent)) {
    return take(fmt::format("{} was edited or removed since it was adopted", incumbent->version));
  }
  return decide_against(config, request, candidate, *incumbent, rematch);
}

// The version that is asked for, or the fastest.
const Candidate& choose(const OpConfig& config, const AdoptRequest& request,
                        const std::vector<Examined>& versions) {
  if (!request.version.empty()) {
    const auto found = std::find_if(versions.begin(), versions.end(), [&](const Examined& one) {
      return one.version == request.version;
    });
    if (found == versions.end()) {
      fail(ExitCode::check_failed, "{}: there is no version {} in {}", config.op, request.version,
           (config.generated_dir / config.op).string());
    }
    if (!found->candidate) {
      fail(ExitCode::check_failed, "{0}: {1} cannot be adopted: it {2}; run bench_{0} first",
           config.op, found->version, found->reason);
    }
    return *found->candidate;
  }
  if (const Candidate* best = fastest(config, versions)) {
    return *best;
  }
  if (versions.empty()) {
    fail(ExitCode::check_failed, "{0}: there is no version in {1}; run optimize_{0} first",
         config.op, (config.generated_dir / config.op).string());
  }
  std::string reasons;
  for (const Examined& one : versions) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", one.version, one.reason);
  }
  fail(ExitCode::check_failed, "{0}: no version is verified and timed: {1}; run bench_{0} first",
       config.op, reasons);
}

void record(const OpConfig& config, const Candidate& candidate, const Comparisons& comparisons,
            Adopted adopted) {
  const Json evidence = evidence_json(config, candidate, comparisons);
  const std::string text = to_text(evidence);
  AdoptedVersion entry;
  entry.version = candidate.version;
  entry.source_sha256 = candidate.source_sha256;
  entry.device_kind = candidate.device_kind;
  entry.device_name = candidate.device_name;
  entry.evidence = evidence_name(config, candidate.device_kind, candidate.device_name);
  entry.evidence_sha256 = sha256(text);
  entry.time_us = candidate.time_us;
  entry.sol = candidate.sol;
  entry.rules = candidate.files.verified.value("rules", 0);
  adopted.op = config.op;
  for (const std::string& architecture : architectures_of(config, candidate)) {
    adopted.architectures[architecture] = entry;
  }
  const std::filesystem::path path = evidence_path(config, entry.evidence);
  std::filesystem::create_directories(path.parent_path());
  write_file_if_changed(path, text);
  // Last: it points at what stands already.
  write_file_if_changed(config.adopted_file(), to_text(to_json(adopted)));
}

std::string kept_version(const Adopted& adopted, const std::vector<std::string>& architectures) {
  const AdoptedVersion* incumbent = incumbent_of(adopted, architectures);
  return (incumbent != nullptr ? *incumbent : *adopted.on_gpu()).version;
}

}  // namespace

AdoptResult adopt(const OpConfig& config, const AdoptRequest& request, const Rematch& rematch) {
  std::filesystem::create_directories(config.build_dir);
  const FileLock lock(config.build_dir / "adopt.lock");
  const std::vector<Examined> versions = examine_all(config);
  const Candidate& candidate = choose(config, request, versions);
  const std::optional<Adopted> adopted = read_adopted(config.adopted_file());
  const Ruling decision = decide(config, request, candidate, adopted, rematch);
  if (!decision.adopt) {
    return {false,
            fmt::format("{}: kept {}: {}", config.op,
                        kept_version(*adopted, architectures_of(config, candidate)), decision.why)};
  }
  record(config, candidate, decision.comparisons, adopted.value_or(Adopted{}));
  const std::string time = time_text(candidate.time_us);
  return {true,
          fmt::format("{}: adopted {}: {}; {}", config.op, candidate.version, decision.why,
                      candidate.device_kind == "cpu" ? time + " wall on the CPU device (emulation)"
                                                     : time + " on " + candidate.device_name)};
}

}  // namespace kernelloop
