// Which rows and columns of an output hold wrong elements, and the regularity in that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

// Marked elements of an output seen as rows x columns (the last axis).
class Marks {
 public:
  Marks(std::int64_t rows, std::int64_t cols)
      : in_row_(static_cast<std::size_t>(rows)), in_column_(static_cast<std::size_t>(cols)) {}

  void add(std::int64_t row, std::int64_t column) {
    ++in_row_[static_cast<std::size_t>(row)];
    ++in_column_[static_cast<std::size_t>(column)];
    ++count_;
  }

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  // "rows from 96 on", "every 4th row", "columns 32 to 63 of every 256 (a warp)", ...
  [[nodiscard]] std::string describe() const;

 private:
  std::vector<std::int64_t> in_row_;
  std::vector<std::int64_t> in_column_;
  std::int64_t count_ = 0;
};

struct ErrorMap {
  Marks wrong;
  std::int64_t unwritten = 0;
  Marks unwritten_where;
  Marks not_a_number;
};

// One pass over `count` elements with `cols` to a row; an element is unwritten, or not a number,
// only if it is wrong.
template <typename IsWrong, typename IsUnwritten, typename IsNan>
ErrorMap map_errors(std::int64_t count, std::int64_t cols, const IsWrong& is_wrong,
                    const IsUnwritten& is_unwritten, const IsNan& is_nan) {
  const std::int64_t rows = count / cols;
  ErrorMap map{Marks(rows, cols), 0, Marks(rows, cols), Marks(rows, cols)};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < cols; ++column) {
      const std::int64_t index = row * cols + column;
      if (!is_wrong(index)) continue;
      map.wrong.add(row, column);
      if (is_nan(index)) map.not_a_number.add(row, column);
      if (!is_unwritten(index)) continue;
      map.unwritten_where.add(row, column);
      ++map.unwritten;
    }
  }
  return map;
}

}  // namespace kernelloop
