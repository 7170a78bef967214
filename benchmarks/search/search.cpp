// Compares search policies over simulated models and prints a table in Markdown:
//   search_benchmark [<seeds>] [<most versions>]
#include "loop/policy.hpp"
#include "support/random.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include "simulated_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

using Action = Decision::Action;

constexpr double k_target = 1.5;  // times the roof

Decision ours(const History& history) { return decide(history, PolicySettings{}); }

// The policy without its stops, to see what a stop gives away.
Decision ours_without_plateau(const History& history) {
  PolicySettings settings;
  settings.stop_after = settings.give_up_after = settings.duplicate_rounds = 1 << 20;
  return decide(history, settings);
}

bool is_reached(const VersionRecord* best) {
  return best != nullptr && best->sol && *best->sol >= PolicySettings{}.sol_target;
}

Decision always_seed(const History& history) {
  if (is_reached(history.best())) return {Action::stop, "", "roofline reached"};
  return {Action::seed, "", ""};
}

// Repairs what fails, else refines the best; never another idea.
Decision greedy(const History& history) {
  const VersionRecord* best = history.best();
  if (is_reached(best)) return {Action::stop, "", "roofline reached"};
  const VersionRecord& last = history.versions.back();
  const bool failed = last.outcome == Outcome::wrong || last.outcome == Outcome::compile_failed;
  if (failed) return {Action::fix, last.version, ""};
  return best == nullptr ? Decision{} : Decision{Action::optimise, best->version, ""};
}

// Refines the best, and throws away what fails.
Decision greedy_without_repairs(const History& history) {
  const VersionRecord* best = history.best();
  if (is_reached(best)) return {Action::stop, "", "roofline reached"};
  return best == nullptr ? Decision{} : Decision{Action::optimise, best->version, ""};
}

// Another idea each time, from any right version.
Decision always_branch(const History& history) {
  if (is_reached(history.best())) return {Action::stop, "", "roofline reached"};
  std::vector<const VersionRecord*> right;
  for (const VersionRecord& record : history.versions) {
    if (record.outcome == Outcome::verified) right.push_back(&record);
  }
  if (right.empty()) return {};
  const RandomStream random(static_cast<std::uint64_t>(history.round), history.op);
  return {Action::branch, right[random.bits(0) % right.size()]->version, ""};
}

struct Score {
  std::vector<double> versions;  // to the target; of runs that missed it, all they were allowed
  std::vector<double> requests;
  std::vector<double> spent;  // versions that were made in all, with or without the target
  std::vector<double> best;   // true time of the best at the end, over the roof
  int reached = 0;
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::lround(at))];
}

void play(const SimulatedModel& model, const Policy& policy, int most, std::uint64_t seed,
          Score& score) {
  double versions = INFINITY;
  double requests = INFINITY;
  double best = INFINITY;
  const SimulatedRun run = simulate(model, policy, most, seed, [&](const SimulatedRun& so_far) {
    if (const VersionRecord* fastest = so_far.history.best(); fastest != nullptr) {
      const auto at = static_cast<std::size_t>(version_number(fastest->version) - 1);
      best = so_far.truth[at].time_us / model.roof_us;
      if (best <= k_target && std::isinf(versions)) {
        versions = static_cast<double>(so_far.truth.size());
        requests = so_far.requests;
      }
    }
    return true;
  });
  score.reached += std::isinf(versions) ? 0 : 1;
  score.versions.push_back(versions);
  score.requests.push_back(requests);
  score.spent.push_back(static_cast<double>(run.truth.size()));
  score.best.push_back(best);
}

std::string shown(double value, int digits) {
  return std::isinf(value) ? "never" : fmt::format("{:.{}f}", value, digits);
}

void compare(const char* name, const SimulatedModel& model, int seeds, int most) {
  const std::vector<std::pair<const char*, Policy>> policies{
      {"this policy", ours},
      {"the same, never stopping", ours_without_plateau},
      {"greedy: repair, refine the best", greedy},
      {"greedy, no repairs", greedy_without_repairs},
      {"always another idea", always_branch},
      {"always a seed", always_seed}};
  for (const auto& [title, policy] : policies) {
    Score score;
    for (int seed = 0; seed < seeds; ++seed) {
      play(model, policy, most, static_cast<std::uint64_t>(seed), score);
    }
    fmt::print("| {} | {} | {:.0f} % | {} | {} | {} | {} |\n", name, title,
               100.0 * score.reached / seeds, shown(quantile(score.versions, 0.5), 0),
               shown(quantile(score.requests, 0.5), 0), shown(quantile(score.spent, 0.5), 0),
               shown(quantile(score.best, 0.5), 2));
  }
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 2000;
  const int most = argc > 2 ? std::atoi(argv[2]) : 40;
  if (seeds < 1 || most < 1) {
    fmt::print(stderr, "usage: {} [<seeds>] [<most versions>]\n", argv[0]);
    return 2;
  }
  kernelloop::SimulatedModel good;
  kernelloop::SimulatedModel weak;
  weak.right = 0.35;
  weak.repair = 0.4;
  weak.better = 0.4;
  kernelloop::SimulatedModel stubborn;
  stubborn.repeat = 0.5;
  kernelloop::SimulatedModel noisy;
  noisy.noise = 0.02;
  fmt::print("{} seeds, at most {} versions; target {} times the roof\n\n", seeds, most,
             kernelloop::k_target);
  fmt::print(
      "| model | policy | reached | versions to target | requests to target | versions spent | "
      "best / roof |\n|---|---|---|---|---|---|---|\n");
  kernelloop::compare("good", good, seeds, most);
  kernelloop::compare("weak", weak, seeds, most);
  kernelloop::compare("stubborn", stubborn, seeds, most);
  kernelloop::compare("noisy", noisy, seeds, most);
  return 0;
}
