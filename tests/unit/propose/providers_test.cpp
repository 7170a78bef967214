// The user's own configuration, the choice among providers, and the user's program.
#include "propose/command_provider.hpp"
#include "propose/provider_choice.hpp"
#include "propose/user_config.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace kernelloop {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class UserConfigTest : public testing::Test {
 protected:
  UserConfig load() {
    variables_["XDG_CONFIG_HOME"] = root_.path().string();
    return load_user_config([this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    });
  }
  void write(const std::string& text) {
    write_file_atomic(root_.path() / "kernelloop" / "config.json", text);
  }
  std::string refusal() {
    try {
      load();
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
  }
  std::string choice(const std::string& asked = "auto") {
    OpConfig config;
    config.op = "softmax";
    config.provider = asked;
    config.recordings_dir = root_.path() / "recordings";
    return choose_provider(config, load());
  }

  TemporaryDirectory root_;
  std::map<std::string, std::string> variables_;
};

TEST_F(UserConfigTest, TakesKeysFromTheEnvironmentOnly) {
  write(R"({"anthropic": {"base_url": "https://gateway.example", "api_key_env": "MY_OWN"}})");
  variables_["MY_OWN"] = "k";
  EXPECT_EQ(load().anthropic.key, "k");
  EXPECT_EQ(load().anthropic.base_url, "https://gateway.example");
  variables_["ANTHROPIC_BASE_URL"] = "https://other.example";
  EXPECT_EQ(load().anthropic.base_url, "https://other.example");
  write(R"({"anthropic": {"api_key": "k"}})");
  EXPECT_THAT(refusal(), HasSubstr("unknown member \"api_key\""));
}

TEST_F(UserConfigTest, ReachesOtherServersByConfiguration) {
  write(R"({"openai_chat": {
    "base_url": "https://my.openai.azure.com/openai/deployments/d",
    "api_key_env": "AZURE_OPENAI_API_KEY", "key_header": "api-key", "query": "api-version=2026-01-01",
    "extra_headers": {"x-team": "gpu", "x-org-token": "$ORG"},
    "extra_body": {"reasoning_effort": "high", "stream": false}, "drop_params": ["stream_options"]}})");
  variables_["AZURE_OPENAI_API_KEY"] = "k";
  variables_["ORG"] = "o";
  AskRequest ask;
  ask.model = "m";
  ask.turns = {{Turn::Role::user, "write"}};
  const HttpRequest request = make_openai_chat_dialect()->request(ask, load().openai_chat);
  EXPECT_EQ(
      request.url,
      "https://my.openai.azure.com/openai/deployments/d/chat/completions?api-version=2026-01-01");
  EXPECT_THAT(request.headers, Contains(testing::Pair("api-key", "k")));
  EXPECT_THAT(request.headers, Contains(testing::Pair("x-team", "gpu")));
  EXPECT_THAT(request.headers, Contains(testing::Pair("x-org-token", "o")));
  EXPECT_THAT(request.headers, Not(Contains(testing::Pair("authorization", testing::_))));
  const Json body = Json::parse(request.body);
  EXPECT_EQ(body["reasoning_effort"], "high");
  EXPECT_EQ(body["stream"], false);
  EXPECT_FALSE(body.contains("stream_options"));
  EXPECT_TRUE(body.contains("max_completion_tokens")) << "what the vendor's newer models want";
  EXPECT_EQ(load().openai.max_tokens_field, "max_completion_tokens");
  variables_["KERNELLOOP_OPENAI_CHAT_BASE_URL"] = "http://localhost:8080/v1";
  EXPECT_EQ(load().openai_chat.max_tokens_field, "max_tokens");
}

TEST_F(UserConfigTest, HasLimitsOfItsOwn) {
  write_file_atomic(root_.path() / "kernelloop/ca.pem", "certificates");
  write(R"({"timeouts": {"idle_seconds": 5, "silent_seconds": 6, "total_seconds": 7},
    "budget": {"op": {"usd": 1.5}, "run": {"requests": 3}}, "proxy": "http://p:1", "ca_file": "ca.pem",
    "prices_file": "~/prices.json", "prompts_dir": "prompts", "max_prompt_tokens": 24000})");
  variables_["HOME"] = "/home/me";
  const UserConfig user = load();
  EXPECT_EQ(user.limits.idle, std::chrono::seconds(5));
  EXPECT_EQ(user.limits.silent, std::chrono::seconds(6));
  EXPECT_EQ(user.limits.total, std::chrono::seconds(7));
  EXPECT_EQ(user.max_prompt_tokens, 24000);
  EXPECT_EQ(user.op_budget.nano_usd, 1'500'000'000);
  EXPECT_EQ(user.run_budget.requests, 3);
  EXPECT_EQ(user.network.proxy, "http://p:1");
  EXPECT_EQ(user.network.ca_file, (root_.path() / "kernelloop/ca.pem").string());
  EXPECT_EQ(user.prices_file, "/home/me/prices.json");
  EXPECT_EQ(user.prompts_dir, root_.path() / "kernelloop/prompts");
}

TEST_F(UserConfigTest, PointsAtWhatIsWrong) {
  write(R"({"openai": {"extra_headers": {"bad header": "x"}}})");
  EXPECT_THAT(refusal(), HasSubstr("must be a header"));
  write("{\"openai\": {\"extra_headers\": {\"x-a\": \"1\\r\\nx-b: 2\"}}}");
  EXPECT_THAT(refusal(), HasSubstr("line break"));
  write(R"({"openai": {"extra_body": []}})");
  EXPECT_THAT(refusal(), HasSubstr("must be an object"));
  write(R"({"budget": {"op": {"usd": "much"}}})");
  EXPECT_THAT(refusal(), HasSubstr("a budget must be a number"));
  write(R"({"openai": {"api_key_command": "pass show key"}})");
  EXPECT_THAT(refusal(), HasSubstr("must be a list of texts"));

  write(R"({"openai": {"query": "a b"}})");
  EXPECT_THAT(refusal(), HasSubstr("config.json:1:22: must be a query"));
  write(R"({"ca_file": "none.pem"})");
  EXPECT_THAT(refusal(),
              HasSubstr("there is no file " + (root_.path() / "kernelloop/none.pem").string()));
  write(R"({"max_output_tokens": 2000000000})");
  EXPECT_THAT(refusal(), HasSubstr("must be a whole number from 1 to 1e9"));

  write("{\n  \"commnd\": {}\n}");
  EXPECT_THAT(refusal(), HasSubstr("config.json:2:"));
  write(R"({"command": {"argv": "claude -p"}})");
  EXPECT_THAT(refusal(), HasSubstr("must be a list of texts"));
  write(R"({"max_prompt_tokens": -5})");
  EXPECT_THAT(refusal(), HasSubstr("from 1 to 1e9"));
  write(R"({"max_output_tokens": 0})");
  EXPECT_THAT(refusal(), HasSubstr("from 1 to 1e9"));
  write("{}");
  variables_["KERNELLOOP_COMMAND"] = "claude -p";
  EXPECT_THAT(refusal(), HasSubstr("KERNELLOOP_COMMAND"));
}

TEST_F(UserConfigTest, AutoIsTheFirstThatIsConfigured) {
  EXPECT_EQ(choice(), "manual");
  write(R"({"openai": {"api_key_file": "key"}})");
  EXPECT_EQ(choice(), "openai");
  write("{}");
  write_file_atomic(root_.path() / "recordings/softmax/v001/conversation.json", "{}");
  EXPECT_EQ(choice(), "replay");
  variables_["KERNELLOOP_COMMAND"] = "[\"agent\"]";
  EXPECT_EQ(choice(), "command");
  variables_["KERNELLOOP_OPENAI_CHAT_BASE_URL"] = "http://localhost:8080/v1";
  EXPECT_EQ(choice(), "openai-chat");
  variables_["OPENAI_API_KEY"] = "k";
  EXPECT_EQ(choice(), "openai");
  variables_["ANTHROPIC_API_KEY"] = "k";
  EXPECT_EQ(choice(), "anthropic");
  EXPECT_EQ(choice("replay"), "replay");
  EXPECT_EQ(choice("manual"), "manual");
}

AskRequest question() {
  AskRequest request;
  request.op = "softmax";
  request.version = 1;
  request.system = "rules";
  request.turns = {
      {Turn::Role::user, "first"}, {Turn::Role::assistant, "code"}, {Turn::Role::user, "second"}};
  return request;
}

CommandSettings shell(const std::string& script) {
  CommandSettings settings;
  settings.arguments = {"sh", "-c", script};
  settings.from = "KERNELLOOP_COMMAND";
  return settings;
}

TEST(CommandProvider, GivesThePromptAndTakesTheAnswer) {
  Reply reply = CommandProvider(shell("cat")).ask(question());
  ASSERT_TRUE(reply.answer);
  for (const char* part : {"rules", "first", "code", "second"}) {
    EXPECT_THAT(reply.answer->text, HasSubstr(part));
  }
  CommandSettings by_file = shell("cat \"$0\"; ls -A");
  by_file.arguments.push_back("{prompt_file}");
  reply = CommandProvider(by_file).ask(question());
  EXPECT_EQ(reply.answer->text, flat_prompt(question()));  // and an empty directory to work in
}

TEST(CommandProvider, ReadsTheResultOfAnAgent) {
  CommandSettings agent = shell(
      R"(echo '{"type":"system"}'; echo not json; echo '{"type":"result","is_error":false,"result":"text",)"
      R"("usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":3},"total_cost_usd":0.25}')");
  agent.result_pointer = "/result";
  Reply reply = CommandProvider(agent).ask(question());
  ASSERT_TRUE(reply.answer) << reply.failure->message;
  EXPECT_EQ(reply.answer->text, "text");
  EXPECT_EQ(reply.answer->usage.input, 7);
  EXPECT_EQ(reply.answer->usage.reported_usd, 0.25);
  // Exit code 0 and subtype success, and yet an error.
  agent.arguments[2] = R"(echo '{"subtype":"success","is_error":true,"result":"API Error: 529"}')";
  EXPECT_THAT(CommandProvider(agent).ask(question()).failure->message, HasSubstr("API Error: 529"));
  agent.arguments[2] = "echo no result";
  EXPECT_THAT(CommandProvider(agent).ask(question()).failure->message, HasSubstr("holds no JSON"));
  CommandSettings file = shell("echo progress; echo text >\"$0\"");
  file.arguments.push_back("{out_file}");
  EXPECT_EQ(CommandProvider(file).ask(question()).answer->text, "text\n");
  file.arguments[2] = "true";
  EXPECT_THAT(CommandProvider(file).ask(question()).failure->message, HasSubstr("wrote no answer"));
}

TEST(CommandProvider, LivesWithMegabytesOfErrorsAndGrandchildren) {
  const Reply reply =
      CommandProvider(shell("head -c 9000000 /dev/zero >&2; sleep 60 & echo text")).ask(question());
  ASSERT_TRUE(reply.answer);
  EXPECT_EQ(reply.answer->text, "text\n");
}

TEST(CommandProvider, SaysHowTheProgramFailed) {
  Reply reply = CommandProvider(shell("echo why >&2; exit 3")).ask(question());
  ASSERT_TRUE(reply.failure);
  EXPECT_THAT(reply.failure->message, HasSubstr("exit code 3: why"));
  CommandSettings slow = shell("sleep 60");
  slow.timeout = std::chrono::seconds(1);
  reply = CommandProvider(slow).ask(question());
  EXPECT_THAT(reply.failure->message, HasSubstr("timed out"));
  CommandSettings absent = shell("");
  absent.arguments = {"kernelloop-no-such-program"};
  EXPECT_THROW(CommandProvider(absent).ask(question()), Error);
}

TEST(CommandProvider, HidesTheKeysOfOthers) {
  CommandSettings settings;
  settings.arguments = {"/opt/bin/claude", "-p"};
  EXPECT_THAT(hidden_variables(settings), Contains("OPENAI_API_KEY"));
  EXPECT_THAT(hidden_variables(settings), Not(Contains("ANTHROPIC_API_KEY")));
  settings.arguments = {"my-agent"};
  settings.keep_environment = {"OPENAI_API_KEY"};
  EXPECT_THAT(hidden_variables(settings), Contains("ANTHROPIC_API_KEY"));
  EXPECT_THAT(hidden_variables(settings), Not(Contains("OPENAI_API_KEY")));
  ::setenv("GEMINI_API_KEY", "k", 1);
  const Reply reply = CommandProvider(shell("echo \"[$GEMINI_API_KEY]\"")).ask(question());
  EXPECT_EQ(reply.answer->text, "[]\n");
}

}  // namespace
}  // namespace kernelloop
