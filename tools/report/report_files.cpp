#include "report/report_files.hpp"

#include "report/document_of.hpp"
#include "report/gather.hpp"
#include "report/html.hpp"
#include "report/markdown.hpp"
#include "report/plot.hpp"
#include "report/report_json.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// Measured by another build, of the same evidence: this one would only lose what it knows.
bool says_more(const Json& before, const Report& report) {
  if (report.from_build() || text_member(before, "source") != "build") return false;
  return text_member(before, "evidence_sha256") == report.evidence_sha256;
}

void write_index(const fs::path& reports_dir) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& directory : fs::directory_iterator(reports_dir)) {
    if (!directory.is_directory()) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory.path())) {
      if (is_report_file(entry.path())) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<IndexedReport> reports;
  for (const fs::path& file : found) {
    const std::string name = file.filename().string();
    reports.push_back(
        {read_json(file).value,
         fmt::format("{}/{}", file.parent_path().filename().string(),
                     name.substr(0, name.size() - std::string(".report.json").size()))});
  }
  write_file_if_changed(reports_dir / "index.html", to_html(index_of(reports), draw_svg));
}

}  // namespace

WrittenReports write_reports(const OpConfig& config) {
  WrittenReports written;
  GatheredReports gathered = gather_reports(config);
  written.inputs = std::move(gathered.inputs);
  if (gathered.by_device.empty()) {
    written.notes.push_back(fmt::format(
        "{0}: nothing was measured yet, so there is nothing to report; build optimize_{0} first",
        config.op));
    return written;
  }
  const fs::path directory = config.reports_dir / config.op;
  fs::create_directories(directory);
  // Operators share the index, and are reported at the same time.
  fs::create_directories(config.build_dir.parent_path());
  const FileLock lock(config.build_dir.parent_path() / "reports.lock");
  for (const auto& [device, report] : gathered.by_device) {
    const fs::path json = directory / (device + ".report.json");
    if (says_more(read_json_if_there(json), report)) {
      written.notes.push_back(fmt::format(
          "{}: kept {}: it was measured by another build, of which only the evidence is "
          "here",
          config.op, json.string()));
      continue;
    }
    const Document document = document_of(report);
    const fs::path markdown = directory / (device + ".md");
    const fs::path page = directory / (device + ".html");
    write_file_if_changed(json, to_text(to_json(report)));
    write_file_if_changed(markdown, to_markdown(document));
    write_file_if_changed(page, to_html(document, draw_svg));
    written.files.insert(written.files.end(), {json, markdown, page});
  }
  write_index(config.reports_dir);
  // Evidence of another device may be added to it.
  written.inputs.push_back(directory);
  return written;
}

}  // namespace kernelloop
