#include "propose/interrupt.hpp"
#include "propose/life_signs.hpp"
#include "propose/transport.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace kernelloop {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

// The part of a URL that libcurl itself would use: two parsers that disagree are a way out.
std::string url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string result(text);
  curl_free(text);
  return result;
}

std::unique_ptr<CURLU, FreeUrl> parse_url(const std::string& text) {
  std::unique_ptr<CURLU, FreeUrl> url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return nullptr;
  return url;
}

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "[::1]") return true;
  // Four numbers, so that "127.evil.example" is no loopback address.
  return host.rfind("127.", 0) == 0 && std::count(host.begin(), host.end(), '.') == 3 &&
         host.find_first_not_of("0123456789.") == std::string::npos;
}

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

using Steady = std::chrono::steady_clock;

struct Receiver {
  HttpResponse response;
  HttpLimits limits;
  bool too_long = false;
  bool idle = false;
  bool silent = false;
  bool interrupted = false;
  const InterruptWatch* interrupts = nullptr;
  LifeSigns life;
  Steady::time_point last_byte = Steady::now();
  Steady::time_point last_life = Steady::now();
  curl_off_t moved = 0;  // bytes, both ways
};

// libcurl's own low-speed limit takes a keep-alive comment every half minute for silence.
int on_progress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  auto& receiver = *static_cast<Receiver*>(user);
  if (received + sent != receiver.moved) {
    receiver.moved = received + sent;
    receiver.last_byte = Steady::now();
  }
  receiver.idle = Steady::now() - receiver.last_byte > receiver.limits.idle;
  receiver.silent = Steady::now() - receiver.last_life > receiver.limits.silent;
  receiver.interrupted = receiver.interrupted || receiver.interrupts->came();
  return receiver.idle || receiver.silent || receiver.interrupted ? 1 : 0;
}

std::size_t on_body(char* data, std::size_t, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  if (receiver.response.body.size() + count > receiver.limits.body_bytes) {
    receiver.too_long = true;
    return 0;
  }
  receiver.response.body.append(data, count);
  if (receiver.life.feed({data, count})) receiver.last_life = Steady::now();
  return count;
}

std::size_t on_header(char* data, std::size_t, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  const std::string_view line(data, count);
  if (line.substr(0, 5) == "HTTP/") receiver.response.headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return count;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  receiver.response.headers[name] = trimmed(line.substr(colon + 1));
  return count;
}

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(Network network) : network_(std::move(network)) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
  }

  HttpResponse send(const HttpRequest& request) override {
    check_url(request.url, request.carries_key, "the provider's base URL");
    const std::unique_ptr<CURL, FreeEasy> easy(curl_easy_init());
    if (!easy) fail(ExitCode::internal, "libcurl cannot be initialised");
    std::unique_ptr<curl_slist, FreeList> headers;
    const auto add_header = [&](const std::string& line) {
      headers.reset(curl_slist_append(headers.release(), line.c_str()));
    };
    for (const auto& [name, value] : request.headers) {
      // libcurl passes line breaks on, and with them headers of somebody else's making.
      if (value.find_first_of("\r\n") != std::string::npos) {
        fail(ExitCode::provider, "the value of header {} holds a line break; set it again without",
             name);
      }
      add_header(name + ": " + value);
    }
    add_header("Expect:");  // no 100-continue round trip for big prompts

    const InterruptWatch interrupts;
    Receiver receiver;
    receiver.limits = request.limits;
    receiver.interrupts = &interrupts;
    CURL* handle = easy.get();
    set_limits(handle, request.limits);
    curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiver);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &receiver);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &receiver);
    set_proxy_and_certificates(handle, request.url);

    const CURLcode code = curl_easy_perform(handle);
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    receiver.response.status = static_cast<int>(status);
    receiver.response.sent = was_sent(code);
    receiver.response.interrupted = receiver.interrupted;
    if (receiver.interrupted) {
      receiver.response.error = "interrupted";
    } else if (receiver.too_long) {
      receiver.response.error =
          fmt::format("the answer is longer than {} MiB", request.limits.body_bytes >> 20);
    } else if (receiver.idle) {
      receiver.response.error =
          fmt::format("nothing came for {:.0f} s", request.limits.idle.count() / 1000.0);
    } else if (receiver.silent) {
      receiver.response.error =
          fmt::format("only keep-alives came for {:.0f} s", request.limits.silent.count() / 1000.0);
    } else if (code != CURLE_OK) {
      receiver.response.error = curl_easy_strerror(code);
    }
    return std::move(receiver.response);
  }

 private:
  static bool was_sent(CURLcode code) {
    return code != CURLE_COULDNT_RESOLVE_HOST && code != CURLE_COULDNT_RESOLVE_PROXY &&
           code != CURLE_COULDNT_CONNECT && code != CURLE_SSL_CONNECT_ERROR &&
           code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE;
  }

  static void set_limits(CURL* handle, const HttpLimits& limits) {
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.total.count()));
  }

  void set_proxy_and_certificates(CURL* handle, const std::string& url) const {
    if (!network_.proxy.empty()) curl_easy_setopt(handle, CURLOPT_PROXY, network_.proxy.c_str());
    if (const auto parsed = parse_url(url); is_loopback(url_part(parsed.get(), CURLUPART_HOST))) {
      curl_easy_setopt(handle, CURLOPT_PROXY, "");
    }
    if (!network_.ca_file.empty()) {
      curl_easy_setopt(handle, CURLOPT_CAINFO, network_.ca_file.c_str());
      return;
    }
    // Only the curl tool reads these by itself; the library leaves them to us.
    for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
      if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
        curl_easy_setopt(handle, CURLOPT_CAINFO, value);
        break;
      }
    }
    if (const char* value = std::getenv("SSL_CERT_DIR"); value != nullptr && *value != '\0') {
      curl_easy_setopt(handle, CURLOPT_CAPATH, value);
    }
  }

  Network network_;
};

}  // namespace

std::unique_ptr<Transport> make_curl_transport(Network network) {
  return std::make_unique<CurlTransport>(std::move(network));
}

std::string shown_url(const std::string& url) {
  const auto parsed = parse_url(url);
  if (!parsed) return "(not a URL)";
  const std::string port = url_part(parsed.get(), CURLUPART_PORT);
  return url_part(parsed.get(), CURLUPART_SCHEME) + "://" + url_part(parsed.get(), CURLUPART_HOST) +
         (port.empty() ? "" : ":" + port);
}

void check_url(const std::string& url, bool carries_key, const std::string& origin) {
  const auto parsed = parse_url(url);
  if (!parsed) fail(ExitCode::provider, "{} is not a URL; set it to https://HOST/...", origin);
  const std::string scheme = url_part(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    fail(ExitCode::provider, "{} has the scheme '{}'; use https://", origin, scheme);
  }
  if (!url_part(parsed.get(), CURLUPART_USER).empty()) {
    fail(ExitCode::provider, "{} holds a user name; put the key into its own variable", origin);
  }
  const std::string host = url_part(parsed.get(), CURLUPART_HOST);
  if (carries_key && scheme == "http" && !is_loopback(host)) {
    fail(ExitCode::provider,
         "{} would send a key unencrypted to {}; use https:// (plain http only to this machine)",
         origin, host);
  }
}

}  // namespace kernelloop
