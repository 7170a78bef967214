#include "loop/steering.hpp"

#include "loop/policy.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <system_error>

namespace kernelloop {
namespace {

[[noreturn]] void complain(const JsonDocument& document, const std::string& pointer,
                           const std::string& what) {
  fail(ExitCode::bad_input, "{}: {}; correct it or remove the file and use kernelloop steer",
       document.where(pointer), what);
}

std::string version_at(const JsonDocument& document, const Json& value,
                       const std::string& pointer) {
  if (value.is_string() && version_number(value.get<std::string>()) > 0) {
    return value.get<std::string>();
  }
  complain(document, pointer, "must be a version, as \"v003\"");
}

bool exists(const OpConfig& config, const std::string& version) {
  return std::filesystem::exists(config.version_dir(version_number(version)));
}

// A parent that is not there would be asked about in vain, for money.
std::string parent_at(const OpConfig& config, const JsonDocument& document, const Json& value,
                      const std::string& pointer) {
  std::string version = version_at(document, value, pointer);
  if (exists(config, version)) return version;
  complain(document, pointer,
           fmt::format("there is no version {} in {}", version,
                       (config.generated_dir / config.op).string()));
}

// Every version of the round that a fork is for is there.
bool is_spent(const OpConfig& config, const std::string& fork_version) {
  const int round = config.round_of(version_number(fork_version));
  for (int version = config.first_of_round(round); version <= config.last_of_round(round);
       ++version) {
    if (!exists(config, version_name(version))) return false;
  }
  return round <= config.rounds();
}

void read_fork(const OpConfig& config, const JsonDocument& document, const Json& fork,
               Steering& steering) {
  if (!fork.is_object() || !fork.contains("from") || !fork.contains("for")) {
    complain(document, "/fork", "\"fork\" must have \"from\" and \"for\"");
  }
  const std::string version = version_at(document, fork.at("for"), "/fork/for");
  if (is_spent(config, version)) return;
  steering.fork_parent = parent_at(config, document, fork.at("from"), "/fork/from");
  steering.fork_version = version;
}

void read_rejected(const JsonDocument& document, const Json& rejected, Steering& steering) {
  if (!rejected.is_object()) complain(document, "/rejected", "\"rejected\" must be an object");
  for (const auto& [version, reason] : rejected.items()) {
    if (version_number(version) == 0 || !reason.is_string()) {
      complain(document, "/rejected/" + version, "must be a version with a reason");
    }
    steering.rejected[version] = reason.get<std::string>();
  }
}

Decision start_from(const History& history, const std::string& parent, const char* how) {
  const VersionRecord* record = history.find(parent);
  const bool is_right = record == nullptr || record->outcome == Outcome::verified;
  return {is_right ? Decision::Action::optimise : Decision::Action::fix, parent,
          fmt::format("the engineer {} {}", how, parent)};
}

}  // namespace

std::string Steering::parent_for(const OpConfig& config, int round) const {
  if (!fork_parent.empty() && config.round_of(version_number(fork_version)) == round) {
    return fork_parent;
  }
  return pin;
}

std::filesystem::path steering_file(const OpConfig& config) {
  return config.generated_dir / config.op / "steering.json";
}

Steering load_steering(const OpConfig& config) {
  Steering steering;
  const std::filesystem::path path = steering_file(config);
  if (!std::filesystem::exists(path)) return steering;
  const JsonDocument document = read_json(path);
  if (!document.value.is_object()) complain(document, "", "must be an object");
  for (const auto& [name, value] : document.value.items()) {
    if (name == "schema_version") continue;
    if (name == "pin") {
      steering.pin = parent_at(config, document, value, "/pin");
    } else if (name == "fork") {
      read_fork(config, document, value, steering);
    } else if (name == "rejected") {
      read_rejected(document, value, steering);
    } else {
      complain(document, "/" + name, fmt::format("unknown member \"{}\"", name));
    }
  }
  return steering;
}

void save_steering(const OpConfig& config, const Steering& steering) {
  const std::filesystem::path path = steering_file(config);
  if (steering.empty()) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) fail(ExitCode::io, "cannot remove {}: {}", path.string(), error.message());
    return;
  }
  Json json{{"schema_version", 1}};
  if (!steering.pin.empty()) json["pin"] = steering.pin;
  if (!steering.fork_parent.empty()) {
    json["fork"] = {{"from", steering.fork_parent}, {"for", steering.fork_version}};
  }
  if (!steering.rejected.empty()) json["rejected"] = steering.rejected;
  write_file_if_changed(path, to_text(json));
}

History steered(History history, const Steering& steering, const OpConfig& config) {
  bool rejected = false;
  for (VersionRecord& record : history.versions) {
    const auto found = steering.rejected.find(record.version);
    if (found == steering.rejected.end()) continue;
    rejected = true;
    record.outcome = Outcome::rejected;
    record.failure = "rejected by the engineer: " + found->second;
  }
  if (rejected) {
    PolicySettings settings;
    settings.sol_target = config.sol_target;
    history.decision = decide(history, settings);
  }
  const std::string parent = steering.parent_for(config, history.round + 1);
  if (parent.empty() || steering.rejected.contains(parent)) return history;
  const bool forks = parent == steering.fork_parent &&
                     config.round_of(version_number(steering.fork_version)) == history.round + 1;
  if (forks) {
    history.decision = start_from(history, parent, "forks from");
  } else if (history.decision.action != Decision::Action::stop) {
    history.decision = start_from(history, parent, "has pinned");
  }
  return history;
}

}  // namespace kernelloop
