// Reading JSON that other programs wrote: what is absent or of another type reads as nothing.
//
// For replies of servers and evidence of earlier steps, where a missing member is a fact to report
// and no reason to stop. Files that people write are read with their lines instead (json.hpp).
#pragma once

#include "support/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kernelloop {

// The member, or null when `json` is no object or has no such member.
const Json& member(const Json& json, const char* name);

// The member when it is an array, else an empty one.
const Json& list_member(const Json& json, const char* name);

// "" when absent, null or no text.
std::string text_member(const Json& json, const char* name);

// Nothing when absent, null or no number.
std::optional<double> number_member(const Json& json, const char* name);

// The same for times: nothing either where the number is not above zero, which no time is.
std::optional<double> time_member(const Json& json, const char* name);

// The same as number_member for whole numbers; a fraction is cut off. Nothing where 64 bits do not
// hold it.
std::optional<std::int64_t> count_member(const Json& json, const char* name);

}  // namespace kernelloop
