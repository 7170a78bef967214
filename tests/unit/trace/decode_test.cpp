#include "trace/decode.hpp"

#include "kernelloop/trace.cuh"
#include "support/error.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder.hpp"
#include "trace/chrome.hpp"

#include <algorithm>
#include <set>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TraceNames, AreFoundInThePtx) {
  const auto names = trace_names(
      "\t// begin inline asm\n\t// kernelloop:trace \"load\"\n"
      "\t// kernelloop:trace \"mma 2\"\n\t// kernelloop:trace \"load\"");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names.at(trace_id("load")), "load");
  EXPECT_EQ(names.at(trace_id("mma 2")), "mma 2");
}

TEST(TraceNames, HaveTheNumbersOfTheHeader) {
  for (const char* name : {"kernel", "load", "a/b.c:d_e-f 9"}) {
    EXPECT_EQ(trace_id(name), trace::id_of(name));
    EXPECT_TRUE(trace::is_name(name));
  }
  EXPECT_FALSE(trace::is_name(""));
  EXPECT_FALSE(trace::is_name("a\"b"));
  EXPECT_FALSE(trace::is_name("%d"));
  EXPECT_FALSE(trace::is_name("0123456789012345678901234567890123456789012345678"));
}

TEST(TraceNames, TwoWithOneNumberAreRefused) {
  // Found by search: both have the same 30 bits.
  const std::string first = "n89563";
  const std::string second = "n282079";
  ASSERT_EQ(trace_id(first), trace_id(second));
  try {
    trace_names("// kernelloop:trace \"" + first + "\"\n// kernelloop:trace \"" + second + "\"\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("share a number; rename one"));
  }
}

TEST(TraceDecode, NestsSpansAndAlignsClocks) {
  Recorder recorder(2, 1);
  recorder.warp(0, 0, 5,
                {{"kernel", k_begin, 1000},
                 {"load", k_begin, 2000},
                 {"wait", k_begin, 3000},
                 {"wait", k_end, 4000},
                 {"load", k_end, 7000},
                 {"tile", k_instant, 8000},
                 {"kernel", k_end, 11000}});
  recorder.warp(1, 0, 9, {{"kernel", k_begin, 3000}, {"kernel", k_end, 9000}});
  const LaunchTrace trace = recorder.decode();
  ASSERT_EQ(trace.warps.size(), 2u);
  const WarpTrace& warp = trace.warps[0];
  EXPECT_TRUE(warp.whole);
  EXPECT_EQ(warp.multiprocessor, 5);
  ASSERT_EQ(warp.spans.size(), 3u);
  EXPECT_EQ(warp.spans[1].name, "load");
  EXPECT_NEAR(warp.spans[1].begin_ns, 1000, 1);
  EXPECT_NEAR(warp.spans[1].end_ns, 6000, 1);
  EXPECT_NEAR(warp.spans[1].self_ns, 4000, 1);
  EXPECT_EQ(warp.spans[2].depth, 2u);
  EXPECT_NEAR(warp.spans[0].self_ns, 5000, 1);
  ASSERT_EQ(warp.instants.size(), 1u);
  EXPECT_NEAR(warp.instants[0].ns, 7000, 1);
  EXPECT_NEAR(trace.warps[1].begin_ns, 2000, 1);
  EXPECT_NEAR(trace.cycles_per_ns, 1.75, 0.001);
  EXPECT_EQ(trace.malformed + trace.unmatched + trace.dropped, 0u);
}

TEST(TraceDecode, UnwrapsTheLowHalfOfTheClock) {
  Recorder recorder(1, 1);  // its clock passes 2^32 after some 37 us
  recorder.warp(0, 0, 0,
                {{"kernel", k_begin, 0},
                 {"late", k_begin, 60000},
                 {"late", k_end, 90000},
                 {"kernel", k_end, 100000}});
  const LaunchTrace trace = recorder.decode();
  EXPECT_NEAR(trace.warps[0].spans[1].begin_ns, 60000, 2);
  EXPECT_NEAR(trace.warps[0].spans[1].end_ns, 90000, 2);
}

TEST(TraceDecode, CountsWhatFoundNoRoom) {
  Recorder recorder(1, 1, 3);
  recorder.warp(0, 0, 0,
                {{"kernel", k_begin, 0},
                 {"a", k_begin, 1000},
                 {"a", k_end, 2000},
                 {"a", k_begin, 3000},
                 {"a", k_end, 4000},
                 {"a", k_begin, 5000},
                 {"kernel", k_end, 10000}});
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.dropped, 2u);
  EXPECT_EQ(trace.warps[0].dropped, 2u);
  ASSERT_EQ(trace.warps[0].spans.size(), 3u);
  EXPECT_FALSE(trace.warps[0].spans[0].cut);  // its end is known all the same
  EXPECT_TRUE(trace.warps[0].spans[2].cut);
  EXPECT_NEAR(trace.warps[0].end_ns, 10000, 1);
}

TEST(TraceDecode, MarksWhatHasNoEndOrNoBegin) {
  Recorder recorder(2, 1);
  recorder.warp(1, 0, 1, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});  // tells the rate
  recorder.warp(0, 0, 0,
                {{"kernel", k_begin, 0},
                 {"outer", k_begin, 0},
                 {"inner", k_begin, 1000},
                 {"other", k_end, 2000},
                 {"kernel", k_end, 2000},
                 {"outer", k_end, 5000},
                 {"left", k_begin, 6000},
                 {"x", k_instant, 9000}},
                false);
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.unmatched, 2u);  // the end of the kernel's own scope is no mark
  const WarpTrace& warp = trace.warps[0];
  EXPECT_FALSE(warp.whole);
  EXPECT_TRUE(warp.spans[0].cut);
  EXPECT_FALSE(warp.spans[1].cut);
  EXPECT_TRUE(warp.spans[2].cut);  // ended with the scope around it
  EXPECT_TRUE(warp.spans[3].cut);
  EXPECT_NEAR(warp.spans[3].end_ns, 9000, 1);
  EXPECT_NEAR(warp.end_ns, 9000, 1);
}

TEST(TraceDecode, TrustsNothingInTheBuffer) {
  Recorder recorder(3, 1);
  for (const int block : {0, 2}) {
    recorder.warp(block, 0, block,
                  {{"kernel", k_begin, 0}, {"x", k_instant, 5000}, {"kernel", k_end, 10000}});
  }
  recorder.warp(1, 0, 4000000, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  recorder.put<std::uint32_t>(recorder.layout.launches[0].marks(2, 0), 0xFFFFFFFFu);  // no name
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.malformed, 2u);
  EXPECT_EQ(trace.warps.size(), 2u);
}

TEST(TraceDecode, NoSpanEndsBeforeItBegins) {
  Recorder recorder(1, 1);
  recorder.warp(0, 0, 5,
                {{"kernel", k_begin, 0},
                 {"load", k_begin, 4000},
                 {"load", k_end, 1000},
                 {"store", k_begin, 5000},
                 {"store", k_end, 6000},
                 {"kernel", k_end, 9000}});
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.malformed, 1u);
  for (const TraceSpan& span : trace.warps.at(0).spans) {
    EXPECT_GE(span.end_ns, span.begin_ns) << span.name;
  }
  EXPECT_TRUE(trace.warps[0].spans.at(1).cut);
  EXPECT_NEAR(trace.warps[0].spans.at(2).end_ns, 6000, 1);
}

TEST(TraceDecode, WarpsThatRecordedNothingAreNotThere) {
  const Recorder recorder(4, 8);
  EXPECT_TRUE(recorder.decode().warps.empty());
}

TEST(TraceDecode, EveryBlockHasItsLifeAndAFewHaveMarks) {
  Recorder recorder(1000, 2, 64, 10, 4);
  for (int block = 0; block < 1000; ++block) {
    for (int warp = 0; warp < 2; ++warp) {
      recorder.warp(block, warp, block % 10,
                    {{"kernel", k_begin, 1000.0 * block},
                     {"x", k_instant, 1000.0 * block + 500},
                     {"kernel", k_end, 1000.0 * block + 900}});
    }
  }
  const LaunchTrace trace = recorder.decode();
  ASSERT_EQ(trace.warps.size(), 2000u);
  std::size_t marked = 0;
  for (std::size_t i = 0; i < trace.warps.size(); ++i) {
    const WarpTrace& warp = trace.warps[i];
    EXPECT_EQ(warp.block, static_cast<std::int64_t>(i / 2));
    EXPECT_NEAR(warp.begin_ns, 1000.0 * static_cast<double>(warp.block), 2);
    EXPECT_NEAR(warp.end_ns - warp.begin_ns, 900, 2);
    EXPECT_EQ(warp.instants.size(), warp.marked ? 1u : 0u);
    marked += warp.marked ? 1 : 0;
  }
  // The first ten, and one of each sixteen; one of the first sixteen is among the first ten or not.
  EXPECT_GE(marked, 2u * (10 + 61));
  EXPECT_LE(marked, 2u * (10 + 63));
}

TEST(TraceDecode, WhereOnlyMarkedBlocksHaveLivesTheyKeepTheirNumbers) {
  Recorder recorder(1000, 1, 64, 4, 6, false);
  for (int block = 0; block < 1000; ++block) {
    recorder.warp(block, 0, block % 4,
                  {{"kernel", k_begin, 1000.0 * block}, {"kernel", k_end, 1000.0 * block + 900}});
  }
  const LaunchTrace trace = recorder.decode();
  EXPECT_GE(trace.warps.size(), 4u + 14);
  EXPECT_LE(trace.warps.size(), 4u + 16);
  for (const WarpTrace& warp : trace.warps) {
    EXPECT_NEAR(warp.begin_ns, 1000.0 * static_cast<double>(warp.block), 2);
  }
}

TEST(TraceDecode, CountsWhatNoClockPlaces) {
  Recorder recorder(2, 1, 64, 1, 30);
  recorder.warp(0, 0, 3, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  recorder.warp(1, 0, 4, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.unplaced, 1u);
  EXPECT_EQ(trace.warps.size(), 1u);
}

TEST(TraceSample, PicksOneOfEachGroupAtChangingPlaces) {
  for (const unsigned int shift : {0u, 1u, 5u, 12u}) {
    std::set<unsigned int> places;
    for (unsigned int group = 0; group < 100; ++group) {
      const unsigned int pick = trace::pick_of_group(group, shift);
      EXPECT_EQ(pick >> shift, group);
      places.insert(pick & ((1u << shift) - 1));
    }
    EXPECT_GE(places.size(), std::min<std::size_t>(std::size_t{1} << shift, 90));
  }
}

TEST(ChromeTrace, IsJsonWithAnEventPerSpan) {
  Recorder recorder(2, 2);
  for (int block = 0; block < 2; ++block) {
    recorder.warp(block, 0, block,
                  {{"kernel", k_begin, 0},
                   {"load", k_begin, 1500},
                   {"load", k_end, 4000},
                   {"tile", k_instant, 4500},
                   {"kernel", k_end, 9000}});
  }
  const std::string text = chrome_trace({recorder.decode()});
  const Json json = Json::parse(text);
  std::map<std::string, int> phases;
  for (const Json& event : json.at("traceEvents")) ++phases[event.at("ph")];
  EXPECT_EQ(phases["X"], 4);
  EXPECT_EQ(phases["i"], 2);
  EXPECT_EQ(phases["M"], 4);
  EXPECT_THAT(text, HasSubstr(R"("name":"load","pid":0,"tid":0,"ts":1.500,"dur":2.500)"));
  Recorder sampled(2, 2, 64, 1, 30);
  for (int block = 0; block < 2; ++block) {
    for (int warp = 0; warp < 2; ++warp) {
      sampled.warp(block, warp, 0, {{"kernel", k_begin, 0}, {"kernel", k_end, 9000}});
    }
  }
  EXPECT_THAT(chrome_trace({sampled.decode()}),
              AllOf(HasSubstr(R"("block 0 warp 1")"), HasSubstr(R"("block 1"})"),
                    Not(HasSubstr("block 1 warp"))));
  const Json limited = Json::parse(chrome_trace({recorder.decode()}, 3));
  EXPECT_EQ(limited.at("otherData").at("warps_left_out"), 1);
}

}  // namespace
}  // namespace kernelloop
