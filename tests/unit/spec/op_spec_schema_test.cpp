// What the published schema says about broken specs, and that it stays what editors need.
#include "spec/dtype.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_texts.hpp"

namespace kernelloop {

extern const std::string_view k_op_schema;

namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(OpSpecSchema, UnknownMembers) {
  EXPECT_THAT(spec_error(with(R"("outputs")", R"("ouputs")")),
              StartsWith("op.json:14:13: unknown member `ouputs`; did you mean `outputs`?"));
  EXPECT_THAT(spec_error(with(R"("dtype": "bfloat16")", R"("dtyp": "bfloat16")")),
              HasSubstr("op.json:11:46: unknown member `dtyp`; did you mean `dtype`?"));
  EXPECT_THAT(spec_error(with(R"("max_abs")", R"("max_abz")")),
              HasSubstr("did you mean `max_abs`?"));
  EXPECT_THAT(spec_error(with(R"({"fp32")", R"({"fp23")")), HasSubstr("did you mean `fp32`?"));
  EXPECT_THAT(spec_error(with(R"("holdout")", R"("hold_out")")),
              HasSubstr("did you mean `holdout`?"));
}

TEST(OpSpecSchema, MissingMembers) {
  EXPECT_THAT(spec_error(with(R"("name": "scale",)", "")),
              StartsWith("op.json:1:1: missing member `name`; add it"));
  EXPECT_THAT(spec_error(with(R"("shape": null, )", "")),
              StartsWith("op.json:12:13: missing member `shape`; add it"));
}

TEST(OpSpecSchema, WrongTypes) {
  EXPECT_THAT(spec_error(with(R"("scale")", "7")),
              StartsWith("op.json:2:11: expected a string, found an integer: 7; put it in quotes"));
  EXPECT_THAT(spec_error(with(R"(["rows", "wide"], "dtype": "bfloat16")",
                              R"("rows", "dtype": "bfloat16")")),
              StartsWith("op.json:11:20: expected an array or null, found a string: \"rows\""));
  EXPECT_THAT(
      spec_error(with(R"({"rows": 3,)", R"({"rows": 3.5,)")),
      StartsWith("op.json:19:40: expected an integer, found a number with a fraction: 3.5"));
  EXPECT_THAT(spec_error("[]"), StartsWith("op.json:1:1: expected an object, found an array"));
}

TEST(OpSpecSchema, AnUnknownElementTypeListsTheLegalOnes) {
  const std::string message = spec_error(with("bfloat16", "bfloat17"));
  EXPECT_THAT(message, StartsWith("op.json:11:47: \"bfloat17\" is not allowed here; did you mean "
                                  "\"bfloat16\"? allowed are "));
  for (const std::string& name : dtype_names()) EXPECT_THAT(message, HasSubstr('"' + name + '"'));
}

TEST(OpSpecSchema, ListsTheTypesOfTheTable) {
  const Json schema = Json::parse(k_op_schema);
  std::vector<std::string> listed;
  for (const Json& name : schema["definitions"]["dtype"]["enum"]) listed.push_back(name);
  EXPECT_EQ(listed, dtype_names());
}

// Editors show title and description; every object must refuse unknown members.
void check_documented(const Json& schema, const std::string& where) {
  if (schema.contains("properties")) {
    EXPECT_TRUE(schema.contains("additionalProperties")) << where;
    for (const auto& [name, member] : schema["properties"].items()) {
      const std::string place = where + "/" + name;
      EXPECT_TRUE(member.contains("title") && member.contains("description")) << place;
      check_documented(member, place);
    }
  }
}

TEST(OpSpecSchema, EveryMemberIsDocumented) {
  const Json schema = Json::parse(k_op_schema);
  check_documented(schema, "");
  for (const auto& [name, definition] : schema["definitions"].items()) {
    check_documented(definition, name);
  }
}

TEST(OpSpecSchema, EditorsMayNameTheSchema) {
  EXPECT_EQ(spec_error(with("{\n", "{\n  \"$schema\": \"op.schema.json\",\n")), "no error");
}

TEST(OpSpecSchema, DeepNestingIsRefusedBeforeItIsWalked) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(spec_error(with("3}", deep + "}")), HasSubstr("nested deeper than 128 levels"));
}

TEST(OpSpecSchema, BrokenJsonAndNumbersBeyondDouble) {
  EXPECT_THAT(spec_error(with(R"("scale",)", R"("scale")")),
              StartsWith("op.json:3:15: not valid JSON"));
  EXPECT_THAT(spec_error(with("0.001", "1e999")), HasSubstr("the number 1e999 is larger than"));
}

}  // namespace
}  // namespace kernelloop
