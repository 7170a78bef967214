// A report laid out as headings, tables and plots, whatever the page is written in. All text is
// plain: the writers escape it, whoever it comes from.
#pragma once

#include "report/plot.hpp"

#include <string>
#include <variant>
#include <vector>

namespace kernelloop {

struct Heading {
  std::string text;
};

struct Paragraph {
  std::string text;
};

struct Cell {
  std::string text;
  std::string pointer = {};  // where the number stands in the report's JSON; "" for plain text
  std::string link = {};     // relative path of a page; "" for none
};

// The first cell of a row says what the row is about.
struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// Lines as they are, folded away under a summary.
struct Folded {
  std::string summary;
  std::string text;
  bool is_diff = false;
};

struct Figure {
  Plot plot;
  std::string alternative;  // what the plot shows, in words, for those who cannot see it
};

using Block = std::variant<Heading, Paragraph, Table, Folded, Figure>;

struct Document {
  std::string title;
  std::vector<Block> blocks;
};

}  // namespace kernelloop
