#include "device/architecture.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace kernelloop {
namespace {

struct Architecture {
  int major = 0;
  int minor = 0;
  char suffix = 0;  // 'a', 'f' or 0
};

// "90", "90a", "120f".
std::optional<Architecture> parse(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || number < 10 || rest.size() > 1) return std::nullopt;
  const char suffix = rest.empty() ? '\0' : rest.front();
  if (suffix != '\0' && suffix != 'a' && suffix != 'f') return std::nullopt;
  return Architecture{number / 10, number % 10, suffix};
}

// How well code for `code` suits `device`: 0 when it does not run there.
int fitness(const Architecture& code, const Architecture& device) {
  if (code.major != device.major || code.minor > device.minor) return 0;
  const bool exact = code.minor == device.minor;
  if (code.suffix == 'a') return exact ? 1000 : 0;
  return 100 + 2 * code.minor + (code.suffix == 'f' ? 1 : 0);
}

}  // namespace

std::string architecture_for(const std::string& device, const std::vector<std::string>& built) {
  constexpr std::string_view k_prefix = "sm_";
  const bool named = device.compare(0, k_prefix.size(), k_prefix) == 0;
  const auto wanted = parse(named ? std::string_view(device).substr(k_prefix.size()) : device);
  if (!wanted) return {};
  std::string best;
  int best_fitness = 0;
  for (const std::string& one : built) {
    const auto code = parse(one);
    const int fits = code ? fitness(*code, *wanted) : 0;
    if (fits <= best_fitness) continue;
    best_fitness = fits;
    best = one;
  }
  return best;
}

}  // namespace kernelloop
