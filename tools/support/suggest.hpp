// "Did you mean ...?": the remedy for a misspelt name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

// The candidate that `name` is most likely a misspelling of; none when nothing is close.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& candidates);

// "did you mean `rows`?" when one is close, else "known are `rows`, `cols`" (at most sixteen), or
// "there are none".
std::string name_hint(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace kernelloop
