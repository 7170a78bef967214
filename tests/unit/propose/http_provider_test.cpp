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
    parts.endpoint = endpoint_;
    parts.keep = [this](const HttpResponse& response) { kept_.push_back(response.body); };
    AskRequest request;
    request.op = "softmax";
    request.version = 1;
    request.turns = {{Turn::Role::user, "write"}};
    return HttpProvider(std::move(parts)).ask(request);
  }
  void respond(std::deque<HttpResponse> responses) { transport_.responses = std::move(responses); }

  std::unique_ptr<Dialect> dialect_ = make_openai_chat_dialect();
  FakeTransport transport_;
  FakeClock clock_;
  Endpoint endpoint_{"https://x.example/v1", "X_URL", "secret-value", "X_KEY", "m-1", "max_tokens"};
  std::vector<std::string> kept_;
};

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
