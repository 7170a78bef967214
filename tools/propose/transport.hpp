// One HTTP exchange. The real one is libcurl (curl_transport.cpp); tests bring their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kernelloop {

struct HttpLimits {
  std::chrono::milliseconds connect{15'000};
  std::chrono::milliseconds idle{300'000};     // without a single byte; proxies hold streams back
  std::chrono::milliseconds silent{900'000};   // with nothing but keep-alives; models think long
  std::chrono::milliseconds total{1'800'000};  // of one exchange
  std::size_t body_bytes = 32u << 20;
};

struct HttpRequest {
  std::string url;  // POST
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool carries_key = false;  // then plain http is refused, unless to this machine
  HttpLimits limits;
};

struct HttpResponse {
  int status = 0;                              // 0: no response line came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string error;         // empty: the exchange ended in order
  bool sent = true;          // false: no connection, so the server knows nothing of the request
  bool interrupted = false;  // by a signal to this process
};

// How to get out, from the user's own configuration; what is empty is left to the environment.
struct Network {
  std::string proxy;    // "http://proxy.example:3128"; "" with no_proxy and friends of libcurl
  std::string ca_file;  // certificates to trust, PEM
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Never follows a redirect. Trouble on the wire is in `error`, with what had come by then.
  // Throws Error(provider) for a URL that must not be used (see check_url).
  virtual HttpResponse send(const HttpRequest& request) = 0;
};

std::unique_ptr<Transport> make_curl_transport(Network network = {});

// Throws Error(provider) unless `url` is http(s) without user and password, and, when it would
// carry a key, https or to a loopback address. `origin` says where the URL was set.
void check_url(const std::string& url, bool carries_key, const std::string& origin);

// The part of a URL that may be shown: scheme, host, port.
std::string shown_url(const std::string& url);

}  // namespace kernelloop
