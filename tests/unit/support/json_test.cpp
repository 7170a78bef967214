#include "support/json.hpp"

#include "support/error.hpp"
#include "support/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_json(text, "op.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Json, BrokenTextNamesLineAndColumn) {
  EXPECT_THAT(message_of("{\n  \"a\": 1,\n  \"b\" 2\n}"),
              testing::StartsWith("op.json:3:7: not valid JSON"));
}

TEST(Json, ADoubleMemberIsAnError) {
  EXPECT_THAT(message_of("{\"a\": 1,\n \"a\": 2}"),
              testing::StartsWith("op.json:2:2: member \"a\" occurs twice"));
}

TEST(Json, ADoubleMemberIsFoundWhereItStands) {
  EXPECT_THAT(message_of("{\"k\": {\"a\": 1,\n \"a\": 2},\n \"a\": 3}"),
              testing::StartsWith("op.json:2:2: member \"a\" occurs twice"));
}

TEST(Json, DeepNestingIsRefused) {
  EXPECT_THAT(message_of(std::string(1000000, '[')),
              testing::StartsWith("op.json:1:129: nested deeper than 128 levels"));
  EXPECT_NO_THROW(parse_json(std::string(128, '[') + std::string(128, ']'), "op.json"));
  // Brackets in strings are no nesting.
  EXPECT_NO_THROW(parse_json("\"" + std::string(1000, '[') + "\\\"[\"", "op.json"));
}

TEST(Json, ANumberBeyondEveryDoubleIsRefused) {
  EXPECT_EQ(message_of("{\"1e999\": 1,\n \"a\": [1e99, -1e999]}"),
            "op.json:2:14: the number -1e999 is larger than a float64 can be");
}

TEST(Json, FindsThePlaceOfAValue) {
  const JsonDocument document = parse_json(
      "{\n \"axes\": {\"a/b\": [1,\n   {\"x\": \"}\\\"\"}]},\n \"z\": 3}", "op.json", 11);
  EXPECT_EQ(document.where(""), "op.json:11:1");
  EXPECT_EQ(document.where("/axes/a~1b/1/x"), "op.json:13:10");
  EXPECT_EQ(document.where("/z"), "op.json:14:7");
  EXPECT_EQ(document.where("/axes/none/deeper"), "op.json:12:10");
}

TEST(JsonSchema, PointsAtTheOffendingLine) {
  const std::string schema = R"({"type":"object","additionalProperties":false,
    "properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name"]})";
  EXPECT_TRUE(schema_violations(parse_json("{\"name\":\"x\"}", "a.json"), schema).empty());
  const auto wrong_type =
      schema_violations(parse_json("{\"name\":\"x\",\n\"n\":\"y\"}", "a.json"), schema);
  ASSERT_FALSE(wrong_type.empty());
  EXPECT_THAT(wrong_type.front(), testing::StartsWith("a.json:2:5: "));
  EXPECT_FALSE(schema_violations(parse_json("{\"n\":1}", "a.json"), schema).empty());
  EXPECT_FALSE(schema_violations(parse_json("{\"name\":\"x\",\"q\":1}", "a.json"), schema).empty());
}

TEST(Json, TextSurvivesBytesThatAreNotUtf8) { EXPECT_NO_THROW(to_text(Json{{"log", "\xff\xfe"}})); }

}  // namespace
}  // namespace kernelloop
