#include "report/plot.hpp"

#include "support/error.hpp"
#include "support/process.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace kernelloop {
namespace {

// Readable on white and on black alike; shapes differ as well.
constexpr std::array<const char*, 8> k_colours{"#3b82c4", "#d97706", "#2f9e5f", "#c2477f",
                                               "#8b6fd6", "#0f9aa8", "#b8584a", "#7f8b2a"};
constexpr std::array<int, 8> k_shapes{7, 5, 9, 13, 11, 15, 4, 6};

// A string of gnuplot's in which nothing is special: single quotes, doubled inside.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "'";
}

std::string style_of(const Series& series, std::size_t index) {
  const char* colour = k_colours[index % k_colours.size()];
  switch (series.style) {
    case Series::Style::points:
      return fmt::format("with points pt {} ps 1.1 lc rgb '{}'", k_shapes[index % k_shapes.size()],
                         colour);
    case Series::Style::line:
      return fmt::format("with lines lw 2 lc rgb '{}'", colour);
    case Series::Style::bars:
      return fmt::format("with boxes lc rgb '{}'", colour);
  }
  return {};
}

std::string data_block(const Series& series, std::size_t index) {
  std::string text = fmt::format("$d{} << EOD\n", index);
  for (const auto& [x, y] : series.values) text += fmt::format("{:.9g} {:.9g}\n", x, y);
  return text + "EOD\n";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Several plots stand in one page, so that ids must differ; what the page says of itself comes from
// the page.
std::string element_of(std::string svg, const std::string& id) {
  const std::size_t start = svg.find("<svg");
  if (start == std::string::npos) {
    fail(ExitCode::environment, "gnuplot drew no SVG of the plot {}", id);
  }
  svg.erase(0, start);
  replace_all(svg, "gpPt", id + "Pt");
  replace_all(svg, "gpDot", id + "Dot");
  replace_all(svg, "'textbox'", "'" + id + "textbox'");
  replace_all(svg, "'greybox'", "'" + id + "greybox'");
  replace_all(svg, "\"gnuplot_", "\"" + id + "_");
  for (const char* name : {"title", "desc"}) {
    const std::string open = fmt::format("<{}>", name);
    const std::string close = fmt::format("</{}>", name);
    for (std::size_t at = svg.find(open); at != std::string::npos; at = svg.find(open)) {
      svg.erase(at, svg.find(close, at) + close.size() - at);
    }
  }
  return svg;
}

}  // namespace

std::string gnuplot_script(const Plot& plot) {
  std::string text =
      "set terminal svg size 760,400 dynamic noenhanced font 'sans-serif,13'\n"
      "set grid\nset key outside right top\nset style fill solid 0.8\nset boxwidth 0.6\n";
  text += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", quoted(plot.title),
                      quoted(plot.x_label), quoted(plot.y_label));
  if (plot.logarithmic) {
    text += "set logscale xy\nset format y '%.0s%c'\nset mxtics 10\nset mytics 10\n";
    text += plot.x_in_thousands ? "set format x '%.0s%c'\n" : "set format x '%g'\n";
  } else {
    text += "set yrange [0:*]\n";
  }
  if (!plot.categories.empty()) {
    std::string names;
    for (std::size_t i = 0; i < plot.categories.size(); ++i) {
      names += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(plot.categories[i]), i + 1);
    }
    text += fmt::format("set xtics ({}) {}\nset xrange [0.4:{}.6]\n", names,
                        plot.categories.size() > 10 ? "rotate" : "", plot.categories.size());
  }
  std::string drawn;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    text += data_block(plot.series[i], i);
    drawn += fmt::format("{}$d{} using 1:2 {} title {}", i == 0 ? "plot " : ", ", i,
                         style_of(plot.series[i], i), quoted(plot.series[i].name));
  }
  return text + drawn + "\n";
}

std::optional<std::string> draw_svg(const Plot& plot) {
  if (find_program("gnuplot").empty()) return std::nullopt;
  Command command;
  command.arguments = {"gnuplot", "-d"};  // no settings of the user
  command.input = gnuplot_script(plot);
  command.timeout = std::chrono::seconds(30);
  const ProcessResult result = run(command);
  if (!result.succeeded() || result.output.empty()) {
    fail(ExitCode::environment, "gnuplot could not draw the plot {} ({}): {}", plot.id,
         result.describe(), result.error_output);
  }
  return element_of(result.output, plot.id);
}

std::string no_plot_remedy() {
  return "gnuplot is not on the machine that wrote this page. Install it (Debian package "
         "gnuplot-nox, or tools/bootstrap.sh) and build the report again.";
}

}  // namespace kernelloop
