#include "bench/referee.hpp"

#include "support/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kernelloop {
namespace {

// Between two events and around one kernel there are 2.2 to 2.8 us on an H200 in which no kernel
// runs, 1.3 to 2.6 more before each further one, and recording adds 0.4 to each
// (docs/measurement.md). The limits leave as much again.
constexpr double k_around_us = 5.0;
constexpr double k_between_us = 6.0;
// The two clocks tick in steps of 32 ns and agree to less than this share.
constexpr double k_clock_share = 0.01;
constexpr double k_clock_us = 0.5;
// Timed launches and those that were seen differ by clocks, not by a fifth.
constexpr double k_timed_share = 0.8;

const char* what(Activity::Kind kind) {
  switch (kind) {
    case Activity::Kind::kernel:
      return "a kernel";
    case Activity::Kind::copy:
      return "a copy";
    case Activity::Kind::fill:
      return "a fill";
    case Activity::Kind::allocation:
      return "an allocation";
  }
  return "something";
}

std::string text_of(const Activity& one) {
  if (one.kind == Activity::Kind::kernel) return fmt::format("kernel {}", one.name);
  return fmt::format("{} of {} bytes", what(one.kind), one.bytes);
}

std::string geometry(const Activity& seen, const ResolvedLaunch& launch) {
  const auto differs = [&](const char* name, const auto& got, const auto& planned) {
    return got == planned ? std::string()
                          : fmt::format("kernel {} ran with {} [{}], the plan says [{}]", seen.name,
                                        name, fmt::join(got, ", "), fmt::join(planned, ", "));
  };
  for (const std::string& difference :
       {differs("grid", seen.grid, launch.grid), differs("block", seen.block, launch.block),
        launch.has_cluster ? differs("cluster", seen.cluster, launch.cluster) : std::string()}) {
    if (!difference.empty()) return difference;
  }
  if (seen.dynamic_shared_bytes != launch.dynamic_shared_bytes) {
    return fmt::format("kernel {} ran with {} bytes of dynamic shared memory, the plan says {}",
                       seen.name, seen.dynamic_shared_bytes, launch.dynamic_shared_bytes);
  }
  return {};
}

// The time in which at least one of them ran.
double busy_us(std::vector<const Activity*> kernels) {
  std::sort(kernels.begin(), kernels.end(),
            [](const Activity* a, const Activity* b) { return a->begin_us < b->begin_us; });
  double busy = 0;
  double until = 0;
  for (const Activity* kernel : kernels) {
    const double begin =
        kernel == kernels.front() ? kernel->begin_us : std::max(kernel->begin_us, until);
    busy += std::max(0.0, kernel->end_us - begin);
    until = kernel == kernels.front() ? kernel->end_us : std::max(until, kernel->end_us);
  }
  return busy;
}

// What an iteration shows; in the order in which it ran.
std::string compare_with_plan(const ResolvedPlan& plan,
                              const std::vector<const Activity*>& records) {
  for (const Activity* one : records) {
    if (one->kind != Activity::Kind::kernel) {
      return fmt::format("{}, which no plan declares", text_of(*one));
    }
    if (!one->in_stream) {
      return fmt::format("kernel {} ran outside the stream that is timed", one->name);
    }
  }
  std::vector<std::string> planned;
  std::vector<std::string> seen;
  for (const ResolvedLaunch& launch : plan.launches) planned.push_back(launch.kernel);
  for (const Activity* one : records) seen.push_back(one->name);
  if (seen != planned) {
    return fmt::format("the kernels {} ran, the plan launches {}", fmt::join(seen, ", "),
                       fmt::join(planned, ", "));
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (std::string difference = geometry(*records[i], plan.launches[i]); !difference.empty()) {
      return difference;
    }
  }
  return {};
}

std::string compare_with_events(double event_us, double kernels_us, std::size_t launches,
                                bool held) {
  if (kernels_us > event_us * (1.0 + k_clock_share) + k_clock_us) {
    return fmt::format(
        "kernels ran for {:.2f} us, the events are {:.2f} us apart: work outside the events",
        kernels_us, event_us);
  }
  const double most = kernels_us * (1.0 + k_clock_share) + k_around_us +
                      k_between_us * static_cast<double>(launches - 1);
  if (held && event_us > most) {
    return fmt::format(
        "the events are {:.2f} us apart, and kernels ran for {:.2f} us of them: something that is "
        "no kernel took time",
        event_us, kernels_us);
  }
  return {};
}

}  // namespace

const char* name_of(RefereeVerdict::Status status) {
  switch (status) {
    case RefereeVerdict::Status::agreed:
      return "agreed";
    case RefereeVerdict::Status::disagreed:
      return "disagreed";
    case RefereeVerdict::Status::unavailable:
      break;
  }
  return "unavailable";
}

RefereeVerdict referee(const ResolvedPlan& plan, const ActivityResult& activity) {
  RefereeVerdict verdict;
  const auto end_with = [&](RefereeVerdict::Status status, std::string reason) {
    verdict.status = status;
    verdict.reason = std::move(reason);
    return verdict;
  };
  if (!activity.reason.empty()) {
    return end_with(RefereeVerdict::Status::unavailable, activity.reason);
  }
  if (activity.dropped > 0 || activity.event_us.empty()) {
    return end_with(RefereeVerdict::Status::unavailable,
                    fmt::format("{} records of what the GPU did were lost", activity.dropped));
  }
  verdict.iterations = static_cast<int>(activity.event_us.size());
  std::vector<std::vector<const Activity*>> of(activity.event_us.size());
  for (const Activity& one : activity.records) {
    if (one.iteration == Activity::k_nobody) {
      return end_with(RefereeVerdict::Status::disagreed,
                      fmt::format("{} was seen that no launch of the plan caused", text_of(one)));
    }
    of[static_cast<std::size_t>(one.iteration)].push_back(&one);
  }
  std::vector<double> busy;
  std::vector<std::vector<double>> each(plan.launches.size());
  for (auto& records : of) {
    std::stable_sort(records.begin(), records.end(), [](const Activity* a, const Activity* b) {
      return a->begin_us < b->begin_us;
    });
    if (std::string difference = compare_with_plan(plan, records); !difference.empty()) {
      return end_with(RefereeVerdict::Status::disagreed, std::move(difference));
    }
    busy.push_back(busy_us(records));
    for (std::size_t i = 0; i < records.size(); ++i) {
      each[i].push_back(records[i]->end_us - records[i]->begin_us);
    }
  }
  verdict.event_us = median(activity.event_us);
  verdict.kernels_us = median(busy);
  for (std::size_t i = 0; i < each.size(); ++i) {
    verdict.kernels.push_back({plan.launches[i].kernel, median(each[i])});
  }
  if (std::string difference = compare_with_events(verdict.event_us, verdict.kernels_us,
                                                   plan.launches.size(), activity.held);
      !difference.empty()) {
    return end_with(RefereeVerdict::Status::disagreed, std::move(difference));
  }
  verdict.status = RefereeVerdict::Status::agreed;
  return verdict;
}

std::string contradiction(const RefereeVerdict& verdict, double timed_us) {
  if (verdict.status != RefereeVerdict::Status::agreed) return {};
  if (timed_us >= k_timed_share * verdict.kernels_us - k_clock_us) return {};
  return fmt::format(
      "timed launches took {:.2f} us, and the kernels ran for {:.2f} us when they were watched",
      timed_us, verdict.kernels_us);
}

}  // namespace kernelloop
