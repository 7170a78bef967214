#include "report/columns.hpp"

#include <algorithm>

namespace kernelloop {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += (c == 0 ? "  " : "   ") + row[c];
      if (c + 1 < row.size()) text.append(widths[c] - width_of(row[c]), ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace kernelloop
