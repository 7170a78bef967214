#include "report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

// Text that means nothing to Markdown, in one line.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      result += ' ';
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string("\\`*_[]|#~").find(c) != std::string::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

// Longer than any run of backticks inside, so that the text cannot end it.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

struct Writer {
  std::string& text;

  void operator()(const Heading& heading) const {
    text += fmt::format("\n## {}\n", escaped(heading.text));
  }
  void operator()(const Paragraph& paragraph) const {
    text += fmt::format("\n{}\n", escaped(paragraph.text));
  }
  void operator()(const Table& table) const {
    text += fmt::format("\n{}:\n\n|", escaped(table.caption));
    for (const std::string& column : table.columns) text += fmt::format(" {} |", escaped(column));
    text += "\n|";
    for (std::size_t c = 0; c < table.columns.size(); ++c) text += " --- |";
    for (const std::vector<Cell>& row : table.rows) {
      text += "\n|";
      for (const Cell& cell : row) text += fmt::format(" {} |", escaped(cell.text));
    }
    text += "\n";
  }
  void operator()(const Folded& folded) const {
    const std::string fence = fence_for(folded.text);
    text += fmt::format("\n<details><summary>{}</summary>\n\n{}{}\n{}{}{}\n\n</details>\n",
                        escaped(folded.summary), fence, folded.is_diff ? "diff" : "", folded.text,
                        folded.text.ends_with('\n') ? "" : "\n", fence);
  }
  void operator()(const Figure&) const {}
};

}  // namespace

std::string to_markdown(const Document& document) {
  std::string text = fmt::format("# {}\n", escaped(document.title));
  for (const Block& block : document.blocks) std::visit(Writer{text}, block);
  return text;
}

}  // namespace kernelloop
