#include "support/json_members.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

const Json k_reply =
    Json::parse(R"({"text": "a", "count": 3, "share": 0.5, "list": [1, 2], "none": null})");

TEST(JsonMembers, ReadWhatIsThere) {
  EXPECT_EQ(text_member(k_reply, "text"), "a");
  EXPECT_EQ(count_member(k_reply, "count"), 3);
  EXPECT_EQ(number_member(k_reply, "share"), 0.5);
  EXPECT_EQ(list_member(k_reply, "list").size(), 2u);
  EXPECT_EQ(member(k_reply, "count"), 3);
}

TEST(JsonMembers, ReadNothingWhereAMemberIsAbsentNullOrOfAnotherType) {
  for (const char* name : {"absent", "none", "list"}) {
    EXPECT_EQ(text_member(k_reply, name), "") << name;
    EXPECT_EQ(count_member(k_reply, name), std::nullopt) << name;
    EXPECT_EQ(number_member(k_reply, name), std::nullopt) << name;
  }
  EXPECT_TRUE(list_member(k_reply, "text").empty());
  EXPECT_TRUE(member(k_reply, "absent").is_null());
}

TEST(JsonMembers, ReadNoCountThat64BitsDoNotHold) {
  for (const char* text : {"1e300", "-1e300", "18446744073709551615"}) {
    EXPECT_EQ(count_member({{"count", Json::parse(text)}}, "count"), std::nullopt) << text;
  }
}

TEST(JsonMembers, ReadNothingFromWhatIsNoObject) {
  EXPECT_TRUE(member(Json(), "text").is_null());
  EXPECT_TRUE(member(Json::array({1}), "text").is_null());
  EXPECT_EQ(text_member(Json("text"), "text"), "");
  EXPECT_TRUE(list_member(Json(3), "list").is_array());
}

TEST(JsonMembers, ATimeIsAboveZero) {
  const Json json = {{"t", 2.5}, {"zero", 0}, {"below", -1}, {"text", "9"}, {"none", nullptr}};
  EXPECT_EQ(time_member(json, "t"), 2.5);
  for (const char* name : {"zero", "below", "text", "none", "absent"}) {
    EXPECT_FALSE(time_member(json, name)) << name;
  }
}

}  // namespace
}  // namespace kernelloop
