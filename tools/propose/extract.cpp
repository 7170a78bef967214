#include "propose/extract.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <regex>
#include <vector>

namespace kernelloop {
namespace {

using Problem = Extraction::Problem;

constexpr std::string_view k_plan_mark = "kernelloop:plan";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// The thoughts some models print before the answer; also when the opening mark was cut off.
std::string without_thoughts(std::string_view answer) {
  constexpr std::string_view k_open = "<think>";
  constexpr std::string_view k_close = "</think>";
  std::string text;
  for (std::size_t close = answer.find(k_close); close != std::string_view::npos;
       close = answer.find(k_close)) {
    text += answer.substr(0, close);
    const std::size_t open = text.rfind(k_open);
    text.resize(open == std::string::npos ? 0 : open);
    answer.remove_prefix(close + k_close.size());
  }
  text += answer;
  // Thoughts that never end: there is no answer behind them.
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && text.compare(start, k_open.size(), k_open) == 0) text.clear();
  return text;
}

struct Fence {
  char mark = 0;
  std::size_t length = 0;
  std::string tag;  // what follows an opening fence, in lower case
};

// A line that opens or closes a block: at most three spaces, then three or more ` or ~.
Fence fence_of(const std::string& line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent > 3) return {};  // also where there is nothing else
  const char mark = line[indent];
  if (mark != '`' && mark != '~') return {};
  std::size_t end = indent;
  while (end < line.size() && line[end] == mark) ++end;
  if (end - indent < 3) return {};
  Fence fence{mark, end - indent, line.substr(end)};
  if (mark == '`' && fence.tag.find('`') != std::string::npos) return {};  // inline code
  std::transform(fence.tag.begin(), fence.tag.end(), fence.tag.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fence;
}

struct Block {
  std::string tag;
  std::string text;
};

struct Scan {
  std::vector<Block> blocks;
  std::vector<std::string> prose;  // lines outside all blocks
  bool unclosed = false;
};

Scan scan_fences(const std::vector<std::string>& lines) {
  Scan scan;
  Fence open;
  for (const std::string& line : lines) {
    const Fence fence = fence_of(line);
    if (open.length == 0) {
      if (fence.length == 0) {
        scan.prose.push_back(line);
      } else {
        open = fence;
        scan.blocks.push_back({fence.tag, {}});
      }
      continue;
    }
    const bool closes = fence.mark == open.mark && fence.length >= open.length &&
                        fence.tag.find_first_not_of(" \t") == std::string::npos;
    if (closes) {
      open = {};
    } else {
      scan.blocks.back().text += line + '\n';
    }
  }
  scan.unclosed = open.length != 0;
  return scan;
}

// The text of each comment, since the words of a placeholder may stand in code too. Strings are
// not told apart: a quote with "//" in it costs at worst one more question to the model.
std::vector<std::string> comments_of(const std::string& source, const Language& language) {
  const std::string_view line_mark = language.is_cuda() ? "//" : "#";
  std::vector<std::string> comments;
  for (std::size_t at = 0; at + 1 < source.size();) {
    const bool line = source.compare(at, line_mark.size(), line_mark) == 0;
    const bool block = language.is_cuda() && source.compare(at, 2, "/*") == 0;
    if (!line && !block) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(source.find(line ? "\n" : "*/", at + 2), source.size());
    const std::size_t begin = at + (line ? line_mark.size() : 2);
    comments.push_back(source.substr(begin, std::max(end, begin) - begin));
    at = std::max(end, begin);
  }
  return comments;
}

// The line that stands for code that is not there; empty when there is none.
std::string placeholder_in(const std::string& source, const Language& language) {
  static const std::array<std::regex, 5> k_comments{
      std::regex(
          R"(^[\s*]*(\.\.\.|\[?\.\.\.\]?).*\b(existing|previous|rest|remaining|same|unchanged|omitted|as before|code|kernel|above)\b)",
          std::regex::icase),
      std::regex(
          R"(\b(rest|remainder|remaining)\b.{0,40}\b(unchanged|same as|as before|omitted|as above)\b)",
          std::regex::icase),
      std::regex(
          R"(\b(existing|previous|original|same)\b.{0,20}\b(code|kernel|implementation)\b.{0,20}(here|\.\.\.|unchanged))",
          std::regex::icase),
      std::regex(R"(^\s*(todo|fixme)\b.{0,12}\b(implement|write|fill|complete|add|your)\b)",
                 std::regex::icase),
      std::regex(R"(\b(your|kernel|actual|real)\s+(code|implementation|body)\s+(goes\s+)?here\b)",
                 std::regex::icase)};
  for (const std::string& comment : comments_of(source, language)) {
    if (comment.find(k_plan_mark) != std::string::npos) continue;
    for (const std::string& line : lines_of(comment)) {
      std::string shortened = line.substr(0, 200);
      for (const std::regex& expression : k_comments) {
        if (std::regex_search(shortened, expression)) return shortened;
      }
    }
  }
  static const std::regex k_bare_dots(R"(^\s*(\.\.\.|…)\s*;?\s*$)");
  for (const std::string& line : lines_of(source)) {
    if (line.size() < 40 && std::regex_match(line, k_bare_dots)) return line;
  }
  return {};
}

bool is_html_escaped(const std::string& source) {
  return source.find("&lt;") != std::string::npos || source.find("&gt;") != std::string::npos ||
         source.find("&amp;&amp;") != std::string::npos ||
         source.find("&quot;") != std::string::npos;
}

// What stands behind "Summary:", which may be a heading, a list item or set in bold. By hand: with
// several stars one after another, std::regex needs the third power of a line's length in steps.
std::optional<std::string_view> behind_summary_mark(std::string_view line) {
  constexpr std::string_view k_word = "summary";
  const auto skip = [&line](std::string_view characters) {
    line.remove_prefix(std::min(line.find_first_not_of(characters), line.size()));
  };
  skip(" \t*_#>-");
  const std::string_view word = line.substr(0, k_word.size());
  const bool begins = std::equal(word.begin(), word.end(), k_word.begin(), k_word.end(),
                                 [](unsigned char a, char b) { return std::tolower(a) == b; });
  if (!begins) return std::nullopt;
  line.remove_prefix(k_word.size());
  skip("*_");
  skip(" \t");
  if (line.empty() || line.front() != ':') return std::nullopt;
  line.remove_prefix(1);
  skip(" \t*_");
  line = line.substr(0, line.find('\r'));
  return line.substr(0, line.find_last_not_of(" \t*_") + 1);
}

std::string summary_of(const std::vector<std::string>& prose) {
  for (const std::string& line : prose) {
    const std::optional<std::string_view> found = behind_summary_mark(line);
    if (!found) continue;
    constexpr std::size_t k_longest = 200;
    std::string text(*found);
    if (text.size() > k_longest) {
      std::size_t cut = k_longest;
      while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0u) == 0x80u) --cut;
      text = text.substr(0, cut) + "...";
    }
    return text;
  }
  return {};
}

// An answer that is nothing but source, without a fence.
bool is_bare_source(const std::string& text, const Language& language) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text.find(k_plan_mark) == std::string::npos) return false;
  if (!language.is_cuda()) return text.compare(start, 3, "\"\"\"") == 0;
  const bool begins_like_source =
      text.compare(start, 2, "/*") == 0 || text.compare(start, 2, "//") == 0 || text[start] == '#';
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return begins_like_source && (text[last] == '}' || text[last] == ';');
}

Extraction problem_of(Problem problem, std::string detail) {
  Extraction extraction;
  extraction.problem = problem;
  extraction.detail = std::move(detail);
  return extraction;
}

Extraction checked(std::string source, const Language& language) {
  if (source.find(k_plan_mark) == std::string::npos) {
    return problem_of(Problem::not_a_kernel,
                      std::string("the code has no launch plan; the file must begin with a ") +
                          (language.is_cuda() ? "comment /* kernelloop:plan { ... } */"
                                              : "docstring \"\"\"kernelloop:plan { ... }\"\"\""));
  }
  if (is_html_escaped(source)) {
    return problem_of(Problem::html_escaped,
                      "the code is HTML-escaped (&lt; for <); write the characters themselves");
  }
  if (const std::string line = placeholder_in(source, language); !line.empty()) {
    return problem_of(Problem::placeholder, "this line stands for code that is missing: \"" + line +
                                                "\"; write the whole file");
  }
  Extraction extraction;
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (source.compare(0, k_byte_order_mark.size(), k_byte_order_mark) == 0) {
    source.erase(0, k_byte_order_mark.size());
  }
  if (source.back() != '\n') source += '\n';
  extraction.source = std::move(source);
  return extraction;
}

Extraction from_blocks(const Scan& scan, const std::string& text, const Language& language) {
  std::vector<const Block*> kernels;
  for (const Block& block : scan.blocks) {
    if (block.text.find(k_plan_mark) != std::string::npos) kernels.push_back(&block);
  }
  if (kernels.size() == 1) return checked(kernels.front()->text, language);
  if (kernels.size() > 1) {
    const bool same = std::all_of(kernels.begin(), kernels.end(), [&](const Block* block) {
      return block->text == kernels.front()->text;
    });
    if (same) return checked(kernels.front()->text, language);
    return problem_of(Problem::several_blocks,
                      "there are " + std::to_string(kernels.size()) +
                          " code blocks with a launch plan; give one, the whole file");
  }
  if (!scan.blocks.empty()) return checked(scan.blocks.back().text, language);
  if (is_bare_source(text, language)) return checked(text, language);
  return problem_of(Problem::no_code, "there is no code block; give the whole file in one ```" +
                                          language.fence + " block");
}

}  // namespace

const char* name_of(Extraction::Problem problem) {
  switch (problem) {
    case Problem::none:
      return "none";
    case Problem::empty:
      return "empty";
    case Problem::refusal:
      return "refusal";
    case Problem::truncated:
      return "truncated";
    case Problem::no_code:
      return "no_code";
    case Problem::several_blocks:
      return "several_blocks";
    case Problem::not_a_kernel:
      return "not_a_kernel";
    case Problem::placeholder:
      return "placeholder";
    case Problem::html_escaped:
      return "html_escaped";
  }
  return "none";
}

Extraction extract_source(std::string_view text, std::string_view stop_reason,
                          const Language& language) {
  if (stop_reason == "refusal") return problem_of(Problem::refusal, "the model refused to answer");
  if (stop_reason == "length") {
    return problem_of(Problem::truncated,
                      "the answer hit the length limit; give a shorter file, without explanations");
  }
  const std::string answer = without_thoughts(text);
  if (answer.find_first_not_of(" \t\r\n") == std::string::npos) {
    return problem_of(Problem::empty, "the answer is empty; give the whole file in one code block");
  }
  const Scan scan = scan_fences(lines_of(answer));
  Extraction extraction =
      scan.unclosed ? problem_of(Problem::truncated,
                                 "the code block never ends; give the whole file and close it")
                    : from_blocks(scan, answer, language);
  extraction.summary = summary_of(scan.prose);
  return extraction;
}

}  // namespace kernelloop
