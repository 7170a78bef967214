// A model provider on 127.0.0.1 for tests: speaks the three dialects, misbehaves on demand, and
// counts what it handed out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kernelloop {

struct StubRequest {
  std::string path;                            // "/v1/messages"
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// How one request is answered. The answer is a stream of events where the request says
// "stream": true, else one JSON body, as with the real services.
struct StubReply {
  enum class Kind {
    whole,     // complete
    json,      // complete, as JSON whatever was asked for, as some proxies do
    status,    // an error status with `body`
    reset,     // half of the answer, then a connection reset
    truncate,  // half of the answer, then a clean end
    drip,      // the answer in small pieces with pauses
    redirect,  // to `location`
    hang,      // nothing until release()
    raw,       // `body` as the bytes of an event stream
    cut,       // the first `bytes` of the answer, then a clean end
    gzip,      // the answer, compressed
    silence,   // a head, then comments and blank lines until the client goes
  };
  Kind kind = Kind::whole;
  std::string text;        // of the answer
  std::string reads = {};  // not empty: calls the tool "look" with this as its argument "what"
  int status = 200;
  std::string headers;  // further header lines, each with \r\n
  std::string body;
  std::string location;
  std::size_t bytes = 0;
};

class StubServer {
 public:
  using Script = std::function<StubReply(const StubRequest& request, int number)>;

  // Listens on a free port at once. `script` is called for each request, one at a time; `number`
  // counts them from 1.
  explicit StubServer(Script script);
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:PORT"

  [[nodiscard]] std::vector<StubRequest> requests() const;
  // Complete answers that went out, by idempotency key: what a provider would charge for.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> full_replies() const;
  // Lets hanging requests go; their connections close without an answer.
  void release();
  // Waits until that many requests have come; false after ten seconds.
  bool wait_for_requests(std::size_t count);

 private:
  void accept_all();
  void serve(int connection);
  void answer(int connection, const StubRequest& request, const StubReply& reply);

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
  std::vector<StubRequest> requests_;
  std::map<std::string, std::vector<std::string>> full_replies_;
  std::vector<std::thread> workers_;
  std::thread acceptor_;
};

}  // namespace kernelloop
