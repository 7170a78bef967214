// A version that is compiled with the real nvcc.
#pragma once

#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include "version_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

namespace kernelloop {

class Compile : public VersionTest {
 protected:
  void SetUp() override {
    request_.nvcc = COMPILE_TEST_NVCC;
    if (!std::filesystem::exists(request_.nvcc)) GTEST_SKIP() << "there is no nvcc here";
  }

  // "error policy 12: message" for each problem, one a line.
  static std::string problems(const Json& compiled) {
    std::string text;
    for (const Json& one : compiled.at("problems")) {
      text += one.at("severity").get<std::string>() + " " + one.at("kind").get<std::string>() +
              " " + std::to_string(one.at("line").get<int>()) + ": " +
              one.at("message").get<std::string>() + "\n";
    }
    return text;
  }

  // What try_compilers says, its exit code in front; empty when it is content.
  static std::string trial(const CompileRequest& request) {
    try {
      try_compilers(request);
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.code())) + " " + error.what();
    }
    return {};
  }

  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  void expect_failed(const Json& compiled) const {
    EXPECT_EQ(compiled.at("status"), "failed");
    EXPECT_NE(compiled.at("reason"), "");
    EXPECT_NE(compiled.at("artifacts").at("cuda").at("status"), "built");
    EXPECT_EQ(compiled.at("artifacts").at("cuda").at("cubin"), "");
    EXPECT_FALSE(is_written("kernel.cubin"));
    EXPECT_FALSE(is_written("kernel.ptx"));
    // Neither the working directory nor the version's place may show.
    const std::string text = compiled.at("reason").get<std::string>() + problems(compiled);
    EXPECT_THAT(text, testing::Not(HasSubstr("tmpxft")));
    EXPECT_THAT(text, testing::Not(HasSubstr("kernelloop-")));
    EXPECT_THAT(text, testing::Not(HasSubstr("version dir")));
  }
};

}  // namespace kernelloop
