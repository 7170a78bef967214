#include "report/plot.hpp"

#include "report/document_plots.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

#include "report_fixture.hpp"

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Plot sample() {
  Plot plot;
  plot.id = "times";
  plot.title = "It's `touch /tmp/x` & <b>";
  plot.categories = {"v001", "v002"};
  plot.series = {{"a 'b'\nc", Series::Style::bars, {{1, 10}, {2, 5.5}}},
                 {"roof", Series::Style::line, {{0.4, 7}, {2.6, 7}}}};
  return plot;
}

TEST(Plot, NamesAreNoCommandsOfGnuplot) {
  const std::string script = gnuplot_script(sample());
  EXPECT_THAT(script, HasSubstr("set title 'It''s `touch /tmp/x` & <b>'\n"));
  EXPECT_THAT(script, HasSubstr("title 'a ''b'' c'"));
  EXPECT_THAT(script, HasSubstr("set xtics ('v001' 1, 'v002' 2)"));
  EXPECT_THAT(script, HasSubstr("$d0 << EOD\n1 10\n2 5.5\nEOD\n"));
}

TEST(Plot, GnuplotDrawsAnElementOfThePage) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not here";
  const auto svg = draw_svg(sample());
  ASSERT_TRUE(svg);
  EXPECT_TRUE(svg->starts_with("<svg"));
  EXPECT_THAT(*svg, HasSubstr("`touch /tmp/x` &amp; &lt;b"));
  EXPECT_THAT(*svg, HasSubstr(">v002<"));
  for (const char* part : {"<title>", "<?xml", "gpPt", "<b>", "<script"}) {
    EXPECT_THAT(*svg, Not(HasSubstr(part)));
  }
}

TEST(Plot, WithoutGnuplotThereIsNone) {
  const TemporaryDirectory empty;
  const std::string path = std::getenv("PATH");
  setenv("PATH", empty.path().c_str(), 1);
  const auto svg = draw_svg(sample());
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(svg);
  EXPECT_THAT(no_plot_remedy(), HasSubstr("gnuplot-nox"));
}

TEST(Plot, AFailureHasGnuplotsWords) {
  const TemporaryDirectory directory;
  write_file_atomic(directory.path() / "gnuplot", "#!/bin/sh\necho no terminal >&2\nexit 1\n");
  std::filesystem::permissions(directory.path() / "gnuplot", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (directory.path().string() + ":" + path).c_str(), 1);
  try {
    draw_svg(sample());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(),
                HasSubstr("could not draw the plot times (exit code 1): no terminal"));
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_F(ReportTest, TheRooflineHasPointsAndTheRoofsOfTheirClasses) {
  add_three_versions();
  const Plot plot = roofline_plot(only_report());
  std::vector<std::string> names;
  for (const Series& one : plot.series) names.push_back(one.name);
  // v002 does not say its bytes; there is no roof of special functions.
  EXPECT_THAT(names, ElementsAre("v003", "roof fp32", "roof copy"));
  const auto [x, y] = plot.series[0].values.at(0);
  EXPECT_DOUBLE_EQ(x, 1.2e8 / 8e7);
  EXPECT_DOUBLE_EQ(y, 1.2e8 / 40e-6);
  EXPECT_DOUBLE_EQ(plot.series[1].values.at(0).first, 6e13 / 4e12);  // the ridge
}

TEST_F(ReportTest, AnOpThatComputesNothingIsShownByItsBytes) {
  add_three_versions();
  change(3, "bench", "/workloads/0/flops", Json::object());
  const Plot plot = roofline_plot(only_report());
  EXPECT_EQ(plot.y_label, "bytes per second");
  EXPECT_DOUBLE_EQ(plot.series.at(0).values.at(0).second, 8e7 / 40e-6);
  EXPECT_DOUBLE_EQ(plot.series.at(1).values.at(0).second, 4e12);
}

TEST_F(ReportTest, BaselinesAreLinesOverTheBarsOfVersions) {
  add_three_versions();
  Report report = only_report();
  report.baselines.push_back({"cub", "", 60.0, std::nullopt, std::nullopt, {}});
  const Plot plot = time_plot(report);
  EXPECT_THAT(plot.categories, ElementsAre("v001", "v002", "v003"));
  EXPECT_EQ(plot.series.at(0).values.size(), 2u);
  EXPECT_EQ(plot.series.at(1).name, "baseline cub");
  EXPECT_EQ(plot.series.at(1).values.at(0).second, 60.0);
}

}  // namespace
}  // namespace kernelloop
