// Thousands of damaged specs: each is read or refused with an Error, and none crashes or hangs.
#include <gtest/gtest.h>

#include "spec_texts.hpp"

#include <random>

namespace kernelloop {
namespace {

std::string mutated(std::string text, std::mt19937& random) {
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  for (std::size_t edits = 1 + pick(3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = pick(text.size());
    switch (pick(5)) {
      case 0:
        text[at] = static_cast<char>(pick(256));
        break;
      case 1:
        text.erase(at, 1 + pick(12));
        break;
      case 2:
        text.insert(at, text.substr(pick(text.size()), 1 + pick(30)));
        break;
      case 3:
        text.insert(at, std::string(1 + pick(40), "{[(\"-9,:*"[pick(9)]));
        break;
      default:
        std::swap(text[at], text[pick(text.size())]);
    }
  }
  return text;
}

TEST(OpSpecMutation, NeitherCrashesNorHangs) {
  std::mt19937 random(11);
  int refused = 0;
  constexpr int k_tries = 2500;
  for (int i = 0; i < k_tries; ++i) {
    const std::string text = mutated(k_valid_spec, random);
    try {
      split_spec(parse_json(text, "op.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find("op.json"), std::string::npos) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, k_tries / 2);
  EXPECT_LT(refused, k_tries);
}

}  // namespace
}  // namespace kernelloop
