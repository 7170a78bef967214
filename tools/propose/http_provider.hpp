// A provider over HTTP: dialect, transport, retries and the meter put together.
#pragma once

#include "propose/clock.hpp"
#include "propose/dialect.hpp"
#include "propose/meter.hpp"
#include "propose/provider.hpp"
#include "propose/retry.hpp"
#include "propose/transport.hpp"

#include <functional>

namespace kernelloop {

struct HttpProviderParts {
  const Dialect* dialect = nullptr;
  Transport* transport = nullptr;
  Clock* clock = nullptr;
  Meter* meter = nullptr;  // none: nothing is booked
  Endpoint endpoint;
  RetryPolicy retry;
  HttpLimits limits;
  // Called with every 2xx response before anything reads it: what was paid for is kept first.
  std::function<void(const HttpResponse&)> keep;
};

// The reply with every occurrence of the key replaced: a server that repeats it, perhaps in pieces
// of a stream, must not get it into a journal or a recording.
Reply without_key(Reply reply, const std::string& key);

class HttpProvider : public Provider {
 public:
  explicit HttpProvider(HttpProviderParts parts);
  // A limit on the output that proves wrong is mended once: doubled when reasoning used it up,
  // lowered when it does not fit beside the prompt. Throws Error(provider) when there is no model
  // to ask or the URL must not be used.
  Reply ask(const AskRequest& request) override;

 private:
  Reply ask_once(const AskRequest& request);
  Reply exchange(const AskRequest& request, const HttpRequest& message);

  HttpProviderParts parts_;
};

}  // namespace kernelloop
