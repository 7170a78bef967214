// Stand-ins for the world: time, wire, provider and compiler.
#pragma once

#include "propose/clock.hpp"
#include "propose/compiler.hpp"
#include "propose/provider.hpp"
#include "propose/reading_tool.hpp"
#include "propose/transport.hpp"
#include "support/files.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

class FakeClock : public Clock {
 public:
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override { return now_; }
  void sleep(std::chrono::milliseconds duration) override {
    sleeps.push_back(duration.count());
    now_ += duration;
  }
  double chance() override {
    if (chances.empty()) return 0.0;
    const double first = chances.front();
    chances.pop_front();
    return first;
  }

  std::vector<long> sleeps;
  std::deque<double> chances;  // then 0

 private:
  std::chrono::steady_clock::time_point now_{};
};

// Answers from a list; the last answer stays.
class FakeTransport : public Transport {
 public:
  HttpResponse send(const HttpRequest& request) override {
    requests.push_back(request);
    HttpResponse response = responses.front();
    if (responses.size() > 1) responses.pop_front();
    return response;
  }
  std::deque<HttpResponse> responses;
  std::vector<HttpRequest> requests;
};

// A source with the word "broken" in it does not compile.
class FakeCompiler : public Compiler {
 public:
  void require_ready(const Language&) override {}
  CompileOutcome compile(const std::filesystem::path& source,
                         const std::filesystem::path&) override {
    ++compiled;
    if (read_file(source).find("broken") == std::string::npos) return {true, Json::array()};
    return {false, Json::array({{{"kind", "diagnostic"},
                                 {"severity", "error"},
                                 {"message", "identifier \"broken\" is undefined"},
                                 {"line", 4},
                                 {"column", 1},
                                 {"source_line", "broken;"}}})};
  }
  int compiled = 0;
};

// Knows something about everything but "nothing".
class FakeTool : public ReadingTool {
 public:
  [[nodiscard]] ToolDeclaration declaration() const override {
    return {"look", "looks something up", {{"type", "object"}}};
  }
  ToolOutput call(const Json& input) override {
    ++calls;
    const std::string what = input.value("what", "nothing");
    if (what == "nothing") return {"there is nothing about nothing", true};
    return {"about " + what, false};
  }
  int calls = 0;
};

// Answers turn n with the n-th answer; keeps what it was asked.
class FakeProvider : public Provider {
 public:
  Reply ask(const AskRequest& request) override {
    requests.push_back(request);
    return Reply::of(answers.at(static_cast<std::size_t>(request.turn - 1)));
  }
  std::vector<Answer> answers;
  std::vector<AskRequest> requests;
};

inline std::string kernel_text(const std::string& body) {
  return "/* kernelloop:plan\n{ \"launches\": [] }\n*/\n" + body + "\n";
}

inline std::string answer_text(const std::string& body) {
  return "Summary: " + body + "\n```cuda\n" + kernel_text(body) + "```\n";
}

}  // namespace kernelloop
