#include "stub_server.hpp"

#include "support/error.hpp"

#include "stub_answer.hpp"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <string_view>

namespace kernelloop {
namespace {

using namespace std::chrono_literals;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Head and body of one request; false when the peer went away.
bool read_request(int connection, StubRequest& request) {
  std::string text;
  std::array<char, 65536> buffer{};
  std::size_t head_end = std::string::npos;
  std::size_t wanted = 0;
  while (head_end == std::string::npos || text.size() < head_end + 4 + wanted) {
    const ssize_t got = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (head_end != std::string::npos) continue;
    head_end = text.find("\r\n\r\n");
    if (head_end == std::string::npos) continue;
    std::string_view head(text.data(), head_end);
    const std::size_t space = head.find(' ');
    request.path = std::string(head.substr(space + 1, head.find(' ', space + 1) - space - 1));
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
         at = head.find("\r\n", at + 2)) {
      const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const std::size_t value = line.find_first_not_of(' ', colon + 1);
      request.headers[lower(std::string(line.substr(0, colon)))] =
          value == std::string_view::npos ? "" : std::string(line.substr(value));
    }
    wanted =
        std::stoul(request.headers.count("content-length") != 0 ? request.headers["content-length"]
                                                                : std::string("0"));
  }
  request.body = text.substr(head_end + 4);
  return true;
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void reset_connection(int connection) {
  const linger now{1, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

std::string head(int status, const std::string& type, const std::string& more) {
  return fmt::format("HTTP/1.1 {} Stub\r\ncontent-type: {}\r\nconnection: close\r\n{}\r\n", status,
                     type, more);
}

}  // namespace

StubServer::StubServer(Script script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    fail(ExitCode::environment, "the stub server cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

StubServer::~StubServer() {
  stopping_ = true;
  release();
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& worker : workers_) worker.join();
  ::close(listener_);
}

std::string StubServer::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<StubRequest> StubServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::map<std::string, std::vector<std::string>> StubServer::full_replies() const {
  const std::lock_guard lock(mutex_);
  return full_replies_;
}

void StubServer::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

bool StubServer::wait_for_requests(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, 10s, [&] { return requests_.size() >= count; });
}

void StubServer::accept_all() {
  while (!stopping_) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    workers_.emplace_back([this, connection] {
      serve(connection);
      ::close(connection);
    });
  }
}

void StubServer::serve(int connection) {
  StubRequest request;
  if (!read_request(connection, request)) return;
  StubReply reply;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    reply = script_(request, static_cast<int>(requests_.size()));
    changed_.notify_all();
  }
  answer(connection, request, reply);
}

void StubServer::answer(int connection, const StubRequest& request, const StubReply& reply) {
  using Kind = StubReply::Kind;
  const bool as_stream = reply.kind != Kind::json && wants_stream(request.body);
  const std::string body = as_stream ? stream_body(request.path, reply.text, reply.reads)
                                     : json_body(request.path, reply.text, reply.reads);
  const char* const type = as_stream ? "text/event-stream" : "application/json";
  const std::string ok = head(200, type, reply.headers);
  bool whole = false;
  switch (reply.kind) {
    case Kind::whole:
    case Kind::json:
      whole = send_all(connection, ok + body);
      break;
    case Kind::status:
      send_all(connection, head(reply.status, "application/json", reply.headers) + reply.body);
      break;
    case Kind::reset:
      send_all(connection, ok + body.substr(0, body.size() / 2));
      std::this_thread::sleep_for(50ms);  // so that the half arrives before the reset
      reset_connection(connection);
      break;
    case Kind::truncate:
      send_all(connection, ok + body.substr(0, body.size() / 2));
      break;
    case Kind::drip:
      whole = send_all(connection, ok);
      for (std::size_t at = 0; whole && at < body.size(); at += 97) {
        std::this_thread::sleep_for(2ms);
        whole = send_all(connection, body.substr(at, 97));
      }
      break;
    case Kind::redirect:
      send_all(connection, head(307, "text/plain", "location: " + reply.location + "\r\n"));
      break;
    case Kind::raw:
      send_all(connection, head(200, "text/event-stream", reply.headers) + reply.body);
      break;
    case Kind::cut:
      send_all(connection, ok + body.substr(0, reply.bytes));
      break;
    case Kind::gzip:
      whole = send_all(connection, head(200, type, "content-encoding: gzip\r\n" + reply.headers) +
                                       gzipped(body));
      break;
    case Kind::silence:
      for (bool there = send_all(connection, ok); there && !stopping_;) {
        std::this_thread::sleep_for(20ms);
        there = send_all(connection, ": keep-alive\n\n");
      }
      break;
    case Kind::hang: {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return released_; });
      break;
    }
  }
  if (!whole) return;
  const std::lock_guard lock(mutex_);
  const auto key = request.headers.find("idempotency-key");
  full_replies_[key == request.headers.end() ? "" : key->second].push_back(reply.text);
}

}  // namespace kernelloop
