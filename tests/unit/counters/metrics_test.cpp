// The metrics, and their plans by CUPTI on a machine without a GPU.
#include "counters/metrics.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/cupti.hpp"

#include <set>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, AreDocumentedAndUnique) {
  std::set<std::string_view> names;
  for (const Metric& metric : all_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_FALSE(metric.meaning.empty()) << metric.name;
  }
  for (const StallReason& reason : stall_reasons()) {
    EXPECT_EQ(names.count(reason.metric), 1u) << reason.metric;
  }
}

TEST(Metrics, FollowTheChip) {
  EXPECT_EQ(metrics_for("GH100").size(), all_metrics().size());
  EXPECT_THAT(metrics_for("GB202"), Not(Contains("dram__bytes_read.sum")));
  EXPECT_THAT(metrics_for("GA100"), Contains("dram__bytes_read.sum"));
  EXPECT_LT(metrics_for("GA100").size(), all_metrics().size());
  EXPECT_EQ(metrics_for("GH100", memory_metrics()), memory_metrics());
  EXPECT_TRUE(metrics_for("GB202", memory_metrics()).empty());
  EXPECT_EQ(metrics_for("GB202", {"of.another.table"}).size(), 1u);
}

class CuptiPlan : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "CUPTI opens a library with RTLD_DEEPBIND, which AddressSanitizer refuses";
#endif
    try {
      cupti_ = load_cupti();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      GTEST_SKIP() << error.what();
    }
  }
  std::string complaint(const std::string& chip, const std::vector<std::string>& metrics) {
    try {
      plan_counters(*cupti_, chip, metrics);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "none";
  }
  std::shared_ptr<const CuptiLibrary> cupti_;
};

TEST_F(CuptiPlan, CudaChipsHaveTheirMetricsInFewPasses) {
  for (const char* chip : {"GH100", "GA100", "AD102", "GB100", "GB202"}) {
    const CounterPlan plan = plan_counters(*cupti_, chip, metrics_for(chip));
    EXPECT_FALSE(plan.configuration.empty()) << chip;
    EXPECT_GE(plan.passes, 1u) << chip;
    EXPECT_LE(plan.passes, 16u) << chip;
  }
}

TEST_F(CuptiPlan, CudaBytesTakeOnePass) {
  EXPECT_EQ(
      plan_counters(*cupti_, "GH100", {"dram__bytes_read.sum", "dram__bytes_write.sum"}).passes,
      1u);
}

TEST_F(CuptiPlan, CudaNamesMetricsThatAreNotThere) {
  const std::string text = complaint("GH100", {"dram__bytes_read.sum", "dram__bytes_eaten.sum"});
  EXPECT_THAT(text, HasSubstr("GH100 has no such counters: dram__bytes_eaten.sum"));
  EXPECT_THAT(text, Not(HasSubstr("dram__bytes_read")));
}

TEST_F(CuptiPlan, CudaNamesChipsThatAreNotThere) {
  EXPECT_THAT(complaint("GH1000", {"dram__bytes_read.sum"}),
              HasSubstr("cannot plan for the chip 'GH1000'"));
}

}  // namespace
}  // namespace kernelloop
