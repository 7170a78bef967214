// The propose step of one version against a stub server, for each dialect.
#pragma once

#include "support/files.hpp"

#include <gtest/gtest.h>

#include "child.hpp"
#include "fakes.hpp"
#include "stub_server.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

inline StubReply says(const std::string& body, StubReply::Kind kind = StubReply::Kind::whole) {
  StubReply reply;
  reply.kind = kind;
  reply.text = answer_text(body);
  return reply;
}

inline StubReply status(int code, const std::string& body = "{}", const std::string& headers = "") {
  StubReply reply;
  reply.kind = StubReply::Kind::status;
  reply.status = code;
  reply.body = body;
  reply.headers = headers;
  return reply;
}

inline StubServer::Script in_order(std::vector<StubReply> replies) {
  return [replies](const StubRequest&, int number) {
    return replies.at(std::min(static_cast<std::size_t>(number), replies.size()) - 1);
  };
}

class Ask : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::vector<std::string> step(const std::string& provider) const {
    return {ASK_STEP_PROGRAM, "propose", root_.path().string(), "scale", "1", "1", provider};
  }
  // Runs the step to its end.
  int build(const StubServer& server) { return build(stub_variables(server.url())); }
  int build(const std::map<std::string, std::string>& variables) {
    Child child(step(GetParam()), variables, log_.string());
    return child.wait();
  }
  [[nodiscard]] std::string log() const { return read_file(log_); }
  [[nodiscard]] std::filesystem::path version() const {
    return root_.path() / "generated/scale/v001";
  }
  [[nodiscard]] std::filesystem::path pending() const {
    return root_.path() / "generated/scale/.pending/v001";
  }
  [[nodiscard]] std::string source() const { return read_file(version() / "kernel.cu"); }

  TemporaryDirectory root_;
  std::filesystem::path log_ = root_.path() / "log";
};

// The processes whose command line holds `text`.
inline std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> result;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stream(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(stream)), {});
    if (line.find(text) != std::string::npos) result.push_back(std::stoi(name));
  }
  return result;
}

}  // namespace kernelloop
