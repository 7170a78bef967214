#include "counters/ncu_csv.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace kernelloop {
namespace {

using Row = std::vector<std::string>;

// One record of RFC 4180, which may hold line ends inside quotes. Advances `at` behind it. A text
// that ends inside quotes was cut off, and what stands there may be half a number.
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
    } else if (c == '"' && row.back().empty()) {  // elsewhere it is what a program printed
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
  if (quoted) {
    fail(ExitCode::bad_input,
         "the table of ncu ends inside a cell: it was cut off; have ncu print it once more");
  }
  return row;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether each comma of a whole number stands before three digits: "1,345,280".
bool is_grouped(std::string_view whole) {
  std::size_t comma = whole.find(',');
  if (comma == std::string_view::npos) return true;
  if (comma == 0 || comma > 3 || whole.front() == '0') return false;
  for (; comma < whole.size(); comma += 4) {
    const std::string_view group = whole.substr(comma + 1, 3);
    if (whole[comma] != ',' || group.size() != 3 ||
        !std::all_of(group.begin(), group.end(), is_digit)) {
      return false;
    }
  }
  return true;
}

// Without such commas; nothing where commas stand elsewhere.
std::optional<std::string> ungrouped(std::string_view text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789,", begin), text.size());
  const bool behind = text.find(',', end) != std::string_view::npos;
  if (behind || !is_grouped(text.substr(begin, end - begin))) return std::nullopt;
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  return plain;
}

// "1,345,280" and "0.06"; nothing for "nan", "inf", "(!) n/a" and texts.
std::optional<double> number_in(std::string_view text) {
  const std::optional<std::string> plain = ungrouped(text);
  if (!plain) return std::nullopt;
  const char* const last = plain->data() + plain->size();
  double value = 0;
  const auto [end, error] = std::from_chars(plain->data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

// "0,06", "1.345,28" and "1.345.280": what another locale makes of a number.
bool is_of_another_locale(std::string_view text) {
  return text.find_first_not_of("0123456789.,") == std::string_view::npos &&
         text.find(',') != std::string_view::npos && is_digit(text.front()) &&
         is_digit(text.back()) && !ungrouped(text);
}

// "Mbyte", "Gbyte/s": how ncu writes amounts for people.
bool is_scaled(std::string_view unit) {
  const std::size_t at = unit.find("byte");
  return at != std::string_view::npos && at > 0 &&
         std::isalpha(static_cast<unsigned char>(unit[at - 1])) != 0;
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

// What is said of a launch beside its metrics.
bool is_about_launch(std::string_view column) {
  constexpr std::array k_about = {
      "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
      "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
  return std::find(k_about.begin(), k_about.end(), column) != k_about.end();
}

void add_metrics(const Table& table, const Row& row, NcuKernel& kernel) {
  for (std::size_t i = 0; i < std::min(row.size(), table.header().size()); ++i) {
    const std::string& name = table.header()[i];
    if (is_about_launch(name)) continue;
    if (is_of_another_locale(row[i])) {
      fail(ExitCode::bad_input,
           "'{}' of {} in the table of ncu is no number as the C locale writes it; have ncu print "
           "the table with LC_ALL=C",
           row[i], name);
    }
    if (const auto value = number_in(row[i])) kernel.metrics[name] = *value;
  }
}

// The row below the header, which has no ID.
void check_units(const Table& table, const Row& units) {
  for (std::size_t i = 0; i < std::min(units.size(), table.header().size()); ++i) {
    if (!is_scaled(units[i])) continue;
    fail(ExitCode::bad_input,
         "{} in the table of ncu is in '{}', rounded for people; have ncu print the table with "
         "--print-units base",
         table.header()[i], units[i]);
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
    if (!number_in(id)) {  // the row of units, or a line that is none of the table
      if (!details && id.empty() && kernels.empty()) check_units(table, row);
      continue;
    }
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
