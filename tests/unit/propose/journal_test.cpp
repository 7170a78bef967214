#include "propose/journal.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  JournalTest() { journal_.prepare(root_.path() / "build", 1); }
  TemporaryDirectory root_;
  Journal journal_{root_.path() / "op", 3};
};

TEST_F(JournalTest, GivesBackWhatWasKept) {
  PendingRequest pending;
  pending.provider = "openai";
  pending.mode = "fix";
  pending.parent = "v002";
  pending.request.op = "softmax";
  pending.request.version = 3;
  pending.request.turn = 2;
  pending.request.system = "s";
  pending.request.model = "m";
  pending.request.turns = {{Turn::Role::user, "a"}, {Turn::Role::assistant, "b\xFF"}};
  EXPECT_FALSE(journal_.request(2));
  journal_.keep_request(2, pending);
  const std::optional<PendingRequest> read = journal_.request(2);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->provider, "openai");
  EXPECT_EQ(read->parent, "v002");
  EXPECT_EQ(read->request.turns[1].role, Turn::Role::assistant);
  EXPECT_EQ(idempotency_key(read->request), idempotency_key(pending.request));
  pending.request.turn = 3;
  EXPECT_NE(idempotency_key(read->request), idempotency_key(pending.request));

  EXPECT_FALSE(journal_.reply(2));
  journal_.keep_reply(2, Reply::of(Answer{"text", "length", {1, 2, 3}, "m", "raw"}));
  EXPECT_EQ(journal_.reply(2)->answer->text, "text");
  EXPECT_EQ(journal_.reply(2)->answer->stop_reason, "length");
  EXPECT_EQ(journal_.reply(2)->answer->usage.cached_input, 3);
}

TEST_F(JournalTest, FailedAttemptsStayOnRecord) {
  Failure failure;
  failure.kind = Failure::Kind::quota;
  failure.message = "no money";
  for (int attempt = 1; attempt <= 2; ++attempt) {
    journal_.keep_reply(1, Reply::of(failure));
    write_file_atomic(journal_.body_file(1, 1), "{}");
    journal_.record_failure(1, "no answer");
    EXPECT_FALSE(journal_.reply(1));
    EXPECT_FALSE(fs::exists(journal_.body_file(1, 1)));
    const Json record = read_json(journal_.file(1, fmt::format("failed-{}.json", attempt))).value;
    EXPECT_EQ(record["reply"]["kind"], "quota");
    EXPECT_EQ(record["time"].get<std::string>().size(), 20u);
  }
}

TEST_F(JournalTest, ALostCourierIsNotedOnceAndItsResponseKept) {
  journal_.note_lost_courier(1);
  EXPECT_FALSE(fs::exists(journal_.file(1, "failed-1.json")));
  write_file_atomic(journal_.file(1, "lock"), "");
  write_file_atomic(journal_.body_file(1, 1), "{}");
  EXPECT_TRUE(journal_.has_unread_body(1));
  journal_.note_lost_courier(1);
  journal_.note_lost_courier(1);
  EXPECT_TRUE(fs::exists(journal_.file(1, "failed-1.json")));
  EXPECT_FALSE(fs::exists(journal_.file(1, "failed-2.json")));
  EXPECT_TRUE(journal_.has_unread_body(1));
}

TEST_F(JournalTest, DamagedFilesAreNamed) {
  for (const char* text : {"{", "{}", "[]", R"({"status":"answered"})"}) {
    write_file_atomic(journal_.file(1, "reply.json"), text);
    try {
      static_cast<void>(journal_.reply(1));
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("turn001.reply.json"));
    }
  }
}

}  // namespace
}  // namespace kernelloop
