#include "report/html.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <string_view>

namespace kernelloop {

extern const std::string_view k_page_css;

namespace {

constexpr std::size_t k_short = 32;  // bytes

std::string html_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\0':  // no page may hold one
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, html_escaped(value));
}

const char* class_of_line(std::string_view line) {
  if (line.starts_with('+')) return "added";
  if (line.starts_with('-')) return "removed";
  if (line.starts_with('@')) return "place";
  return "same";
}

std::string diff_lines(const std::string& diff) {
  std::string html;
  for (const std::string_view line : split_lines(diff)) {
    html += fmt::format("<span class=\"{}\">{}</span>\n", class_of_line(line), html_escaped(line));
  }
  return html;
}

class HtmlWriter {
 public:
  HtmlWriter(std::string& html, const DrawPlot& draw) : html_(html), draw_(draw) {}

  void operator()(const Heading& heading) {
    html_ += fmt::format("<h2>{}</h2>\n", html_escaped(heading.text));
  }
  void operator()(const Paragraph& paragraph) {
    html_ += fmt::format("<p>{}</p>\n", html_escaped(paragraph.text));
  }
  // Wide tables scroll by themselves; a region that scrolls must be reachable by keyboard.
  void operator()(const Table& table) {
    html_ += fmt::format(
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n"
        "<caption>{0}</caption>\n<thead><tr>",
        html_escaped(table.caption));
    for (const std::string& column : table.columns) {
      html_ += fmt::format("<th scope=\"col\">{}</th>", html_escaped(column));
    }
    html_ += "</tr></thead>\n<tbody>\n";
    for (const std::vector<Cell>& row : table.rows) {
      html_ += "<tr>";
      for (const Cell& cell : row) write_cell(cell, &cell == &row.front());
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
  }
  void operator()(const Folded& folded) {
    html_ += fmt::format("<details><summary>{}</summary><pre tabindex=\"0\">{}</pre></details>\n",
                         html_escaped(folded.summary),
                         folded.is_diff ? diff_lines(folded.text) : html_escaped(folded.text));
  }
  void operator()(const Figure& figure) {
    const auto svg = draw_(figure.plot);
    if (!svg) {
      html_ +=
          fmt::format("<p class=\"no-plot\">The plot “{}” is missing: {} Its numbers: {}</p>\n",
                      html_escaped(figure.plot.title), html_escaped(no_plot_remedy()),
                      html_escaped(figure.alternative));
      return;
    }
    html_ += fmt::format("<figure class=\"plot\" role=\"img\" aria-label=\"{}\">{}</figure>\n",
                         html_escaped(figure.alternative), *svg);
  }

 private:
  void write_cell(const Cell& cell, bool first) {
    const std::string text = html_escaped(cell.text);
    html_ += fmt::format(
        "<{}{}>{}</{}>", first ? "th scope=\"row\"" : "td", attribute("data-number", cell.pointer),
        cell.link.empty() ? text
                          : fmt::format("<a href=\"{}\">{}</a>", html_escaped(cell.link), text),
        first ? "th" : "td");
  }

  std::string& html_;
  const DrawPlot& draw_;
};

}  // namespace

std::string to_html(const Document& document, const DrawPlot& draw) {
  const std::string title = html_escaped(document.title);
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
      title, k_page_css);
  HtmlWriter writer(html, draw);
  for (const Block& block : document.blocks) std::visit(writer, block);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace kernelloop
