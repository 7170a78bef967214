#include "propose/http_provider.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string k_good = R"({"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]})";

class HttpProviderTest : public testing::Test {
 protected:
  Reply ask() {
    HttpProviderParts parts;
    parts.dialect = dialect_.get();
    parts.transport = &transport_;
    parts.clock = &clock_;
    parts.retry = retry_;
    parts.endpoint = endpoint_;
    parts.meter = meter_ != nullptr ? meter_.get() : nullptr;
    parts.keep = [this](const HttpResponse& response) { kept_.push_back(response.body); };
    AskRequest request;
    request.op = "softmax";
    request.version = 1;
    request.max_output_tokens = 8000;
    request.turns = {{Turn::Role::user, prompt_}};
    return HttpProvider(std::move(parts)).ask(request);
  }
  void respond(std::deque<HttpResponse> responses) { transport_.responses = std::move(responses); }

  std::unique_ptr<Dialect> dialect_ = make_openai_chat_dialect();
  FakeTransport transport_;
  FakeClock clock_;
  RetryPolicy retry_;
  Endpoint endpoint_{"https://x.example/v1", "X_URL", "secret-value", "X_KEY", "m-1", "max_tokens"};
  std::vector<std::string> kept_;
  std::string prompt_ = "write";
  TemporaryDirectory root_;
  std::unique_ptr<Meter> meter_;
};

std::string plain(const std::string& content, const std::string& finish, const Json& usage) {
  return Json({{"model", "gpt-5.5"},
               {"choices", {{{"message", {{"content", content}}}, {"finish_reason", finish}}}},
               {"usage", usage}})
      .dump();
}

Json limit_of(const HttpRequest& request) { return Json::parse(request.body)["max_tokens"]; }

TEST_F(HttpProviderTest, RetriesWhatPasses) {
  respond({{429, {{"retry-after", "3"}}, "", ""},
           {503, {}, "", ""},
           {0, {}, "", "connection reset"},
           {200, {}, "data: {\"choices\":[{\"delta\":{\"content\":\"h\"}}]}\n\n", "cut"},
           {200, {}, k_good, ""}});
  const Reply reply = ask();
  ASSERT_TRUE(reply.answer);
  EXPECT_EQ(reply.requests, 5);
  EXPECT_THAT(clock_.sleeps, ElementsAre(3000, 1000, 2000, 4000));
  EXPECT_THAT(kept_, ElementsAre(testing::_, k_good));
  EXPECT_EQ(reply.answer->model, "m-1");
}

TEST_F(HttpProviderTest, DoesNotRetryWhatStays) {
  for (const int status : {400, 401, 403, 404, 413, 302}) {
    respond({{status, {}, "", ""}});
    const Reply reply = ask();
    EXPECT_EQ(reply.requests, 1) << status;
    EXPECT_TRUE(reply.failure) << status;
  }
  EXPECT_TRUE(clock_.sleeps.empty());
  EXPECT_TRUE(kept_.empty());
}

TEST_F(HttpProviderTest, GivesUpAfterAWhile) {
  respond({{500, {}, "", ""}});
  const Reply reply = ask();
  EXPECT_EQ(reply.requests, 6);
  EXPECT_THAT(reply.failure->message, HasSubstr("after 6 tries"));
}

TEST_F(HttpProviderTest, DoesNotWaitForHours) {
  respond({{429, {{"retry-after", "7200"}}, "", ""}});
  const Reply reply = ask();
  EXPECT_EQ(reply.requests, 1);
  EXPECT_THAT(reply.failure->message, HasSubstr("asks to wait 7200 s"));
}

TEST_F(HttpProviderTest, WaitsByChanceAndNeverPastTheEnd) {
  clock_.chances = {0.75, 0.5};
  respond({{500, {}, "", ""}, {500, {}, "", ""}, {200, {}, k_good, ""}});
  ask();
  EXPECT_THAT(clock_.sleeps, ElementsAre(125, 500));
  // What is left of the time is all that a later attempt may take.
  EXPECT_EQ(transport_.requests[0].limits.total, HttpLimits{}.total);
  respond({{500, {{"retry-after", "119"}}, "", ""}});
  transport_.requests.clear();
  RetryPolicy policy;
  policy.total = std::chrono::minutes(5);
  retry_ = policy;
  EXPECT_THAT(ask().failure->message, HasSubstr("gave up after 3 tries"));
  EXPECT_EQ(transport_.requests[2].limits.total, std::chrono::seconds(300 - 2 * 119));
}

TEST_F(HttpProviderTest, AsksOnceMoreWithRoomForTheAnswerAfterTheReasoning) {
  const Json usage = {{"prompt_tokens", 9},
                      {"completion_tokens", 8000},
                      {"completion_tokens_details", {{"reasoning_tokens", 8000}}}};
  respond({{200, {}, plain("", "length", usage), ""}, {200, {}, k_good, ""}});
  Reply reply = ask();
  ASSERT_TRUE(reply.answer) << reply.failure->message;
  EXPECT_EQ(reply.requests, 2);
  EXPECT_EQ(limit_of(transport_.requests[0]), 8000);
  EXPECT_EQ(limit_of(transport_.requests[1]), 16000);
  EXPECT_NE(transport_.requests[0].headers, transport_.requests[1].headers) << "another question";
  respond({{200, {}, plain("", "length", usage), ""}});
  reply = ask();
  EXPECT_EQ(reply.failure->kind, Failure::Kind::reasoning_limit);
  EXPECT_EQ(reply.requests, 2);
  EXPECT_THAT(reply.failure->message, HasSubstr("8000 tokens"));
  EXPECT_THAT(reply.failure->message, HasSubstr("raise max_output_tokens"));
}

TEST_F(HttpProviderTest, LowersALimitThatDoesNotFitBesideThePrompt) {
  const std::string over =
      R"({"error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed )"
      R"(context limit: 195000 + 8000 > 200000, decrease input length"}})";
  respond({{400, {}, over, ""}, {200, {}, k_good, ""}});
  EXPECT_TRUE(ask().answer);
  EXPECT_EQ(limit_of(transport_.requests[1]), 5000);
}

TEST_F(HttpProviderTest, NoticesAPromptThatWasCut) {
  prompt_ = std::string(60'000, 'x');
  respond(
      {{200, {}, plain("hi", "stop", {{"prompt_tokens", 4096}, {"completion_tokens", 2}}), ""}});
  EXPECT_THAT(ask().answer->note, HasSubstr("counts 4096 tokens of prompt"));
  respond(
      {{200, {}, plain("hi", "stop", {{"prompt_tokens", 16000}, {"completion_tokens", 2}}), ""}});
  EXPECT_EQ(ask().answer->note, "");
}

TEST_F(HttpProviderTest, BooksEveryRequestAndStopsBeforeTheOneTooMany) {
  Account account;
  account.generated_dir = root_.path();
  account.run = "r";
  account.op_budget.requests = 3;
  meter_ = std::make_unique<Meter>(account, "openai-chat", "");
  endpoint_.default_model = "gpt-5.5";
  HttpResponse unreachable{0, {}, "", "no route"};
  unreachable.sent = false;
  respond(
      {unreachable,
       {200,
        {},
        "data: {\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2},\"choices\":[]}\n\n",
        "cut"},
       {200, {}, plain("hi", "stop", {{"prompt_tokens", 1000}, {"completion_tokens", 10}}), ""}});
  EXPECT_TRUE(ask().answer);
  const auto entries = Ledger(root_.path()).entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].outcome, "network");
  EXPECT_FALSE(entries[0].charged);
  EXPECT_EQ(entries[1].outcome, "truncated");
  EXPECT_EQ(entries[1].counted_tokens(), 9);
  EXPECT_EQ(entries[1].nano_usd, 7 * 5'000 + 2 * 30'000);
  EXPECT_EQ(entries[2].nano_usd, 1000 * 5'000 + 10 * 30'000);
  EXPECT_EQ(entries[2].price_source, "prices/openai.json of 2026-11-01");
  transport_.requests.clear();
  const Reply refused = ask();
  EXPECT_EQ(refused.failure->kind, Failure::Kind::budget);
  EXPECT_EQ(refused.requests, 0);
  EXPECT_TRUE(transport_.requests.empty());
  EXPECT_EQ(Ledger(root_.path()).entries().size(), 3u);
}

TEST_F(HttpProviderTest, SendsTheSameNameForTheSameQuestion) {
  respond({{500, {}, "", ""}, {200, {}, k_good, ""}});
  ask();
  ASSERT_EQ(transport_.requests.size(), 2u);
  EXPECT_EQ(transport_.requests[0].headers, transport_.requests[1].headers);
}

TEST_F(HttpProviderTest, NeverShowsTheKey) {
  respond({{401, {}, R"({"error":{"message":"key secret-value is wrong"}})", ""}});
  const Reply reply = ask();
  EXPECT_THAT(reply.failure->message, testing::Not(HasSubstr("secret-value")));
  EXPECT_THAT(reply.failure->message, HasSubstr("key of X_KEY"));
  EXPECT_THAT(reply.failure->message, HasSubstr("https://x.example"));
}

TEST_F(HttpProviderTest, SaysThatThereWasNoKey) {
  endpoint_.key.clear();
  respond({{401, {}, R"({"error":{"message":"who are you"}})", ""}});
  EXPECT_THAT(ask().failure->message, HasSubstr("(https://x.example, without a key)"));
}

TEST_F(HttpProviderTest, KeepsTheKeyOutOfWhatTheServerRepeats) {
  // In two pieces, so that no look at the raw stream can find it.
  respond(
      {{200,
        {},
        "data: {\"choices\":[{\"delta\":{\"content\":\"your secret-\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"value\"},\"finish_reason\":\"stop\"}]}\n\n",
        ""}});
  const Reply reply = ask();
  EXPECT_EQ(reply.answer->text, "your [key]");
  EXPECT_EQ(reply.answer->echo_items["content"], "your [key]");
}

TEST_F(HttpProviderTest, WantsAModel) {
  endpoint_.default_model.clear();
  respond({{200, {}, k_good, ""}});
  EXPECT_THROW(ask(), Error);
  EXPECT_TRUE(transport_.requests.empty());
}

TEST(UrlCheck, LetsKeysGoEncryptedOrNowhere) {
  const auto refused = [](const std::string& url, bool key) {
    try {
      check_url(url, key, "X_URL");
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  for (const char* url : {"https://api.example/v1", "http://127.0.0.1:99/v1", "http://localhost/v1",
                          "http://[::1]:8080/"}) {
    EXPECT_EQ(refused(url, true), "") << url;
  }
  EXPECT_EQ(refused("http://gpu-box:8000/v1", false), "");
  EXPECT_THAT(refused("http://gpu-box:8000/v1", true), HasSubstr("unencrypted to gpu-box"));
  EXPECT_THAT(refused("http://127.evil.example/", true), HasSubstr("unencrypted"));
  EXPECT_THAT(refused("http://localhost.evil.example/", true), HasSubstr("unencrypted"));
  EXPECT_THAT(refused("http://127.0.0.1@evil.example/", true), HasSubstr("user name"));
  EXPECT_THAT(refused("ftp://127.0.0.1/", false), HasSubstr("scheme 'ftp'"));
  EXPECT_THAT(refused("file:///etc/passwd", false), HasSubstr("X_URL"));
  EXPECT_THAT(refused("not a url", false), HasSubstr("X_URL is not a URL"));
  EXPECT_EQ(shown_url("https://u:p@h.example:8/path?key=1"), "https://h.example:8");
}

}  // namespace
}  // namespace kernelloop
