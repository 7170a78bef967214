// The policy against models of every temper: what must hold whatever a model does.
#include "loop/policy.hpp"
#include "loop/steering.hpp"
#include "support/random.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulated_loop.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

using Action = Decision::Action;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int k_many = 400;  // versions; far beyond where a policy must have stopped
constexpr std::uint64_t k_seeds = 40;

Decision policy(const History& history) { return decide(history, PolicySettings{}); }

const SimulatedVersion& truth_of(const SimulatedRun& run, const std::string& version) {
  return run.truth.at(static_cast<std::size_t>(version_number(version) - 1));
}

struct Temper {
  const char* name;
  SimulatedModel model;
};

std::vector<Temper> tempers() {
  std::vector<Temper> list{{"good", {}}};
  list.push_back({"stubborn", {}});
  list.back().model.repeat = 0.9;
  list.push_back({"only repeats", {}});
  list.back().model.repeat = 1.0;
  list.push_back({"cheating", {}});
  list.back().model.right = 0.2;
  list.back().model.claims = true;
  list.push_back({"noisy", {}});
  list.back().model.noise = 0.05;
  list.push_back({"always failing", {}});
  list.back().model.right = 0.0;
  list.back().model.repair = 0.0;
  return list;
}

TEST(SimulatedModels, EveryLoopEndsWithAReasonThatIsTrue) {
  for (const Temper& temper : tempers()) {
    for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
      const SimulatedRun run = simulate(temper.model, policy, k_many, seed);
      const std::string where = std::string(temper.name) + ", seed " + std::to_string(seed);
      ASSERT_EQ(run.history.decision.action, Action::stop) << where;
      const std::vector<VersionRecord>& versions = run.history.versions;
      ASSERT_LT(versions.size(), 200u) << where;
      const std::string& reason = run.history.decision.reason;
      const VersionRecord* best = run.history.best();
      const auto last_all = [&](std::size_t count, auto matches) {
        return versions.size() >= count &&
               std::all_of(versions.end() - static_cast<std::ptrdiff_t>(count), versions.end(),
                           matches);
      };
      const auto not_right = [](const VersionRecord& record) {
        return record.outcome != Outcome::verified;
      };
      if (reason.rfind("roofline", 0) == 0) {
        EXPECT_GE(best->sol.value_or(0.0), 0.9) << where;
      } else if (reason.rfind("repeated duplicates", 0) == 0) {
        EXPECT_TRUE(last_all(3, [](const VersionRecord& record) {
          return record.outcome == Outcome::duplicate;
        })) << where;
      } else if (reason.rfind("repeated failure", 0) == 0) {
        EXPECT_TRUE(best != nullptr && last_all(6, not_right)) << where;
      } else if (reason.rfind("no version was right", 0) == 0) {
        EXPECT_TRUE(best == nullptr && last_all(8, not_right)) << where;
      } else {
        EXPECT_THAT(reason, StartsWith("plateau: ")) << where;
        ASSERT_NE(best, nullptr) << where;
        EXPECT_FALSE(last_all(6, not_right)) << where;
      }
    }
  }
}

TEST(SimulatedModels, ModelsThatCannotDoItStopForWhatTheyDo) {
  SimulatedModel failing;
  failing.right = failing.repair = 0.0;
  SimulatedModel repeating;
  repeating.repeat = 1.0;
  for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
    const SimulatedRun failed = simulate(failing, policy, k_many, seed);
    EXPECT_THAT(failed.history.decision.reason, StartsWith("no version was right in 8 rounds"));
    EXPECT_EQ(failed.history.versions.size(), 8u);
    const SimulatedRun repeated = simulate(repeating, policy, k_many, seed);
    EXPECT_THAT(repeated.history.decision.reason, StartsWith("repeated duplicates"));
    EXPECT_EQ(repeated.history.versions.size(), 4u);
  }
}

// Times that stand beside wrong versions, and what a model says of them, count for nothing.
TEST(SimulatedModels, AWrongVersionIsNeverBestNorAParentButToBeMended) {
  for (const Temper& temper : tempers()) {
    for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
      const SimulatedRun run =
          simulate(temper.model, policy, k_many, seed, [&](const SimulatedRun& so_far) {
            const VersionRecord* best = so_far.history.best();
            EXPECT_TRUE(best == nullptr || truth_of(so_far, best->version).right);
            return true;
          });
      for (const Decision& decision : run.decisions) {
        if (decision.action == Action::seed) continue;
        const bool right = truth_of(run, decision.parent).right;
        EXPECT_EQ(right, decision.action != Action::fix) << temper.name << decision.parent;
      }
    }
  }
}

// No step makes anything faster; times differ by noise alone, and by less than the margin.
TEST(SimulatedModels, NoiseBelowTheMarginIsNoGain) {
  History history;
  history.op = "still";
  history.device_kind = "cuda";
  history.decision.action = Action::seed;
  for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
    SimulatedModel model;
    model.right = 1.0;
    model.noise = 0.0049;
    SimulatedRun run = simulate(model, policy, 1, seed);
    // The first version again and again, each time measured anew.
    const double time = *run.history.versions.front().time_us;
    History still = run.history;
    still.versions.front().sol = 0.5;
    const RandomStream jitter(seed, "jitter");
    int rounds = 1;
    for (; still.decision.action != Action::stop && rounds < k_many; ++rounds) {
      VersionRecord record = still.versions.front();
      record.version = version_name(rounds + 1);
      record.round = ++still.round;
      record.mode = name_of(still.decision.action);
      record.parent = still.decision.parent;
      record.time_us =
          time * (0.9951 + 0.0098 * jitter.uniform(static_cast<std::uint64_t>(rounds)));
      still.versions.push_back(record);
      still.decision = policy(still);
    }
    EXPECT_EQ(rounds, 7);
    EXPECT_THAT(still.decision.reason, StartsWith("plateau: 6 rounds without a gain"));
  }
}

TEST(SimulatedModels, TheSameHistoryGivesTheSameDecision) {
  for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
    const SimulatedRun once = simulate({}, policy, k_many, seed);
    const SimulatedRun again = simulate({}, policy, k_many, seed);
    EXPECT_EQ(to_json(once.history), to_json(again.history));
    EXPECT_EQ(decide(once.history, {}).reason, once.history.decision.reason);
  }
}

TEST(SimulatedModels, AGoodModelGetsNearTheRoofline) {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
    const SimulatedRun run = simulate({}, policy, k_many, seed);
    const VersionRecord* best = run.history.best();
    reached += best != nullptr && *best->time_us < 2.0 * SimulatedModel{}.roof_us ? 1 : 0;
  }
  EXPECT_GT(reached, static_cast<int>(k_seeds) / 2);
}

}  // namespace
}  // namespace kernelloop
