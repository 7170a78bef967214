// The pages that are written of a report: Markdown, HTML, the index.
#include "report/document_of.hpp"
#include "report/html.hpp"
#include "report/markdown.hpp"
#include "report/report_files.hpp"
#include "report/report_json.hpp"

#include "report_fixture.hpp"

#include <regex>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<std::string> drawn(const Plot& plot) { return "<svg id=\"" + plot.id + "\"></svg>"; }
std::optional<std::string> not_drawn(const Plot&) { return std::nullopt; }

// All places that cells of a page point at.
std::vector<std::string> pointers_in(const std::string& html) {
  const std::regex pattern("data-number=\"([^\"]*)\"");
  std::vector<std::string> pointers;
  for (std::sregex_iterator at(html.begin(), html.end(), pattern), end; at != end; ++at) {
    pointers.push_back((*at)[1]);
  }
  return pointers;
}

TEST_F(ReportTest, MarkdownShowsTimesVerdictsAndResources) {
  add_three_versions();
  adopt_now();
  const std::string text = to_markdown(document_of(only_report()));
  for (const char* part :
       {"# softmax on NVIDIA H200\n",
        "v003 is adopted: 40.0 µs, 50.0 % of the speed of light (bound: memory).",
        "| v001 | seed | wrong | – | – | – | – | – | rung smoke: wrong |",
        "| v003 | optimise of v002 | verified, adopted | 40.0 µs | 2.00× | – | 50.0 % | memory |",
        "| w | 1 | 40.0 µs |", "| smoke | failed (2) | passed (2) | passed (2) |",
        "| k | 40 | 0 | – | – | – |", "| clocks | as found |", "```diff\n", "| launch | 3.0 µs |",
        "| copy | 4000 GB/s |", "| in all | – | – | 6000 | 300 | $0.75 |"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(ReportTest, EveryPointerOfThePageIsInTheJson) {
  add_three_versions();
  const Report report = only_report();
  const Json json = to_json(report);
  const std::vector<std::string> pointers = pointers_in(to_html(document_of(report), drawn));
  EXPECT_GT(pointers.size(), 30u);
  for (const std::string& pointer : pointers) {
    EXPECT_TRUE(json.contains(Json::json_pointer(pointer))) << pointer;
  }
}

TEST_F(ReportTest, WhatAModelWroteIsInert) {
  add_three_versions();
  const std::string evil =
      "</script><script>alert(1)</script><img src=x onerror=alert(2)> | `x` [y](z)";
  origin(3, "v002", evil);
  write(source(3), "// </pre>" + evil + "\n// ````\n");
  const Document document = document_of(only_report());
  const std::string html = to_html(document, drawn);
  for (const char* part : {"<script", "<img", "</script"}) EXPECT_THAT(html, Not(HasSubstr(part)));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(2)&gt;"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  const std::string text = to_markdown(document);
  EXPECT_THAT(text, HasSubstr("&lt;img src=x onerror=alert(2)> \\| \\`x\\` \\[y\\](z) |"));
  // The source holds a fence of four.
  EXPECT_THAT(text, HasSubstr("`````diff\n"));
}

TEST_F(ReportTest, APlotThatIsMissingSaysSo) {
  add_three_versions();
  const std::string html = to_html(document_of(only_report()), not_drawn);
  EXPECT_THAT(html, HasSubstr("The plot “Roofline” is missing: gnuplot is not on the machine"));
  EXPECT_THAT(html, HasSubstr("Install it (Debian package gnuplot-nox"));
  EXPECT_THAT(html, HasSubstr("v002 80; v003 40."));
  EXPECT_THAT(to_html(document_of(only_report()), drawn),
              HasSubstr("role=\"img\" aria-label=\"Time of each version: time, µs over version."));
}

TEST_F(ReportTest, TimesOfTheCpuDeviceAreLabelled) {
  config_.device = "cpu";
  add_version(1, 5e4, "A processor");
  put(1, "proposed", {{"status", "ready"}});
  const std::string text = to_markdown(document_of(only_report()));
  EXPECT_THAT(text, HasSubstr("50.00 ms of wall time in the emulation, which is no GPU time"));
  EXPECT_THAT(text, HasSubstr("| wall time |"));
  EXPECT_THAT(text, HasSubstr("The CPU device has no roofs."));
}

TEST_F(ReportTest, WritesOnceAndLeavesEvidenceAlone) {
  add_three_versions();
  adopt_now();
  const std::filesystem::path directory = config_.reports_dir / "softmax";
  const std::string evidence = read_file(directory / "nvidia-h200.json");
  EXPECT_EQ(write_reports(config_).files.size(), 3u);
  const auto before = std::filesystem::last_write_time(directory / "nvidia-h200.md");
  write_reports(config_);
  EXPECT_EQ(std::filesystem::last_write_time(directory / "nvidia-h200.md"), before);
  EXPECT_EQ(read_file(directory / "nvidia-h200.json"), evidence);
  const std::string index = read_file(config_.reports_dir / "index.html");
  EXPECT_THAT(index, HasSubstr("<a href=\"softmax/nvidia-h200.html\">softmax</a>"));
  EXPECT_THAT(index, HasSubstr("softmax/nvidia-h200.report.json#/shown/time_us\">40.0 µs</td>"));
}

TEST_F(ReportTest, APageSaysWhichSamplesWereSetAside) {
  add_three_versions();
  change(3, "bench", "/workloads/0/set_aside", 5);
  change(3, "bench", "/workloads/0/foreign", 3);
  change(3, "bench", "/workloads/0/throttling", {"power cap"});
  EXPECT_THAT(to_markdown(document_of(only_report())),
              HasSubstr("20, and 5 set aside (power cap, 3 beside another process)"));
  change(3, "bench", "/workloads/0/set_aside", 0);
  change(3, "bench", "/workloads/0/foreign", 20);
  change(3, "bench", "/workloads/0/throttling", Json::array());
  EXPECT_THAT(to_markdown(document_of(only_report())), HasSubstr("20 (20 beside another process)"));
}

TEST_F(ReportTest, AReportOfMeasurementsOutlivesTheirBuild) {
  add_three_versions();
  adopt_now();
  write_reports(config_);
  const std::filesystem::path page = config_.reports_dir / "softmax/nvidia-h200.md";
  const std::string measured = read_file(page);
  std::filesystem::remove_all(config_.build_dir);
  const WrittenReports kept = write_reports(config_);
  EXPECT_THAT(kept.files, testing::IsEmpty());
  ASSERT_EQ(kept.notes.size(), 1u);
  EXPECT_THAT(kept.notes[0], HasSubstr("it was measured by another build"));
  EXPECT_EQ(read_file(page), measured);

  // Not when the evidence is other evidence by now.
  const std::filesystem::path file = config_.reports_dir / "softmax/nvidia-h200.json";
  Json evidence = read_json(file).value;
  evidence["clocks"] = "locked";
  write(file, to_text(evidence));
  EXPECT_EQ(write_reports(config_).files.size(), 3u);
}

TEST_F(ReportTest, NothingToReportIsSaid) {
  const WrittenReports written = write_reports(config_);
  EXPECT_THAT(written.files, testing::IsEmpty());
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_THAT(written.notes[0], HasSubstr("build optimize_softmax first"));
  EXPECT_FALSE(std::filesystem::exists(config_.reports_dir));
}

}  // namespace
}  // namespace kernelloop
