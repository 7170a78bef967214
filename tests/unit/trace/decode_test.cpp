#include "trace/decode.hpp"

#include "kernelloop/trace.cuh"
#include "support/error.hpp"
#include "support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder.hpp"
#include "trace/chrome.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

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
                 {"kernel", k_end, 10000}});
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.dropped, 3u);
  EXPECT_EQ(trace.warps[0].dropped, 3u);
  ASSERT_EQ(trace.warps[0].spans.size(), 2u);
  EXPECT_FALSE(trace.warps[0].spans[0].cut);  // the head knows the kernel's end
  EXPECT_NEAR(trace.warps[0].end_ns, 10000, 1);
}

TEST(TraceDecode, MarksWhatHasNoEndOrNoBegin) {
  Recorder recorder(1, 1);
  recorder.warp(0, 0, 0,
                {{"outer", k_begin, 0},
                 {"inner", k_begin, 1000},
                 {"other", k_end, 2000},
                 {"outer", k_end, 5000},
                 {"left", k_begin, 6000},
                 {"x", k_instant, 9000}},
                false);
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.unmatched, 1u);
  const WarpTrace& warp = trace.warps[0];
  EXPECT_FALSE(warp.whole);
  EXPECT_FALSE(warp.spans[0].cut);
  EXPECT_TRUE(warp.spans[1].cut);  // ended with the scope around it
  EXPECT_TRUE(warp.spans[2].cut);
  EXPECT_NEAR(warp.spans[2].end_ns, warp.end_ns, 1);
}

TEST(TraceDecode, TrustsNothingInTheBuffer) {
  Recorder recorder(3, 1);
  recorder.warp(0, 0, 0, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  recorder.warp(1, 0, 4000000, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  recorder.warp(2, 0, 1, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  const std::size_t third = 2 * recorder.layout.launches[0].region_bytes();
  recorder.put<std::uint32_t>(third + 64, 0xFFFFFFFFu);  // no such name and kind
  const LaunchTrace trace = recorder.decode();
  EXPECT_EQ(trace.malformed, 2u);
  EXPECT_EQ(trace.warps.size(), 2u);
  recorder.put<std::uint32_t>(third + 40, 7);  // another block's region
  EXPECT_EQ(recorder.decode().malformed, 2u);
}

TEST(TraceDecode, WarpsWithoutMarksAreNotThere) {
  const Recorder recorder(4, 8);
  EXPECT_TRUE(recorder.decode().warps.empty());
}

TEST(TraceDecode, SampledBlocksKeepTheirNumbers) {
  Recorder recorder(10, 1, 64, 4);
  recorder.warp(8, 0, 0, {{"kernel", k_begin, 0}, {"kernel", k_end, 10000}});
  const LaunchTrace trace = recorder.decode();
  ASSERT_EQ(trace.warps.size(), 1u);
  EXPECT_EQ(trace.warps[0].block, 8);
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
  const Json limited = Json::parse(chrome_trace({recorder.decode()}, 3));
  EXPECT_EQ(limited.at("otherData").at("warps_left_out"), 1);
}

}  // namespace
}  // namespace kernelloop
