#include "loop/learn.hpp"

#include "loop/evidence.hpp"
#include "loop/feedback.hpp"
#include "loop/policy.hpp"
#include "support/files.hpp"

namespace kernelloop {

History learn(const OpConfig& config, int round, double sol_target) {
  History history;
  if (round > 1) {
    history = history_from_json(read_json(config.history_dir(round - 1) / "history.json"));
  }
  history.op = config.op;
  history.round = round;
  history.device_kind = config.device;

  history.baselines = load_baselines(config);

  const bool had_stopped = history.decision.action == Decision::Action::stop;
  std::vector<VersionEvidence> evidence;
  std::string stop_reason;
  for (int version = config.first_of_round(round); version <= config.last_of_round(round);
       ++version) {
    VersionEvidence one = load_evidence(config, version);
    if (one.stopped()) {
      stop_reason = one.proposed.value("reason", "no version was proposed");
      continue;
    }
    if (const auto device = device_of(one)) {
      history.device_kind = device->kind;
      history.device_name = device->name;
    }
    history.versions.push_back(record_of(one, round));
    evidence.push_back(std::move(one));
  }

  // After a stop the rest copies through and keeps the reason, unless somebody added a version. The
  // provider may stop a loop too: a recording that ends.
  if (evidence.empty() && !stop_reason.empty()) {
    if (!had_stopped) history.decision = {Decision::Action::stop, "", stop_reason};
  } else {
    PolicySettings settings;
    settings.sol_target = sol_target;
    history.decision = decide(history, settings);
  }
  write_file_if_changed(config.history_dir(round) / "history.json", to_text(to_json(history)));
  write_file_if_changed(config.history_dir(round) / "feedback.md",
                        feedback_text(history, evidence));
  return history;
}

}  // namespace kernelloop
