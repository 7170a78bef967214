#include "loop/tuning.hpp"

#include "loop/policy.hpp"

#include <algorithm>
#include <limits>

namespace kernelloop {
namespace {

// A version and the configurations of it that were tried.
struct Family {
  std::int64_t tried = 1;
  double best_us = std::numeric_limits<double>::infinity();

  void add(const VersionRecord& record) {
    if (record.outcome == Outcome::verified && record.time_us) {
      best_us = std::min(best_us, *record.time_us);
    }
  }
};

Family family_of(const VersionRecord& base, const History& history) {
  Family family;
  family.add(base);
  for (const VersionRecord& record : history.versions) {
    if (record.mode != "tune" || record.parent != base.version) continue;
    ++family.tried;
    family.add(record);
  }
  return family;
}

}  // namespace

std::optional<Tuning> tuning_of(const History& history, double within) {
  const VersionRecord* best = history.best();
  if (best == nullptr) return std::nullopt;
  std::optional<Tuning> found;
  double limit_us = within * *best->time_us;
  for (const VersionRecord& record : history.versions) {
    if (record.outcome != Outcome::verified) continue;
    const Family family = family_of(record, history);
    if (family.tried >= record.configurations || family.best_us > limit_us) continue;
    limit_us = family.best_us;
    found = Tuning{&record, family.tried};
  }
  return found;
}

std::optional<Tuning> tuning_for(const History& history, const OpConfig& config, int version) {
  if (history.decision.action != Decision::Action::tune) return std::nullopt;
  auto tuning = tuning_of(history, PolicySettings{}.good_within);
  const int first = std::max(config.first_of_round(config.round_of(version)),
                             static_cast<int>(config.languages.size()) + 1);
  if (!tuning || version < first) return std::nullopt;
  tuning->next += version - first;
  if (tuning->next >= tuning->base->configurations) return std::nullopt;
  return tuning;
}

Decision decision_for(const History& history, const OpConfig& config, int version) {
  const bool tunes = history.decision.action == Decision::Action::tune;
  if (!tunes || tuning_for(history, config, version)) return history.decision;
  return refine(*history.best());
}

}  // namespace kernelloop
