#include "verify/size_combinations.hpp"

#include <algorithm>
#include <iterator>

namespace kernelloop {
namespace {

double count_of(const Sizes& sizes) {
  double product = 1;
  for (const auto& [axis, list] : sizes) product *= static_cast<double>(list.size());
  return product;
}

void choose(const Sizes& sizes, Sizes::const_iterator axis, Bindings& shape,
            const std::function<void(const Bindings&)>& visit) {
  if (axis == sizes.end()) {
    visit(shape);
    return;
  }
  for (const std::int64_t size : axis->second) {
    shape[axis->first] = size;
    choose(sizes, std::next(axis), shape, visit);
  }
}

}  // namespace

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& sizes, std::size_t most) {
  if (sizes.size() <= most) return sizes;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t position = i < most / 2 ? i : (i + 1) * sizes.size() / most - 1;
    kept.push_back(sizes[position]);
  }
  return kept;
}

void combine(Sizes sizes, const Bindings& start,
             const std::function<void(const Bindings&)>& visit) {
  constexpr double k_most = 20000;
  while (count_of(sizes) > k_most) {
    const auto longest = std::max_element(
        sizes.begin(), sizes.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    longest->second = thinned(longest->second, longest->second.size() * 3 / 4);
  }
  Bindings shape = start;
  choose(sizes, sizes.begin(), shape, visit);
}

}  // namespace kernelloop
