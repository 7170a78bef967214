// When to ask again, and how long to wait before.
#pragma once

#include "propose/clock.hpp"
#include "propose/provider.hpp"

#include <chrono>
#include <functional>

namespace kernelloop {

struct RetryPolicy {
  int attempts = 6;                     // the first included
  std::chrono::milliseconds base{500};  // doubled each time; the wait is any part of it, by chance
  std::chrono::milliseconds longest{60'000};
  // A server that wants more than this is not worth waiting for in a build.
  std::chrono::milliseconds longest_asked{120'000};
  std::chrono::milliseconds total{3'600'000};  // no new attempt after this
};

// Calls `attempt` until it gives an answer, a failure that another try cannot mend, or the policy's
// end. `requests` of the result counts all attempts. What a server asks for (retry-after) goes
// before our own delay.
Reply with_retries(const RetryPolicy& policy, Clock& clock, const std::function<Reply()>& attempt);

}  // namespace kernelloop
