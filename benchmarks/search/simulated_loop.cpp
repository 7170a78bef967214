#include "simulated_loop.hpp"

#include "support/random.hpp"
#include "support/version.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

using Action = Decision::Action;

class SimulatedLoop {
 public:
  SimulatedLoop(SimulatedModel model, std::uint64_t seed)
      : model_(model), random_(seed, "simulated loop") {
    run_.history.op = "simulated" + std::to_string(seed);
    run_.history.device_kind = "cuda";
  }

  SimulatedRun run(const Policy& policy, int most_versions, const Watcher& watcher) {
    Decision next{Action::seed, "", ""};
    while (next.action != Action::stop && version_count() < most_versions) {
      run_.decisions.push_back(next);
      add_version(next);
      next = policy(run_.history);
      run_.history.decision = next;
      if (watcher && !watcher(run_)) break;
    }
    return std::move(run_);
  }

 private:
  [[nodiscard]] int version_count() const { return static_cast<int>(run_.truth.size()); }
  double chance() { return random_.uniform(drawn_++); }
  double between(double low, double high) { return low + (high - low) * chance(); }

  void add_version(const Decision& decision) {
    History& history = run_.history;
    VersionRecord record;
    record.version = version_name(version_count() + 1);
    record.round = ++history.round;
    record.mode = name_of(decision.action);
    record.parent = decision.parent;
    SimulatedVersion truth;
    ++run_.requests;
    if (version_count() > 0 && sends_again()) {
      truth = run_.truth.back();
      truth.right = false;  // not as a version of its own
      record.outcome = Outcome::duplicate;
      record.failure = "the same source as " + version_name(version_count());
    } else {
      truth = answer(decision);
      judge(truth, record);
    }
    history.versions.push_back(record);
    run_.truth.push_back(truth);
  }

  // Told once that the source is an old one, the model gets another go.
  bool sends_again() {
    if (chance() >= model_.repeat) return false;
    ++run_.requests;
    return chance() < model_.repeat;
  }

  SimulatedVersion answer(const Decision& decision) {
    if (decision.action == Action::seed) return new_idea();
    const SimulatedVersion parent =
        run_.truth.at(static_cast<std::size_t>(version_number(decision.parent) - 1));
    SimulatedVersion made = parent;
    if (decision.action == Action::fix) {
      made.right = chance() < model_.repair;
      return made;
    }
    if (decision.action == Action::branch) return idea_beside(parent);
    // What is left to win shrinks with every step; some steps make it worse.
    const bool better = chance() < model_.better;
    const double left =
        (parent.time_us - parent.floor_us) * (better ? between(0.3, 0.9) : between(1.0, 1.4));
    made.time_us = parent.floor_us + left;
    made.right = chance() < model_.right;
    return made;
  }

  // Most ideas end far from the roof, few near it.
  SimulatedVersion new_idea() {
    SimulatedVersion made;
    made.floor_us = model_.roof_us * 1.03 * std::exp(1.2 * chance());
    made.time_us = made.floor_us * between(1.3, 2.5);
    made.right = chance() < model_.right;
    return made;
  }

  // Half of the other ideas keep something of what they leave, for better or worse.
  SimulatedVersion idea_beside(const SimulatedVersion& parent) {
    SimulatedVersion made = new_idea();
    if (chance() < 0.5) {
      made.floor_us = std::max(1.03 * model_.roof_us, parent.floor_us * between(0.6, 1.3));
      made.time_us = made.floor_us * between(1.1, 1.8);
    }
    return made;
  }

  void judge(const SimulatedVersion& truth, VersionRecord& record) {
    if (truth.right) {
      record.outcome = Outcome::verified;
      record.time_us = truth.time_us * (1.0 + model_.noise * between(-1.0, 1.0));
      record.sol = model_.roof_us / *record.time_us;
      return;
    }
    // Errors of the compiler are mended in the conversation, for a request more.
    run_.requests += chance() < 0.5 ? 1 : 0;
    record.outcome = chance() < 0.3 ? Outcome::compile_failed : Outcome::wrong;
    record.failure = "rung smoke failed";
    if (model_.claims) {
      record.outcome = Outcome::wrong;
      record.change = "now at the roofline";
      record.time_us = 0.1 * model_.roof_us;
      record.sol = 0.99;
    }
  }

  SimulatedModel model_;
  RandomStream random_;
  std::uint64_t drawn_ = 0;
  SimulatedRun run_;
};

}  // namespace

SimulatedRun simulate(const SimulatedModel& model, const Policy& policy, int most_versions,
                      std::uint64_t seed, const Watcher& watcher) {
  return SimulatedLoop(model, seed).run(policy, most_versions, watcher);
}

}  // namespace kernelloop
