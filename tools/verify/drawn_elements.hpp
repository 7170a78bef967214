// The elements of an input as they are drawn.
#pragma once

#include "spec/dtype.hpp"
#include "support/parallel.hpp"
#include "verify/elements.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernelloop {

// Writes elements into a tensor's memory, and beside it, as double, what became of them there.
class DrawnElements {
 public:
  // `exact` has an element for each of the tensor, or is empty: not asked for.
  DrawnElements(DType type, std::span<std::byte> bytes, std::span<double> exact)
      : type_(type), bytes_(bytes), exact_(exact) {}

  // Calls draw(begin, end, put) for pieces of the index range, on all cores; `put(index, value)`
  // rounds and stores.
  template <typename Draw>
  void fill(const Draw& draw) const {
    const auto count = static_cast<std::int64_t>(bytes_.size() / info(type_).size);
    with_writer(type_, bytes_.data(), [&](const auto& write) {
      const auto put = [&](std::int64_t index, double value) {
        const double rounded = write(index, value);
        if (!exact_.empty()) exact_[static_cast<std::size_t>(index)] = rounded;
      };
      for_chunks(count, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        draw(begin, end, put);
      });
    });
  }

  // The same, one element at a time: draw(index) is its value.
  template <typename Draw>
  void fill_each(const Draw& draw) const {
    fill([&](std::int64_t begin, std::int64_t end, const auto& put) {
      for (std::int64_t index = begin; index < end; ++index) put(index, draw(index));
    });
  }

  // Puts `value` where chosen(index), and leaves the others as they are.
  template <typename Chosen>
  void overwrite(double value, const Chosen& chosen) const {
    fill([&](std::int64_t begin, std::int64_t end, const auto& put) {
      for (std::int64_t index = begin; index < end; ++index) {
        if (chosen(index)) put(index, value);
      }
    });
  }

 private:
  DType type_;
  std::span<std::byte> bytes_;
  std::span<double> exact_;
};

}  // namespace kernelloop
