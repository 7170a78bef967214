// The inner loop with tools: read, go on, stop when told, and lose nothing to a kill.
#include "propose/inner_loop.hpp"
#include "propose/publish.hpp"
#include "propose/replay_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

Answer reads(const std::string& what) {
  Answer answer;
  answer.text = "Let me look.";
  answer.stop_reason = "tools";
  answer.model = "m-1";
  answer.tool_calls = {{"t1", "look", {{"what", what}}, ""}};
  answer.echo_items = Json::array({{{"type", "signed"}, {"about", what}}});
  return answer;
}

Answer writes(const std::string& body) {
  Answer answer;
  answer.text = answer_text(body);
  answer.stop_reason = "end";
  answer.model = "m-1";
  return answer;
}

class ToolLoop : public testing::Test {
 protected:
  Proposal run(bool with_tools = true) {
    const ToolBox box({&tool_}, limits_, [](const std::string&) { return std::string(); });
    InnerLoop loop;
    loop.journal = &journal_;
    loop.provider = replay_ != nullptr ? static_cast<Provider*>(replay_.get()) : &provider_;
    loop.compiler = &compiler_;
    loop.templates = &templates_;
    loop.provider_name = "anthropic";
    loop.op = "scale";
    loop.version = 1;
    loop.turn_limit = 2;
    loop.tools = with_tools ? &box : nullptr;
    loop.check_text = [](const std::string&) {};
    Prompt prompt;
    prompt.system = "rules";
    prompt.user = "write";
    prompt.mode = "seed";
    journal_.prepare(root_.path() / "step", 1);
    return run_inner_loop(loop, prompt);
  }

  TemporaryDirectory root_;
  Journal journal_{root_.path() / "scale", 1};
  FakeProvider provider_;
  std::unique_ptr<ReplayProvider> replay_;
  FakeCompiler compiler_;
  FakeTool tool_;
  Templates templates_;
  ToolLimits limits_;
};

TEST_F(ToolLoop, ReadsThenWritesAndTheRecordingKeepsIt) {
  provider_.answers = {reads("a"), writes("broken"), reads("b"), writes("good")};
  const Proposal proposal = run();
  EXPECT_EQ(proposal.source, kernel_text("good"));
  ASSERT_EQ(provider_.requests.size(), 4u);
  EXPECT_EQ(provider_.requests[0].tools.at(0).name, "look");
  const std::vector<Turn>& turns = provider_.requests[1].turns;
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[1].echo.items, reads("a").echo_items);
  EXPECT_EQ(turns[2].tool_results.at(0).text, marked_as_data("look", "about a"));

  OpConfig config;
  config.op = "scale";
  const Json conversation = conversation_of(config, 1, proposal);
  EXPECT_EQ(conversation["turns"][0]["outcome"]["status"], "tools");
  EXPECT_EQ(conversation["turns"][0]["reply"]["tool_calls"][0]["input"]["what"], "a");
  EXPECT_EQ(conversation["turns"][0]["reply"]["echo_items"], reads("a").echo_items);
  EXPECT_EQ(conversation["turns"][0]["request"]["tools"][0]["name"], "look");
  EXPECT_THAT(conversation["turns"][1]["request"]["tool_results"][0]["text"].get<std::string>(),
              HasSubstr("about a"));

  // The recording plays back without the tool.
  const TemporaryDirectory elsewhere;
  write_file_atomic(elsewhere.path() / "scale/v001/conversation.json", to_text(conversation));
  replay_ = std::make_unique<ReplayProvider>(elsewhere.path());
  journal_ = Journal(elsewhere.path() / "again", 1);
  tool_.calls = 0;
  const Proposal again = run(false);
  EXPECT_EQ(again.source, proposal.source);
  EXPECT_EQ(tool_.calls, 0);
  const Json played = conversation_of(config, 1, again);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(played["turns"][i]["request"].value("tool_results", Json()),
              conversation["turns"][i]["request"].value("tool_results", Json()));
  }
}

TEST_F(ToolLoop, ATurnThatReadIsNotAskedTwice) {
  provider_.answers = {reads("a")};
  EXPECT_THROW(run(), std::out_of_range);  // killed while the second answer is on its way
  provider_.answers = {reads("a"), writes("good")};
  provider_.requests.clear();
  EXPECT_EQ(run().source, kernel_text("good"));
  ASSERT_EQ(provider_.requests.size(), 1u);
  EXPECT_EQ(provider_.requests[0].turn, 2);
}

TEST_F(ToolLoop, ReadingHasAnEnd) {
  limits_.rounds = 2;
  provider_.answers = std::vector<Answer>(9, reads("a"));
  const Proposal proposal = run();
  // Two rounds, one that is told to answer, then two answers that hold no code.
  EXPECT_EQ(provider_.requests.size(), 5u);
  EXPECT_EQ(tool_.calls, 2);
  EXPECT_THAT(provider_.requests[2].turns.back().tool_results[0].text, HasSubstr("answer now"));
  EXPECT_TRUE(provider_.requests[3].turns.back().tool_results[0].failed);
  EXPECT_EQ(provider_.requests[4].turns.back().tool_results.size(), 1u)
      << "a call without a result";
  EXPECT_THAT(provider_.requests[4].turns.back().text, HasSubstr("no_code"));
  EXPECT_THAT(proposal.source, HasSubstr("#error"));
}

TEST_F(ToolLoop, CallsOfAModelWithoutToolsAreLeftOut) {
  Answer odd = writes("broken");
  odd.stop_reason = "tools";
  odd.tool_calls = {{"t1", "look", Json::object(), ""}};
  provider_.answers = {odd, writes("good")};
  EXPECT_EQ(run(false).source, kernel_text("good"));
  EXPECT_TRUE(provider_.requests[1].turns[1].tool_calls.empty());
  EXPECT_TRUE(provider_.requests[1].turns[2].tool_results.empty());
}

}  // namespace
}  // namespace kernelloop
