#include "device/reply_check.hpp"

#include "device/tensor_arena.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cmath>

namespace kernelloop {
namespace {

void require(bool holds, const char* what) {
  if (!holds) fail(ExitCode::internal, "a reply has {}", what);
}

void check_samples(const std::vector<TimeSample>& samples, std::size_t sets) {
  for (const TimeSample& sample : samples) {
    require(std::isfinite(sample.us) && sample.us >= 0, "a time that is none");
    require(std::isfinite(sample.clock_mhz) && sample.clock_mhz >= 0, "a clock rate that is none");
    require(sample.set >= 0 && static_cast<std::size_t>(sample.set) < sets, "an unknown set");
  }
}

void check_activity(const ActivityResult& activity) {
  const auto iterations = static_cast<int>(activity.event_us.size());
  for (const double us : activity.event_us) {
    require(std::isfinite(us) && us >= 0, "a time that is none");
  }
  for (const Activity& one : activity.records) {
    require(one.kind >= Activity::Kind::kernel && one.kind <= Activity::Kind::allocation,
            "an unknown kind of activity");
    require(one.iteration >= Activity::k_nobody && one.iteration < iterations,
            "an unknown iteration");
    require(std::isfinite(one.begin_us) && std::isfinite(one.end_us), "a time that is none");
  }
}

}  // namespace

void check_reply(const RunResult& result, const RunRequest& request) {
  const std::vector<TensorPlace>& places = request.arena->state().places;
  for (const std::string& name : result.changed_inputs) {
    require(
        std::any_of(places.begin(), places.end(),
                    [&](const TensorPlace& place) { return !place.output && place.name == name; }),
        "an unknown input");
  }
  require(result.fault || result.digest || !request.digest_seed, "no digest");
  check_activity(result.activity);
}

void check_reply(const TimeResult& result, const TimeRequest& request) {
  const std::size_t variants = request.variants.size();
  require(result.faulty_variant >= -1 && result.faulty_variant < static_cast<int>(variants),
          "an unknown variant");
  require(result.samples.size() == variants || (result.fault && result.samples.size() <= variants),
          "samples of other variants");
  for (const std::vector<TimeSample>& samples : result.samples) {
    check_samples(samples, request.sets.size());
  }
  require(result.launches_per_sample >= 1 && result.addresses >= 1, "counts that are none");
  require(std::isfinite(result.power_watts), "a power that is none");
  for (const int set : result.unlike) {
    require(set >= 0 && static_cast<std::size_t>(set) < request.sets.size(), "an unknown set");
  }
  require(result.rechecks.count >= 0 && result.rechecks.differing >= 0, "negative counts");
}

}  // namespace kernelloop
