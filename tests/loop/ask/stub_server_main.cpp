// The stub server as a program, for tests that are no C++ program. Writes its port to a file, stops
// by itself, and at the end writes what it handed out:
//   {"requests": N, "full_replies": {key: count}, "paid_twice": N}
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <CLI/CLI.hpp>

#include "stub_server.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace kernelloop {
namespace {

struct Options {
  std::string port_file;
  std::string script;
  std::string report;
  int seconds = 1800;  // more than a test may take (its TIMEOUT)
  int requests = 100000;
};

StubReply::Kind kind_of(const std::string& name) {
  using Kind = StubReply::Kind;
  static const std::map<std::string, Kind> k_kinds{
      {"whole", Kind::whole},       {"json", Kind::json},         {"status", Kind::status},
      {"reset", Kind::reset},       {"truncate", Kind::truncate}, {"drip", Kind::drip},
      {"redirect", Kind::redirect}, {"hang", Kind::hang},         {"raw", Kind::raw},
      {"gzip", Kind::gzip},         {"silence", Kind::silence}};
  const auto found = k_kinds.find(name);
  if (found == k_kinds.end()) {
    fail(ExitCode::bad_input, "stub script: unknown kind '{}'", name);
  }
  return found->second;
}

// A script is a list of {"kind", "text" or "text_file", "reads", "status", "headers", "body",
// "location"}; request n takes entry n, the last entry stays.
std::vector<StubReply> read_script(const std::string& path) {
  std::vector<StubReply> replies;
  for (const Json& entry : read_json(path).value) {
    StubReply reply;
    reply.kind = kind_of(entry.value("kind", "whole"));
    reply.text = entry.contains("text_file") ? read_file(entry["text_file"].get<std::string>())
                                             : entry.value("text", "");
    reply.reads = entry.value("reads", "");
    reply.status = entry.value("status", 500);
    reply.headers = entry.value("headers", "");
    reply.body = entry.value("body", "");
    reply.location = entry.value("location", "");
    replies.push_back(reply);
  }
  if (replies.empty()) fail(ExitCode::bad_input, "{}: the script is empty", path);
  return replies;
}

void serve(const Options& options) {
  const std::vector<StubReply> replies = read_script(options.script);
  StubServer server([&](const StubRequest&, int number) {
    const auto index = static_cast<std::size_t>(number - 1);
    return replies[std::min(index, replies.size() - 1)];
  });
  write_file_atomic(options.port_file, fmt::format("{}\n", server.port()));
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  const timespec tick{0, 100'000'000};
  while (std::chrono::steady_clock::now() < end &&
         server.requests().size() < static_cast<std::size_t>(options.requests) &&
         ::sigtimedwait(&stop, nullptr, &tick) < 0) {
  }
  Json counts = Json::object();
  int twice = 0;
  for (const auto& [key, texts] : server.full_replies()) {
    counts[key] = texts.size();
    twice += texts.size() > 1 ? 1 : 0;
  }
  write_file_atomic(options.report, to_text({{"requests", server.requests().size()},
                                             {"full_replies", counts},
                                             {"paid_twice", twice}}));
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  // Before any thread starts, so that all of them leave the signals to sigtimedwait.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  kernelloop::Options options;
  CLI::App app("A model provider on 127.0.0.1 for tests");
  app.add_option("--port-file", options.port_file, "receives the port")->required();
  app.add_option("--script", options.script, "JSON list of replies")->required();
  app.add_option("--report", options.report, "receives the counts at the end")->required();
  app.add_option("--seconds", options.seconds, "stops after this time");
  app.add_option("--requests", options.requests, "stops after this many requests");
  CLI11_PARSE(app, argc, argv);
  try {
    kernelloop::serve(options);
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "stub server: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
