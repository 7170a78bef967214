// How long a server wants us to wait, from the headers of its refusal.
#pragma once

#include "propose/transport.hpp"

#include <chrono>
#include <ctime>
#include <optional>

namespace kernelloop {

// In this order: retry-after-ms, retry-after (seconds or a date), the reset of whichever limit is
// used up (anthropic-ratelimit-*-reset: a time; x-ratelimit-reset-*: a duration like "6m0s";
// x-ratelimit-reset: seconds or a moment of the epoch). Nothing when none is there or readable.
// `now` is the time of day.
std::optional<std::chrono::milliseconds> asked_wait(const HttpResponse& response, std::time_t now);

}  // namespace kernelloop
