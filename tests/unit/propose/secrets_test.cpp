#include "propose/secrets.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

// Put together at run time, so that no scanner takes this file for a leak.
std::string fake(const std::string& start, std::size_t length) {
  std::string text = start;
  for (std::size_t i = 0; i < length; ++i) text += "aB3dE5gH7j"[i % 10];
  return text;
}

std::vector<LiveSecret> live(const std::string& value) { return {{"TEST_API_KEY", value}}; }

TEST(Secrets, FindsALiveValueInEveryCoat) {
  const std::string value = fake("value+/with?odd=", 20);
  const auto found = [&](const std::string& text) { return find_secret(text, live(value)); };
  EXPECT_EQ(found("x " + value + " y"), "the value of TEST_API_KEY");
  EXPECT_EQ(found("value%2B%2Fwith%3Fodd%3DaB3dE5gH7jaB3dE5gH7j"), "the value of TEST_API_KEY");
  // base64 of "", "u" and "us" before the value; computed by another program
  EXPECT_EQ(found("dmFsdWUrL3dpdGg/b2RkPWFCM2RFNWdIN2phQjNkRTVnSDdq"), "the value of TEST_API_KEY");
  EXPECT_EQ(found("dXZhbHVlKy93aXRoP29kZD1hQjNkRTVnSDdqYUIzZEU1Z0g3ag=="),
            "the value of TEST_API_KEY");
  EXPECT_EQ(found("dXN2YWx1ZSsvd2l0aD9vZGQ9YUIzZEU1Z0g3amFCM2RFNWdIN2o="),
            "the value of TEST_API_KEY");
  EXPECT_EQ(found("nothing of the kind"), "");
}

TEST(Secrets, KnowsTheCommonShapes) {
  const auto found = [](const std::string& text) { return find_secret("a " + text + " b", {}); };
  EXPECT_NE(found(fake(std::string("sk") + "-", 30)), "");
  EXPECT_NE(found(fake(std::string("sk") + "-ant-api03-", 30)), "");
  EXPECT_NE(found(fake(std::string("AI") + "za", 35)), "");
  EXPECT_NE(found(fake(std::string("gh") + "p_", 36)), "");
  EXPECT_NE(found(std::string("-----BEGIN") + " RSA PRIVATE KEY-----"), "");
  EXPECT_NE(found("\\n" + std::string("-----BEGIN") + " PRIVATE KEY-----"), "");
  EXPECT_NE(found(std::string("https://user:") + fake("p", 8) + "@host/x"), "");
}

TEST(Secrets, LetsKernelsPass) {
  const std::string source =
      "__global__ void k(const float* x) { /* task-based, ask-first: see https://x.org:80/a */\n"
      "// sk-ip; a mask-and-shift, sha256 "
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b\n}";
  EXPECT_EQ(find_secret(source, {}), "");
  EXPECT_EQ(find_secret(std::string(1 << 20, 's'), live(fake("v", 20))), "");
}

TEST(Secrets, ARefusalNamesWhatAndWhereButNotTheValue) {
  const std::string value = fake("q", 24);
  try {
    refuse_secrets("text with " + value, live(value), "the recording of softmax v001");
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::provider);
    EXPECT_NE(message.find("the recording of softmax v001 would hold the value of TEST_API_KEY"),
              std::string::npos);
    EXPECT_EQ(message.find(value), std::string::npos);
  }
}

TEST(Secrets, TakesLiveValuesFromTheEnvironment) {
  const std::string value = fake("w", 24);
  ::setenv("KERNELLOOP_TEST_TOKEN", value.c_str(), 1);
  ::setenv("KERNELLOOP_TEST_AUTH_SOCK", "/tmp/some/long/path/of/a/socket", 1);
  EXPECT_EQ(find_secret(value, live_secrets()), "the value of KERNELLOOP_TEST_TOKEN");
  EXPECT_EQ(find_secret("/tmp/some/long/path/of/a/socket", live_secrets()), "");
  ::unsetenv("KERNELLOOP_TEST_TOKEN");
  ::unsetenv("KERNELLOOP_TEST_AUTH_SOCK");
}

TEST(Secrets, ReplacesAValueInAMessage) {
  EXPECT_EQ(without_value("bad key abcdefghijkl, abcdefghijkl", "abcdefghijkl"),
            "bad key [key], [key]");
  EXPECT_EQ(without_value("the x of it", "x"), "the x of it") << "too short to be told apart";
  EXPECT_EQ(without_value("same", ""), "same");
}

}  // namespace
}  // namespace kernelloop
