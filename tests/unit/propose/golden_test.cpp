// Whole requests of each dialect against files that were held against the vendors' documentation by
// eye. After a change that is meant, run with KERNELLOOP_WRITE_GOLDEN=1 and read the difference.
#include "propose/dialect.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace kernelloop {
namespace {

// A conversation with everything in it: reading, a call that fails, an answer, a follow-up. What
// the assistant said first is echoed as the dialect has it, when the model is the same.
AskRequest conversation(const std::string& dialect, const std::string& model) {
  Json echo;
  if (dialect == "anthropic") {
    echo = Json::array(
        {{{"type", "thinking"}, {"thinking", ""}, {"signature", "signed"}},
         {{"type", "text"}, {"text", "Let me look."}},
         {{"type", "tool_use"}, {"id", "t1"}, {"name", "search"}, {"input", {{"query", "wgmma"}}}},
         {{"type", "tool_use"}, {"id", "t2"}, {"name", "search"}, {"input", Json::object()}}});
  } else if (dialect == "openai") {
    echo = Json::array({{{"type", "reasoning"},
                         {"id", "rs_1"},
                         {"summary", Json::array()},
                         {"encrypted_content", "sealed"}},
                        {{"type", "function_call"},
                         {"id", "fc_1"},
                         {"call_id", "t1"},
                         {"name", "search"},
                         {"arguments", R"({"query":"wgmma"})"}},
                        {{"type", "function_call"},
                         {"id", "fc_2"},
                         {"call_id", "t2"},
                         {"name", "search"},
                         {"arguments", "{}"}}});
  } else {
    echo = {{"role", "assistant"},
            {"content", "Let me look."},
            {"reasoning_content", "hm"},
            {"tool_calls",
             {{{"id", "t1"},
               {"type", "function"},
               {"function", {{"name", "search"}, {"arguments", R"({"query":"wgmma"})"}}},
               {"extra_content", {{"google", {{"thought_signature", "signed"}}}}}},
              {{"id", "t2"},
               {"type", "function"},
               {"function", {{"name", "search"}, {"arguments", "{}"}}}}}}};
  }
  AskRequest ask;
  ask.model = model;
  ask.system = "You write GPU kernels.";
  ask.max_output_tokens = 32000;
  ask.tools = {{"search",
                "Searches the sources.",
                {{"type", "object"},
                 {"properties", {{"query", {{"type", "string"}}}}},
                 {"required", {"query"}}}}};
  Turn reads{Turn::Role::assistant,
             "Let me look.",
             {{"t1", "search", {{"query", "wgmma"}}, ""}, {"t2", "search", Json::object(), ""}}};
  reads.echo = {dialect, "model-1", echo};
  ask.turns = {{Turn::Role::user, "Write softmax."},
               reads,
               {Turn::Role::user,
                "",
                {},
                {{"t1", "search", "three hits", false}, {"t2", "search", "say what", true}}},
               {Turn::Role::assistant, "```cuda\n...\n```"},
               {Turn::Role::user, "line 4: identifier \"x\" is undefined"}};
  return ask;
}

class GoldenRequest
    : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(GoldenRequest, IsTheFile) {
  const auto [dialect, model, name] = GetParam();
  const Endpoint endpoint{"https://x.example/v1", "", "", "", "", "max_completion_tokens"};
  const HttpRequest request =
      make_dialect(dialect)->request(conversation(dialect, model), endpoint);
  const std::string text = to_text(Json::parse(request.body));
  const std::filesystem::path file = std::filesystem::path(GOLDEN_DIR) / name;
  if (std::getenv("KERNELLOOP_WRITE_GOLDEN") != nullptr) write_file_atomic(file, text);
  EXPECT_EQ(text, read_file(file));
}

INSTANTIATE_TEST_SUITE_P(
    Dialects, GoldenRequest,
    testing::Values(std::tuple("anthropic", "model-1", "anthropic.json"),
                    std::tuple("anthropic", "model-2", "anthropic_other_model.json"),
                    std::tuple("openai", "model-1", "openai.json"),
                    std::tuple("openai", "model-2", "openai_other_model.json"),
                    std::tuple("openai-chat", "model-1", "openai_chat.json"),
                    std::tuple("openai-chat", "model-2", "openai_chat_other_model.json")),
    [](const auto& each) {
      std::string name = std::get<2>(each.param);
      return name.substr(0, name.find('.'));
    });

}  // namespace
}  // namespace kernelloop
