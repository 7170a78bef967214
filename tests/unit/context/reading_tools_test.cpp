#include "context/reading_tools.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;

class ReadingTools : public testing::Test {
 protected:
  ReadingTools() {
    write_file_atomic(root_.path() / "src/a.cu", "int one;\nint two;\nint three;\n");
    config_.build_dir = root_.path() / "build/kernelloop/scale";
    config_.generated_dir = root_.path() / "generated";
    config_.context = {(root_.path() / "src").string()};
    reader_ = std::make_unique<ContextReader>(config_, 1);
    tools_ = make_reading_tools(*reader_);
  }
  ToolOutput call(const std::string& name, const Json& input) const {
    for (const auto& tool : tools_) {
      if (tool->declaration().name == name) return tool->call(input);
    }
    return {"no such tool", true};
  }

  TemporaryDirectory root_;
  OpConfig config_;
  std::unique_ptr<ContextReader> reader_;
  std::vector<std::unique_ptr<ReadingTool>> tools_;
};

TEST_F(ReadingTools, AnswerWithFileAndLine) {
  EXPECT_THAT(call("search", {{"query", "three"}}).text, HasSubstr("src/a.cu:1"));
  EXPECT_EQ(call("read", {{"file", "src/a.cu"}, {"first", 2}, {"last", 2}}).text,
            "src/a.cu:2-2 of 3 lines\n    2 | int two;\n");
  EXPECT_EQ(call("list", Json::object()).text, "versions/\nsrc/\n");
  EXPECT_EQ(call("grep", {{"pattern", "TWO"}, {"ignore_case", true}}).text,
            "src/a.cu:2: int two;\n");
}

TEST_F(ReadingTools, TakeWhatModelsWrite) {
  for (const Json& number : {Json("2"), Json(2.0), Json(2)}) {
    EXPECT_THAT(call("read", {{"file", "src/a.cu"}, {"first", number}}).text, HasSubstr(":2-3 of"));
  }
  for (const Json& number : {Json(nullptr), Json("x"), Json(-5), Json(Json::array())}) {
    EXPECT_THAT(call("read", {{"file", "src/a.cu"}, {"first", number}}).text, HasSubstr(":1-3 of"));
  }
  EXPECT_TRUE(call("read", {{"file", "src/a.cu"}, {"first", 1e300}}).failed);
}

TEST_F(ReadingTools, SayWhatIsMissing) {
  EXPECT_EQ(call("search", Json::object()).text, "search needs \"query\", a text");
  EXPECT_EQ(call("read", {{"file", 7}}).text, "read needs \"file\", a text");
  EXPECT_TRUE(call("grep", {{"pattern", "("}}).failed);
}

TEST_F(ReadingTools, DeclareThemselvesAlike) {
  const auto again = make_reading_tools(*reader_);
  ASSERT_EQ(again.size(), tools_.size());
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    const ToolDeclaration declaration = tools_[i]->declaration();
    EXPECT_EQ(declaration.input_schema, again[i]->declaration().input_schema);
    EXPECT_EQ(declaration.input_schema["type"], "object");
    EXPECT_FALSE(declaration.description.empty());
  }
}

}  // namespace
}  // namespace kernelloop
