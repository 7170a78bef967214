#include "counters/ncu_csv.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

std::string recorded_csv(const std::string& name) {
  return read_file(std::filesystem::path(COUNTERS_TEST_DATA) / name);
}

std::string csv_complaint(const std::string& text) {
  try {
    read_ncu_csv(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "none";
}

TEST(NcuCsv, ReadsRawMetricsBehindABanner) {
  const auto kernels = read_ncu_csv(recorded_csv("raw_stdout.txt"));
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_THAT(kernels[0].name, HasSubstr("("));
  const double bytes = kernels[1].metrics.at("dram__bytes_read.sum");
  EXPECT_GT(bytes, 6e7);
  EXPECT_LT(bytes, 7e7);
  EXPECT_EQ(kernels[1].metrics.count("Stream"), 0u);
}

TEST(NcuCsv, ReadsRulesAmongRowsOfTwoLengths) {
  const auto kernels = read_ncu_csv(recorded_csv("details.csv"));
  ASSERT_EQ(kernels.size(), 1u);
  ASSERT_EQ(kernels[0].rules.size(), 9u);
  const NcuRule& first = kernels[0].rules.front();
  EXPECT_EQ(first.section, "SpeedOfLight");
  EXPECT_EQ(first.type, "OPT");
  EXPECT_THAT(first.description, HasSubstr("grid is too small"));
  bool estimates = false;
  for (const NcuRule& rule : kernels[0].rules) estimates = estimates || rule.speedup > 0;
  EXPECT_TRUE(estimates);
}

TEST(NcuCsv, ReadsQuotesLineEndsAndGapsInCells) {
  const auto kernels = read_ncu_csv(
      "noise\n\"ID\",\"a\",\"b\",\"c\",\"Kernel Name\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"m\","
      "\"n\",\"o\"\n\"\",\"\",\"\"\n\"0\",\"\",\"\",\"\",\"f<\"\"x\"\",\n1>\",,,,,,,\"1,234.5\","
      "\"nan\",\"(!) n/a\"\nprogram output\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "f<\"x\",\n1>");
  EXPECT_EQ(kernels[0].metrics, (MetricValues{{"m", 1234.5}}));
}

TEST(NcuCsv, SaysWhatIsWrong) {
  EXPECT_THAT(csv_complaint(recorded_csv("no_kernel.txt")), HasSubstr("its filter matched none"));
  EXPECT_THAT(csv_complaint("==ERROR== something\n"), HasSubstr("--csv --page raw"));
}

}  // namespace
}  // namespace kernelloop
