#include "compile/text.hpp"
#include "support/demangle.hpp"
#include "support/json_members.hpp"

#include <fmt/format.h>

#include "inspect/inspect.hpp"
#include "inspect/loops.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace kernelloop {
namespace {

std::string head_line(const VersionFiles& files, const Listing& listing) {
  std::string text = fmt::format("{} {}, sm_{}: {} by {}\n", files.op, files.version,
                                 files.architecture, name_of(listing.language), listing.made_by);
  if (!listing.lacks.empty()) text += "Note: " + listing.lacks + ".\n";
  return text;
}

std::string lines_text(const std::pair<std::size_t, std::size_t>& lines) {
  if (lines.first == 0) return "";
  if (lines.first == lines.second) return fmt::format(", source line {}", lines.first);
  return fmt::format(", source lines {}-{}", lines.first, lines.second);
}

// The widths of accesses of one class: "4 x 16 B, 1 x 4 B".
std::string widths_text(const Listing& listing, const CodeFunction& function, std::size_t which) {
  std::map<int, std::size_t, std::greater<>> widths;
  for (const CodeInstruction& one : function.instructions) {
    if (class_of(listing.language, one) != which) continue;
    if (const int bytes = access_bytes(listing.language, one.opcode)) ++widths[bytes];
  }
  std::string text;
  for (const auto& [bytes, count] : widths) {
    text += fmt::format("{}{} x {} B", text.empty() ? "" : ", ", count, bytes);
  }
  return text;
}

// The most frequent operations of one class: "FFMA 64, FADD 12, FMUL 4".
std::string operations_text(const Listing& listing, const CodeFunction& function,
                            std::size_t which) {
  constexpr std::size_t k_shown = 4;
  std::map<std::string, std::size_t> found;
  for (const CodeInstruction& one : function.instructions) {
    if (class_of(listing.language, one) != which) continue;
    ++found[one.opcode.substr(0, one.opcode.find('.'))];
  }
  std::vector<std::pair<std::string, std::size_t>> order(found.begin(), found.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(k_shown, order.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", order[i].first, order[i].second);
  }
  return text + (order.size() > k_shown ? ", ..." : "");
}

std::string function_histogram(const Listing& listing, const CodeFunction& function) {
  const ClassCounts counts = count_classes(listing.language, function);
  const std::optional<Loop> hot = hot_loop(find_loops(listing.language, function));
  std::string text = fmt::format(
      "\n## {}: {} instructions\n| class | count | in the hot loop | operations |\n"
      "|---|---|---|---|\n",
      demangled(function.name), function.instructions.size());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    const std::string widths = widths_text(listing, function, c);
    text += fmt::format("| {} | {} | {} | {}{} |\n", k_instruction_classes[c].name, counts[c],
                        hot ? hot->counts[c] : 0, operations_text(listing, function, c),
                        widths.empty() ? "" : " (" + widths + ")");
  }
  return text;
}

std::string counts_line(const ClassCounts& counts) {
  std::string text;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[c], k_instruction_classes[c].name);
  }
  return text;
}

std::string function_loop(const Listing& listing, const CodeFunction& function,
                          std::size_t max_lines) {
  const std::vector<Loop> loops = find_loops(listing.language, function);
  const std::optional<Loop> hot = hot_loop(loops);
  std::string text = fmt::format("\n## {}\n", demangled(function.name));
  if (!hot) {
    return text + fmt::format("No loop: each thread goes once through {} instructions: {}.\n",
                              function.instructions.size(),
                              counts_line(count_classes(listing.language, function)));
  }
  text += fmt::format(
      "{} loop{}; the hot one is the innermost with the most work: {} instructions "
      "at depth {}{}.\nOne pass: {}.\n",
      loops.size(), loops.size() == 1 ? "" : "s", hot->body.size(), hot->depth,
      lines_text(hot->lines), counts_line(hot->counts));
  for (const Loop& other : loops) {
    if (other.head == hot->head) continue;
    text += fmt::format("Another at {:#06x}: {} instructions, depth {}{}{}: {}.\n",
                        function.instructions[other.head].address, other.body.size(), other.depth,
                        other.innermost ? "" : ", holds other loops", lines_text(other.lines),
                        counts_line(other.counts));
  }
  text += "```\n";
  std::size_t shown = 0;
  for (const std::size_t index : hot->body) {
    if (shown++ == max_lines) break;
    const CodeInstruction& one = function.instructions[index];
    text += fmt::format("{:>5}  {:#06x}  {}\n",
                        one.source_line == 0 ? "" : fmt::format("{}", one.source_line), one.address,
                        one.text);
  }
  text += "```\n";
  if (hot->body.size() > max_lines) {
    text += fmt::format("({} more instructions of the loop are not shown.)\n",
                        hot->body.size() - max_lines);
  }
  return text;
}

}  // namespace

std::string histogram_text(const VersionFiles& files) {
  const Listing listing = listing_of(files);
  std::string text = head_line(files, listing);
  for (const CodeFunction& one : listing.functions) text += function_histogram(listing, one);
  return text;
}

std::string loop_text(const VersionFiles& files, std::size_t max_lines) {
  const Listing listing = listing_of(files);
  std::string text = head_line(files, listing);
  for (const CodeFunction& one : listing.functions) text += function_loop(listing, one, max_lines);
  return text;
}

std::string resources_text(const VersionFiles& files) {
  std::string text = fmt::format(
      "{} {}, sm_{}\n| kernel | registers | static shared | spill stores | spill loads | stack | "
      "most threads per block |\n|---|---|---|---|---|---|---|\n",
      files.op, files.version,
      text_member(member(member(files.compiled, "artifacts"), "cuda"), "architecture"));
  const auto figure = [](const Json& kernel, const char* name, const char* unit) {
    const auto value = count_member(kernel, name);
    return value ? fmt::format("{}{}", *value, unit) : std::string("unknown");
  };
  for (const Json& kernel : list_member(files.compiled, "kernels")) {
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", text_member(kernel, "name"),
        figure(kernel, "registers", ""), figure(kernel, "static_shared_bytes", " B"),
        figure(kernel, "spill_store_bytes", " B"), figure(kernel, "spill_load_bytes", " B"),
        figure(kernel, "stack_bytes", " B"), figure(kernel, "max_threads_per_block", ""));
  }
  text += fmt::format("PTX: {}\ncubin: {}\n", files.ptx.string(), files.cubin.string());
  return text;
}

}  // namespace kernelloop
