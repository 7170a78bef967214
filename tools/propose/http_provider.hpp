// A provider over HTTP: dialect, transport and retries put together.
#pragma once

#include "propose/clock.hpp"
#include "propose/dialect.hpp"
#include "propose/provider.hpp"
#include "propose/retry.hpp"
#include "propose/transport.hpp"

#include <functional>

namespace kernelloop {

struct HttpProviderParts {
  const Dialect* dialect = nullptr;
  Transport* transport = nullptr;
  Clock* clock = nullptr;
  Endpoint endpoint;
  RetryPolicy retry;
  HttpLimits limits;
  // Called with every 2xx response before anything reads it: what was paid for is kept first.
  std::function<void(const HttpResponse&)> keep;
};

class HttpProvider : public Provider {
 public:
  explicit HttpProvider(HttpProviderParts parts);
  // Throws Error(provider) when there is no model to ask or the URL must not be used.
  Reply ask(const AskRequest& request) override;

 private:
  HttpProviderParts parts_;
};

}  // namespace kernelloop
