// Plots, drawn by gnuplot as SVG.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {

struct Series {
  enum class Style { points, line, bars };
  std::string name;  // stands in the key
  Style style = Style::points;
  std::vector<std::pair<double, double>> values = {};
};

struct Plot {
  std::string id;  // a word, unique in its page
  std::string title;
  std::string x_label;
  std::string y_label;
  bool logarithmic = false;                  // both axes; values are then positive
  bool x_in_thousands = false;               // k, M, G on the x axis
  std::vector<std::string> categories = {};  // names of x = 1, 2, ...; empty for numbers
  std::vector<Series> series = {};

  [[nodiscard]] bool empty() const { return series.empty(); }
};

// What gnuplot is told.
std::string gnuplot_script(const Plot& plot);

// The SVG element, to stand in a page; nothing where gnuplot is not on this machine. Black and grey
// are written as such, so that a page can give them its own colours. Throws Error(environment) with
// gnuplot's words when it fails.
std::optional<std::string> draw_svg(const Plot& plot);

// What to do where draw_svg gives nothing; one sentence.
std::string no_plot_remedy();

}  // namespace kernelloop
