#include "trace/digest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace kernelloop {
namespace {

struct Interval {
  double begin = 0;
  double end = 0;
};

double quantile_of(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto index =
      static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The time that intervals cover together.
double covered(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  double total = 0;
  double end = -1;
  for (const Interval& one : intervals) {
    if (one.end <= end) continue;
    total += one.end - std::max(one.begin, end);
    end = one.end;
  }
  return total;
}

void describe_blocks(const LaunchTrace& trace, LaunchDigest& digest) {
  struct Block {
    std::int64_t multiprocessor = 0;
    Interval life;
    bool marked = false;
  };
  std::map<std::int64_t, Block> blocks;
  for (const WarpTrace& warp : trace.warps) {
    const auto [at, is_new] = blocks.try_emplace(
        warp.block, Block{warp.multiprocessor, {warp.begin_ns, warp.end_ns}, warp.marked});
    if (is_new) continue;
    at->second.life.begin = std::min(at->second.life.begin, warp.begin_ns);
    at->second.life.end = std::max(at->second.life.end, warp.end_ns);
  }
  digest.traced_blocks = static_cast<std::int64_t>(blocks.size());
  std::map<std::int64_t, std::vector<Interval>> by_multiprocessor;
  std::vector<double> lifetimes;
  for (const auto& [number, block] : blocks) {
    by_multiprocessor[block.multiprocessor].push_back(block.life);
    lifetimes.push_back(block.life.end - block.life.begin);
    digest.marked_blocks += block.marked ? 1 : 0;
    digest.span_ns = std::max(digest.span_ns, block.life.end);
  }
  digest.lifetime_ns = quantile_of(lifetimes, 0.5);
  digest.lifetime_p95_ns = quantile_of(lifetimes, 0.95);
  digest.multiprocessors = by_multiprocessor.size();
  std::vector<double> ends;
  double busiest = 0;
  double busy = 0;
  for (const auto& [multiprocessor, lives] : by_multiprocessor) {
    double begin = lives.front().begin;
    double end = 0;
    for (const Interval& life : lives) {
      begin = std::min(begin, life.begin);
      end = std::max(end, life.end);
    }
    ends.push_back(end);
    digest.ramp_ns = std::max(digest.ramp_ns, begin);
    const double time = covered(lives);
    busiest = std::max(busiest, time);
    busy += time;
    digest.most_blocks = std::max(digest.most_blocks, lives.size());
    digest.least_blocks =
        digest.least_blocks == 0 ? lives.size() : std::min(digest.least_blocks, lives.size());
  }
  if (ends.empty()) return;
  const auto count = static_cast<double>(ends.size());
  digest.tail_ns = digest.span_ns - quantile_of(ends, 0.5);
  if (digest.span_ns > 0) digest.idle_share = 1.0 - busy / (count * digest.span_ns);
  if (busy > 0) digest.imbalance = busiest / (busy / count);
}

void describe_role(const std::vector<const WarpTrace*>& warps, RoleDigest& role) {
  struct Sum {
    double total = 0;
    double self = 0;
    std::size_t cut = 0;
    std::vector<double> durations;
  };
  std::map<std::string, Sum> sums;
  double lifetime = 0;
  double inside = 0;
  for (const WarpTrace* warp : warps) {
    lifetime += warp->end_ns - warp->begin_ns;
    std::vector<Interval> spans;
    for (const TraceSpan& span : warp->spans) {
      if (span.name == k_kernel_scope) continue;
      Sum& sum = sums[span.name];
      sum.total += span.end_ns - span.begin_ns;
      sum.self += span.self_ns;
      sum.cut += span.cut ? 1 : 0;
      sum.durations.push_back(span.end_ns - span.begin_ns);
      spans.push_back({span.begin_ns, span.end_ns});
    }
    inside += covered(std::move(spans));
  }
  if (lifetime <= 0) return;
  role.gap_share = 1.0 - inside / lifetime;
  for (auto& [name, sum] : sums) {
    role.scopes.push_back({name, sum.durations.size(), sum.total / lifetime, sum.self / lifetime,
                           quantile_of(std::move(sum.durations), 0.5), sum.cut});
  }
  std::stable_sort(role.scopes.begin(), role.scopes.end(),
                   [](const ScopeDigest& a, const ScopeDigest& b) { return a.share > b.share; });
}

void describe_roles(const LaunchTrace& trace, LaunchDigest& digest) {
  std::map<std::int64_t, std::set<std::string>> marks;  // by warp number
  for (const WarpTrace& warp : trace.warps) {
    if (!warp.marked) continue;
    for (const TraceSpan& span : warp.spans) marks[warp.warp].insert(span.name);
    for (const TraceInstant& instant : warp.instants) marks[warp.warp].insert(instant.name);
  }
  std::vector<std::pair<std::set<std::string>, RoleDigest>> roles;
  for (const auto& [number, names] : marks) {
    const auto found = std::find_if(roles.begin(), roles.end(), [&names = names](const auto& role) {
      return role.first == names;
    });
    RoleDigest& role =
        found != roles.end() ? found->second : roles.emplace_back(names, RoleDigest{}).second;
    role.warps.push_back(number);
  }
  for (auto& [names, role] : roles) {
    std::vector<const WarpTrace*> warps;
    for (const WarpTrace& warp : trace.warps) {
      if (warp.marked &&
          std::find(role.warps.begin(), role.warps.end(), warp.warp) != role.warps.end()) {
        warps.push_back(&warp);
      }
    }
    describe_role(warps, role);
    digest.roles.push_back(std::move(role));
  }
}

}  // namespace

LaunchDigest digest_of(const LaunchTrace& trace) {
  LaunchDigest digest;
  digest.kernel = trace.launch.kernel;
  digest.blocks = trace.launch.blocks;
  digest.dropped = trace.dropped;
  digest.malformed = trace.malformed;
  digest.unmatched = trace.unmatched;
  digest.unplaced = trace.unplaced;
  digest.every_life = trace.launch.every_life;
  digest.first_marked = std::min(trace.launch.first, trace.launch.blocks);
  digest.marked_distance = std::int64_t{1} << trace.launch.shift;
  describe_blocks(trace, digest);
  describe_roles(trace, digest);
  return digest;
}

Json to_json(const LaunchDigest& digest) {
  Json roles = Json::array();
  for (const RoleDigest& role : digest.roles) {
    Json scopes = Json::array();
    for (const ScopeDigest& scope : role.scopes) {
      scopes.push_back({{"name", scope.name},
                        {"count", scope.count},
                        {"share", scope.share},
                        {"self_share", scope.self_share},
                        {"median_ns", scope.median_ns},
                        {"cut", scope.cut}});
    }
    roles.push_back({{"warps", role.warps}, {"gap_share", role.gap_share}, {"scopes", scopes}});
  }
  return {{"kernel", digest.kernel},
          {"blocks", digest.blocks},
          {"traced_blocks", digest.traced_blocks},
          {"marked_blocks", digest.marked_blocks},
          {"multiprocessors", digest.multiprocessors},
          {"span_ns", digest.span_ns},
          {"lifetime_ns", digest.lifetime_ns},
          {"lifetime_p95_ns", digest.lifetime_p95_ns},
          {"ramp_ns", digest.ramp_ns},
          {"tail_ns", digest.tail_ns},
          {"idle_share", digest.idle_share},
          {"imbalance", digest.imbalance},
          {"least_blocks", digest.least_blocks},
          {"most_blocks", digest.most_blocks},
          {"roles", roles},
          {"dropped", digest.dropped},
          {"malformed", digest.malformed},
          {"unmatched", digest.unmatched},
          {"unplaced", digest.unplaced}};
}

}  // namespace kernelloop
