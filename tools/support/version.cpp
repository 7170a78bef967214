#include "support/version.hpp"

#include <fmt/format.h>

#include <charconv>

namespace kernelloop {

std::string version_name(int number) { return fmt::format("v{:03}", number); }

int version_number(std::string_view name) {
  if (name.size() < 4 || name.front() != 'v') return 0;
  int number = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number > 0 && version_name(number) == name ? number : 0;
}

}  // namespace kernelloop
