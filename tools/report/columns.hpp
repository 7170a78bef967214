// Rows of text under one another, for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernelloop {

// Code points, which is what a terminal shows for the characters we print.
std::size_t width_of(const std::string& text);

// Each row as a line that begins with two spaces, three between the columns. The last column is
// not padded. Rows have equally many cells.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace kernelloop
