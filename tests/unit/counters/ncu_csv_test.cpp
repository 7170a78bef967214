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
      "\"nan\",\"(!) n/a\"\nprogram output, 3\" long\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "f<\"x\",\n1>");
  EXPECT_EQ(kernels[0].metrics, (MetricValues{{"m", 1234.5}}));
}

// A raw page of one kernel and one metric.
std::string page_with(const std::string& unit, const std::string& value) {
  return "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\"\n\"\",\"\",\"" + unit +
         "\"\n\"0\",\"k\",\"" + value + "\"\n";
}

MetricValues metrics_with(const std::string& value) {
  return read_ncu_csv(page_with("byte", value)).at(0).metrics;
}

TEST(NcuCsv, ColumnsMayStandInAnyOrder) {
  const auto kernels =
      read_ncu_csv("\"ID\",\"m\",\"CC\",\"Kernel Name\"\n\"0\",\"7\",\"9.0\",\"k\"\n");
  EXPECT_EQ(kernels.at(0).metrics, (MetricValues{{"m", 7}}));
  EXPECT_EQ(kernels.at(0).name, "k");
}

TEST(NcuCsv, ReadsOnlyWhatIsANumber) {
  const std::string name = "dram__bytes_read.sum";
  EXPECT_EQ(metrics_with("1,345,280"), (MetricValues{{name, 1345280}}));
  EXPECT_EQ(metrics_with("1345280.5"), (MetricValues{{name, 1345280.5}}));
  EXPECT_EQ(metrics_with("-1,000"), (MetricValues{{name, -1000}}));
  for (const char* none :
       {"", "nan", "inf", "-inf", "1e999", "(!) n/a", "12 (34)", "0x10", ",", "-,5"}) {
    EXPECT_TRUE(metrics_with(none).empty()) << none;
  }
}

TEST(NcuCsv, RefusesNumbersOfAnotherLocale) {
  for (const char* number :
       {"0,06", "12,3456", "1.345,28", "1.345.280,5", "1234,567", "1,23,456"}) {
    EXPECT_EQ(csv_complaint(page_with("byte", number)),
              "'" + std::string(number) +
                  "' of dram__bytes_read.sum in the table of ncu is no number as the C locale "
                  "writes it; have ncu print the table with LC_ALL=C");
  }
}

TEST(NcuCsv, RefusesScaledUnits) {
  for (const char* unit : {"Kbyte", "Mbyte", "Gbyte/s", "Kibyte", "Mbyte/block"}) {
    EXPECT_EQ(csv_complaint(page_with(unit, "1.35")),
              "dram__bytes_read.sum in the table of ncu is in '" + std::string(unit) +
                  "', rounded for people; have ncu print the table with --print-units base");
  }
}

TEST(NcuCsv, RefusesATableThatWasCutOffInACell) {
  const std::string whole = page_with("byte", "1,345,280");
  EXPECT_EQ(csv_complaint(whole), "none");
  EXPECT_EQ(csv_complaint(whole.substr(0, whole.size() - 4)),
            "the table of ncu ends inside a cell: it was cut off; have ncu print it once more");
}

TEST(NcuCsv, SaysWhatIsWrong) {
  EXPECT_THAT(csv_complaint(recorded_csv("no_kernel.txt")), HasSubstr("its filter matched none"));
  EXPECT_THAT(csv_complaint("==ERROR== something\n"), HasSubstr("--csv --page raw"));
}

}  // namespace
}  // namespace kernelloop
