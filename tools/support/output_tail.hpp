// What a program printed, of which only the end is kept: it may print gigabytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelloop {

class OutputTail {
 public:
  void append(std::string_view text);
  // At most the last 64 KiB or so.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // How many bytes came, kept or not.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void clear() noexcept;

  // Reads what the descriptor has, without waiting where it does not block, and no more than a
  // megabyte, so that an endless printer cannot keep the caller from looking at the clock. False at
  // the end of it.
  bool drain(int descriptor);

 private:
  std::string text_;
  std::size_t bytes_ = 0;
};

// The end of what a program printed as it goes into a message: "; it printed: ...", with ? for what
// is not printable ASCII; empty when it printed nothing.
std::string printed(const std::string& output);

}  // namespace kernelloop
