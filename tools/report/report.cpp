#include "report/report.hpp"

#include <algorithm>

namespace kernelloop {

double ReportWorkload::all_flops() const {
  double sum = 0.0;
  for (const auto& [kind, count] : flops) sum += count;
  return sum;
}

bool Report::from_build() const {
  return std::any_of(versions.begin(), versions.end(),
                     [](const ReportVersion& one) { return one.measured_by == "build"; });
}

const ReportVersion* Report::shown() const {
  const ReportVersion* best = nullptr;
  for (const ReportVersion& one : versions) {
    if (!one.time_us) continue;
    if (one.version == adopted) return &one;
    if (one.outcome == "verified" && (best == nullptr || *one.time_us < *best->time_us)) {
      best = &one;
    }
  }
  return best;
}

const ReportBaseline* Report::best_baseline() const {
  const ReportBaseline* best = nullptr;
  for (const ReportBaseline& one : baselines) {
    if (one.time_us && (best == nullptr || *one.time_us < *best->time_us)) best = &one;
  }
  return best;
}

}  // namespace kernelloop
