#include "propose/key_source.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::Not;

class KeySource : public testing::Test {
 protected:
  Endpoint by_file(const std::string& content, mode_t mode = 0600) {
    write_file_atomic(file_, content);
    ::chmod(file_.c_str(), mode);
    Endpoint endpoint;
    endpoint.key_file = file_;
    return endpoint;
  }
  static Endpoint by_program(const std::string& script) {
    Endpoint endpoint;
    endpoint.key_command = {"sh", "-c", script};
    return endpoint;
  }
  static std::string refusal(const Endpoint& endpoint) {
    try {
      with_key(endpoint);
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::provider);
      return error.what();
    }
  }
  TemporaryDirectory root_;
  std::filesystem::path file_ = root_.path() / "key";
};

TEST_F(KeySource, TheEnvironmentGoesFirst) {
  Endpoint endpoint = by_file("from-file");
  endpoint.key = "from-environment";
  endpoint.key_from = "X_KEY";
  EXPECT_EQ(with_key(endpoint).key, "from-environment");
  EXPECT_EQ(with_key(endpoint).key_from, "X_KEY");
}

TEST_F(KeySource, AFileMustBeOursAlone) {
  EXPECT_EQ(with_key(by_file("from-file\n")).key, "from-file");
  EXPECT_EQ(with_key(by_file("from-file\n")).key_from, file_.string());
  EXPECT_EQ(with_key(by_file("from-file\n", 0400)).key, "from-file");
  for (const mode_t mode : {0640, 0604, 0660, 0644, 0601}) {
    const std::string message = refusal(by_file("from-file", mode));
    EXPECT_THAT(message, HasSubstr("chmod 600")) << mode;
    EXPECT_THAT(message, Not(HasSubstr("from-file")));
  }
  EXPECT_THAT(refusal(by_file("")), HasSubstr("gives no key"));
  EXPECT_THAT(refusal(by_file("two words")), HasSubstr("more than one word"));
  EXPECT_THAT(refusal(by_file("line\r\nx-evil: 1")), HasSubstr("more than one word"));
  Endpoint absent;
  absent.key_file = root_.path() / "absent";
  EXPECT_THAT(refusal(absent), HasSubstr("No such file"));
  absent.key_file = root_.path();
  EXPECT_THAT(refusal(absent), HasSubstr("is no file"));
}

TEST_F(KeySource, AProgramPrintsItAndNothingElse) {
  EXPECT_EQ(with_key(by_program("echo from-program")).key, "from-program");
  EXPECT_EQ(with_key(by_program("echo from-program")).key_from, "sh");
  const std::string message = refusal(by_program("echo half-a-key; exit 3"));
  EXPECT_THAT(message, HasSubstr("exit code 3"));
  EXPECT_THAT(message, Not(HasSubstr("half-a-key")));
  EXPECT_THAT(refusal(by_program("true")), HasSubstr("gives no key"));
}

}  // namespace
}  // namespace kernelloop
