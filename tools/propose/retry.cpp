#include "propose/retry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

using std::chrono::milliseconds;

milliseconds own_delay(const RetryPolicy& policy, Clock& clock, int attempt) {
  const double doubled =
      static_cast<double>(policy.base.count()) * static_cast<double>(1 << std::min(attempt, 20));
  const double capped = std::min(doubled, static_cast<double>(policy.longest.count()));
  // Full jitter: many builds that were refused at once must not come back at once.
  return milliseconds(static_cast<std::int64_t>(capped * (1.0 - clock.chance())));
}

}  // namespace

Reply with_retries(const RetryPolicy& policy, Clock& clock, const std::function<Reply()>& attempt) {
  const auto start = clock.now();
  for (int number = 1;; ++number) {
    Reply reply = attempt();
    const bool sent = !reply.failure || reply.failure->kind != Failure::Kind::budget;
    reply.requests = sent ? number : number - 1;
    if (reply.answer || !reply.failure->retryable) return reply;
    if (number >= policy.attempts) {
      if (number > 1) reply.failure->message += fmt::format(" (after {} tries)", number);
      return reply;
    }
    milliseconds wait = own_delay(policy, clock, number - 1);
    if (reply.failure->retry_after) {
      if (*reply.failure->retry_after > policy.longest_asked) {
        reply.failure->message += fmt::format("; the server asks to wait {} s, build again then",
                                              reply.failure->retry_after->count() / 1000);
        return reply;
      }
      wait = std::max(wait, *reply.failure->retry_after);
    }
    if (clock.now() + wait - start > policy.total) {
      reply.failure->message += fmt::format(" (gave up after {} tries)", number);
      return reply;
    }
    clock.sleep(wait);
  }
}

}  // namespace kernelloop
