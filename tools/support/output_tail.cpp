#include "support/output_tail.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace kernelloop {
namespace {

constexpr std::size_t k_tail_bytes = std::size_t{64} << 10;
constexpr std::size_t k_shown_bytes = 1500;

}  // namespace

void OutputTail::append(std::string_view text) {
  bytes_ += text.size();
  text_.append(text.substr(text.size() - std::min(text.size(), k_tail_bytes)));
  if (text_.size() > 2 * k_tail_bytes) text_.erase(0, text_.size() - k_tail_bytes);
}

void OutputTail::clear() noexcept {
  text_.clear();
  bytes_ = 0;
}

bool OutputTail::drain(int descriptor) {
  std::array<char, 65536> buffer{};
  for (int i = 0; i < 16; ++i) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return true;
    if (got == 0) return false;
    append({buffer.data(), static_cast<std::size_t>(got)});
  }
  return true;
}

std::string printed(const std::string& output) {
  std::string text = output.substr(output.size() - std::min(output.size(), k_shown_bytes));
  for (char& c : text) {
    const auto value = static_cast<unsigned char>(c);
    if ((value < 0x20 && c != '\n' && c != '\t') || value >= 0x7F) c = '?';
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? text : "; it printed: " + text;
}

}  // namespace kernelloop
