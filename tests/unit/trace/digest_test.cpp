#include "trace/digest.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Two loaders and two consumers a block; multiprocessor 1 gets a block that takes twice as long.
Recorder specialised() {
  Recorder recorder(3, 2);
  const auto block = [&](std::int64_t number, std::int64_t sm, double begin, double length) {
    recorder.warp(number, 0, sm,
                  {{"kernel", k_begin, begin},
                   {"load", k_begin, begin},
                   {"load", k_end, begin + length / 2},
                   {"kernel", k_end, begin + length}});
    recorder.warp(number, 1, sm,
                  {{"kernel", k_begin, begin},
                   {"mma", k_begin, begin + length / 4},
                   {"mma", k_end, begin + length},
                   {"kernel", k_end, begin + length}});
  };
  block(0, 0, 0, 10000);
  block(1, 1, 1000, 20000);
  block(2, 0, 10000, 10000);
  return recorder;
}

TEST(TraceDigest, TellsRolesApart) {
  const LaunchDigest digest = digest_of(specialised().decode());
  ASSERT_EQ(digest.roles.size(), 2u);
  EXPECT_THAT(digest.roles[0].warps, ElementsAre(0));
  EXPECT_EQ(digest.roles[0].scopes[0].name, "load");
  EXPECT_NEAR(digest.roles[0].scopes[0].share, 0.5, 0.001);
  EXPECT_NEAR(digest.roles[0].gap_share, 0.5, 0.001);
  EXPECT_EQ(digest.roles[1].scopes[0].name, "mma");
  EXPECT_NEAR(digest.roles[1].scopes[0].share, 0.75, 0.001);
  EXPECT_EQ(digest.roles[1].scopes[0].count, 3u);
}

TEST(TraceDigest, MeasuresBlocksTailAndImbalance) {
  const LaunchDigest digest = digest_of(specialised().decode());
  EXPECT_EQ(digest.traced_blocks, 3);
  EXPECT_EQ(digest.multiprocessors, 2u);
  EXPECT_EQ(digest.least_blocks, 1u);
  EXPECT_EQ(digest.most_blocks, 2u);
  EXPECT_NEAR(digest.span_ns, 21000, 2);
  EXPECT_NEAR(digest.lifetime_ns, 10000, 2);
  EXPECT_NEAR(digest.ramp_ns, 1000, 2);
  EXPECT_NEAR(digest.idle_share, 1 - 40.0 / 42, 0.001);
  EXPECT_NEAR(digest.imbalance, 1.0, 0.001);
}

TEST(TraceDigest, NestedScopesCountOnceInGaps) {
  Recorder recorder(1, 1);
  recorder.warp(0, 0, 0,
                {{"kernel", k_begin, 0},
                 {"outer", k_begin, 0},
                 {"inner", k_begin, 2000},
                 {"inner", k_end, 6000},
                 {"outer", k_end, 8000},
                 {"kernel", k_end, 10000}});
  const LaunchDigest digest = digest_of(recorder.decode());
  ASSERT_EQ(digest.roles.size(), 1u);
  EXPECT_NEAR(digest.roles[0].gap_share, 0.2, 0.001);
  EXPECT_NEAR(digest.roles[0].scopes[0].share, 0.8, 0.001);
  EXPECT_NEAR(digest.roles[0].scopes[0].self_share, 0.4, 0.001);
}

TEST(TraceDigest, SaysATailInWords) {
  Recorder recorder(4, 1);
  for (int sm = 0; sm < 4; ++sm) {
    recorder.warp(sm, 0, sm,
                  {{"kernel", k_begin, 0}, {"kernel", k_end, sm == 3 ? 40000.0 : 10000}});
  }
  const LaunchDigest digest = digest_of(recorder.decode());
  EXPECT_NEAR(digest.tail_ns, 30000, 2);
  EXPECT_NEAR(digest.imbalance, 40 / 17.5, 0.01);
  const std::string text = digest_text(digest);
  EXPECT_THAT(text, HasSubstr("tail 30.00 µs (75.0 % of the span)"));
  EXPECT_THAT(text, HasSubstr("busiest / mean 2.29"));
  EXPECT_THAT(text, Not(HasSubstr("found no room")));
}

TEST(TraceDigest, SaysWhatIsMissing) {
  Recorder recorder(1, 1, 1);
  recorder.warp(0, 0, 0,
                {{"kernel", k_begin, 0},
                 {"a", k_begin, 5000},
                 {"a", k_end, 6000},
                 {"b", k_instant, 7000},
                 {"kernel", k_end, 10000}});
  EXPECT_THAT(digest_text(digest_of(recorder.decode())), HasSubstr("2 events found no room"));
  EXPECT_THAT(digest_text(digest_of(Recorder(1, 1).decode())), HasSubstr("nothing was recorded"));
}

TEST(TraceDigest, SaysWhichBlocksItsFiguresAreOf) {
  const auto digest = [](bool every_life) {
    Recorder recorder(100, 1, 64, 2, 5, every_life);
    for (int block = 0; block < 100; ++block) {
      recorder.warp(block, 0, 0,
                    {{"kernel", k_begin, 1000.0 * block}, {"kernel", k_end, 1000.0 * block + 900}});
    }
    return digest_of(recorder.decode());
  };
  const LaunchDigest every = digest(true);
  EXPECT_EQ(every.traced_blocks, 100);
  EXPECT_EQ(every.most_blocks, 100u);
  EXPECT_LT(every.marked_blocks, 7);
  EXPECT_THAT(digest_text(every),
              HasSubstr(fmt::format("scopes of {} blocks: the first 2 and one of 32 others",
                                    every.marked_blocks)));
  EXPECT_THAT(digest_text(every), Not(HasSubstr("not to be relied on")));
  const LaunchDigest few = digest(false);
  EXPECT_EQ(few.traced_blocks, few.marked_blocks);
  EXPECT_THAT(digest_text(few), HasSubstr("tail, blocks for each multiprocessor and their balance "
                                          "are not to be relied on"));
  EXPECT_THAT(digest_text(digest_of(specialised().decode())), Not(HasSubstr("scopes of")));
}

TEST(TraceDigest, StaysShort) {
  const std::string text = digest_text(digest_of(specialised().decode()));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20);
}

TEST(TraceDigest, GivesItsFiguresAsJson) {
  const Json json = to_json(digest_of(specialised().decode()));
  EXPECT_EQ(json.at("kernel"), "k");
  EXPECT_EQ(json.at("roles").at(1).at("scopes").at(0).at("name"), "mma");
}

}  // namespace
}  // namespace kernelloop
