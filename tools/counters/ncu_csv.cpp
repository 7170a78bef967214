#include "counters/ncu_csv.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace kernelloop {
namespace {

using Row = std::vector<std::string>;

// One record of RFC 4180, which may hold line ends inside quotes. Advances `at` behind it.
Row read_record(std::string_view text, std::size_t& at) {
  Row row(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        row.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  return row;
}

// "1,345,280" and "0.06"; nothing for "nan", "(!) n/a" and texts.
std::optional<double> number_in(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value != value) {
    return std::nullopt;
  }
  return value;
}

class Table {
 public:
  explicit Table(Row header) : header_(std::move(header)) {
    for (std::size_t i = 0; i < header_.size(); ++i) columns_[header_[i]] = i;
  }
  [[nodiscard]] const Row& header() const noexcept { return header_; }
  [[nodiscard]] bool has(const char* column) const { return columns_.count(column) != 0; }
  // "" where the row is shorter.
  [[nodiscard]] std::string cell(const Row& row, const char* column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || found->second >= row.size() ? "" : row[found->second];
  }

 private:
  Row header_;
  std::map<std::string, std::size_t> columns_;
};

void add_metrics(const Table& table, const Row& row, NcuKernel& kernel) {
  // ID, Process ID, ..., CC: the metrics follow.
  constexpr std::size_t k_about_launch = 11;
  for (std::size_t i = k_about_launch; i < std::min(row.size(), table.header().size()); ++i) {
    if (const auto value = number_in(row[i])) kernel.metrics[table.header()[i]] = *value;
  }
}

void add_rule(const Table& table, const Row& row, NcuKernel& kernel) {
  NcuRule rule;
  rule.type = table.cell(row, "Rule Type");
  if (rule.type.empty()) return;
  rule.section = table.cell(row, "Section Name");
  rule.description = table.cell(row, "Rule Description");
  rule.speedup_type = table.cell(row, "Estimated Speedup Type");
  rule.speedup = number_in(table.cell(row, "Estimated Speedup")).value_or(0);
  kernel.rules.push_back(std::move(rule));
}

}  // namespace

std::vector<NcuKernel> read_ncu_csv(std::string_view text) {
  std::size_t at = text.starts_with("\"ID\",") ? 0 : text.find("\n\"ID\",");
  if (at == std::string_view::npos) {
    const bool nothing = text.find("No kernels were profiled") != std::string_view::npos;
    fail(ExitCode::bad_input, "{}",
         nothing ? "ncu profiled no kernel: its filter matched none"
                 : "no table of ncu: run it with --csv --page raw or --page details");
  }
  if (at > 0) ++at;
  const Table table(read_record(text, at));
  const bool details = table.has("Rule Type");
  std::vector<NcuKernel> kernels;
  std::string last_id;
  while (at < text.size()) {
    const Row row = read_record(text, at);
    const std::string id = table.cell(row, "ID");
    if (!number_in(id)) continue;  // the row of units, or a line that is none of the table
    if (kernels.empty() || id != last_id) {
      last_id = id;
      kernels.push_back({table.cell(row, "Kernel Name"), {}, {}});
    }
    if (details) {
      add_rule(table, row, kernels.back());
    } else {
      add_metrics(table, row, kernels.back());
    }
  }
  return kernels;
}

}  // namespace kernelloop
