// Combinations of sizes over the axes of an op.
#pragma once

#include "spec/expression.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

using Sizes = std::map<std::string, std::vector<std::int64_t>>;  // by axis, ascending

// No more than `most` of them: the first half of that many from the start, the others evenly from
// the rest, the last included.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& sizes, std::size_t most);

// Calls `visit` with `start`, its axes at every combination of the sizes. Where there are more than
// 20000 of them, longer lists are thinned first.
void combine(Sizes sizes, const Bindings& start, const std::function<void(const Bindings&)>& visit);

}  // namespace kernelloop
