#include "propose/propose.hpp"

#include "loop/history.hpp"
#include "propose/journal.hpp"
#include "support/error.hpp"
#include "support/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

#include <thread>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A project in a scratch directory, its compiler faked, its providers those without a network.
class Propose : public testing::Test {
 protected:
  Propose() {
    config_.op = "scale";
    config_.build_dir = root_.path() / "build" / "scale";
    config_.generated_dir = root_.path() / "generated";
    config_.recordings_dir = root_.path() / "recordings";
    config_.reference_source = root_.path() / "scale.cpp";
    config_.provider = "manual";
    config_.versions = 4;
    config_.fix_limit = 2;
    config_.device = "cpu";
    config_.architectures = {"90a"};
    write_file_atomic(config_.reference_source, "// y = 2x\n");
    spec_.name = "scale";
    spec_.description = "doubles";
  }

  std::string propose_version(int version) {
    ProposeRequest request;
    request.config = &config_;
    request.spec = &spec_;
    request.user = &user_;
    request.compiler = &compiler_;
    request.version = version;
    request.room_bytes = room_bytes_;
    return propose(request);
  }

  // The message and code of the Error that proposing throws.
  std::pair<ExitCode, std::string> error_of(int version) {
    try {
      return {ExitCode::ok, propose_version(version)};
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
  }

  void record(int version, const std::vector<std::string>& answers) const {
    Json turns = Json::array();
    for (const std::string& answer : answers) {
      turns.push_back({{"reply", {{"text", answer}, {"stop_reason", "end"}}}});
    }
    write_file_atomic(
        config_.recordings_dir / "scale" / version_name(version) / "conversation.json",
        to_text({{"model", "m-1"}, {"turns", turns}}));
  }

  void decide(int round, Decision decision) const {
    History history;
    history.op = "scale";
    history.round = round;
    history.device_kind = "cpu";
    history.decision = std::move(decision);
    write_file_atomic(config_.history_dir(round) / "history.json", to_text(to_json(history)));
    write_file_atomic(config_.history_dir(round) / "feedback.md", "# Feedback of the round\n");
  }

  [[nodiscard]] Json published(int version, const char* name) const {
    return read_json(config_.version_dir(version) / name).value;
  }
  [[nodiscard]] Json proposed(int version) const {
    return read_json(config_.step_dir(version) / "proposed.json").value;
  }
  [[nodiscard]] fs::path pending(int version) const {
    return config_.generated_dir / "scale" / ".pending" / version_name(version);
  }

  TemporaryDirectory root_;
  OpConfig config_;
  OpSpec spec_;
  UserConfig user_;
  FakeCompiler compiler_;
  std::uintmax_t room_bytes_ = 1 << 20;
};

TEST_F(Propose, AManualVersionIsAskedForTakenAndPublished) {
  const auto [code, message] = error_of(1);
  EXPECT_EQ(code, ExitCode::waiting);
  EXPECT_THAT(message, HasSubstr((pending(1) / "kernel.cu").string()));
  EXPECT_THAT(message, HasSubstr((pending(1) / "prompt.md").string()));
  EXPECT_THAT(message, HasSubstr("build again"));
  EXPECT_THAT(read_file(pending(1) / "prompt.md"), HasSubstr("// y = 2x"));
  EXPECT_EQ(read_file(pending(1).parent_path() / ".gitignore"), "*\n");
  EXPECT_FALSE(fs::exists(config_.step_dir(1) / "proposed.json"));

  write_file_atomic(pending(1) / "kernel.cu", kernel_text("good;"));
  propose_version(1);
  EXPECT_EQ(read_file(config_.version_dir(1) / "kernel.cu"), kernel_text("good;"));
  EXPECT_EQ(proposed(1)["status"], "ready");
  EXPECT_EQ(proposed(1)["source"], (config_.version_dir(1) / "kernel.cu").string());
  EXPECT_EQ(published(1, "origin.json")["provider"], "manual");
  EXPECT_EQ(published(1, "origin.json")["cost_usd"], 0.0);
  EXPECT_FALSE(fs::exists(pending(1)));
}

TEST_F(Propose, AManualVersionIsMendedAsOftenAsItTakes) {
  error_of(1);
  for (int attempt = 1; attempt <= 6; ++attempt) {
    write_file_atomic(pending(1) / "kernel.cu", kernel_text(fmt::format("broken{};", attempt)));
    const auto [code, message] = error_of(1);
    EXPECT_EQ(code, ExitCode::waiting);
    EXPECT_THAT(message, HasSubstr("line 4: identifier"));
    const std::string page = read_file(pending(1) / "feedback.md");
    EXPECT_THAT(page, HasSubstr("broken;"));
    EXPECT_THAT(page, testing::StartsWith(
                          fmt::format("# scale v001: attempt {} is not right yet\n\nFile: {}\n",
                                      attempt, (pending(1) / "kernel.cu").string())));
    EXPECT_THAT(page, HasSubstr("no rung of the ladder has run yet"));
    EXPECT_THAT(page, HasSubstr("- line 4: "));
    EXPECT_THAT(page, HasSubstr(fmt::format("Change {} and build again",
                                            (pending(1) / "kernel.cu").string())));
    EXPECT_THAT(page, HasSubstr("kernel.cu holds the source alone"));
  }
  EXPECT_EQ(error_of(1).first, ExitCode::waiting);  // the same file is no new answer
  write_file_atomic(pending(1) / "kernel.cu", kernel_text("good;"));
  propose_version(1);
  const Json turns = published(1, "conversation.json")["turns"];
  ASSERT_EQ(turns.size(), 7u);
  EXPECT_EQ(turns[0]["outcome"]["status"], "compile_failed");
  EXPECT_EQ(turns[6]["outcome"]["status"], "compiled");
}

TEST_F(Propose, AManualVersionAfterAFailedOneIsToldOfIt) {
  History history;
  history.op = "scale";
  history.round = 1;
  history.device_kind = "cpu";
  history.decision.action = Decision::Action::fix;
  history.decision.parent = "v001";
  VersionRecord record;
  record.version = "v001";
  record.round = 1;
  record.outcome = Outcome::wrong;
  record.failure = "rung smoke: case rows=4, cols=64: y is wrong";
  history.versions.push_back(record);
  const fs::path round = config_.history_dir(1);
  write_file_atomic(round / "history.json", to_text(to_json(history)));
  write_file_atomic(round / "feedback.md", "# What was measured\n- rung `smoke` failed.\n");
  const auto [code, message] = error_of(2);
  EXPECT_EQ(code, ExitCode::waiting);
  EXPECT_THAT(message, HasSubstr("scale v002 waits for you: v001: wrong (rung smoke: case rows=4, "
                                 "cols=64: y is wrong), more in " +
                                 (round / "feedback.md").string() + "; read " +
                                 (pending(2) / "prompt.md").string() + ", write " +
                                 (pending(2) / "kernel.cu").string()));
  EXPECT_THAT(read_file(pending(2) / "prompt.md"), HasSubstr("- rung `smoke` failed."));
}

TEST_F(Propose, AManualAnswerMayBeAWholeOne) {
  error_of(1);
  write_file_atomic(pending(1) / "answer.md", answer_text("good one"));
  write_file_atomic(pending(1) / "kernel.cu", "x");
  EXPECT_EQ(error_of(1).first, ExitCode::bad_input);
  fs::remove(pending(1) / "kernel.cu");
  propose_version(1);
  EXPECT_EQ(published(1, "origin.json")["summary"], "good one");
}

// Else it would be a turn, kept and sent along for ever.
TEST_F(Propose, AManualVersionThatIsNoTextIsNoTurn) {
  error_of(1);
  const fs::path file = pending(1) / "kernel.cu";
  fs::create_directory(file);
  EXPECT_THAT(error_of(1).second, HasSubstr("kernel.cu is no file"));
  fs::remove(file);
  write_file_atomic(file, std::string("k\0rnel", 6));
  EXPECT_THAT(error_of(1).second, HasSubstr("holds bytes that are no text"));
  write_file_atomic(file, std::string((1u << 20) + 1, 'k'));
  EXPECT_EQ(error_of(1).first, ExitCode::bad_input);
  EXPECT_THAT(error_of(1).second, HasSubstr("has 1048577 bytes; a version is a text of at most"));
  EXPECT_FALSE(fs::exists(pending(1) / "turn001.reply.json"));
  write_file_atomic(file, kernel_text("good;"));
  propose_version(1);
}

TEST_F(Propose, WhatAPersonRecordedReplaysTheSame) {
  error_of(1);
  write_file_atomic(pending(1) / "kernel.cu", kernel_text("broken;"));
  error_of(1);
  write_file_atomic(pending(1) / "kernel.cu", kernel_text("good;"));
  propose_version(1);

  config_.recordings_dir = config_.generated_dir;
  config_.generated_dir = root_.path() / "scratch";
  config_.provider = "replay";
  propose_version(1);
  EXPECT_EQ(read_file(config_.version_dir(1) / "kernel.cu"), kernel_text("good;"));
  EXPECT_EQ(published(1, "conversation.json")["turns"].size(), 2u);
  EXPECT_EQ(published(1, "origin.json")["requests"], 0);
}

// Comments and layout aside, "good" is v001.
std::string once_more(const std::string& body) {
  return "Summary: again\n```cuda\n" + kernel_text("// now much faster\n  " + body) + "```\n";
}

TEST_F(Propose, AVersionSentOnceMoreIsToldOfOnce) {
  config_.provider = "replay";
  record(1, {answer_text("good")});
  record(2, {once_more("good"), answer_text("something else")});
  propose_version(1);
  decide(1, {Decision::Action::optimise, "v001", "go on"});
  propose_version(2);
  EXPECT_EQ(read_file(config_.version_dir(2) / "kernel.cu"), kernel_text("something else"));
  EXPECT_EQ(compiler_.compiled, 2);
  EXPECT_EQ(proposed(2)["duplicate_of"], "");
  EXPECT_EQ(published(2, "origin.json")["duplicate_of"], nullptr);
  const Json turns = published(2, "conversation.json")["turns"];
  EXPECT_EQ(turns[0]["outcome"]["status"], "duplicate");
  EXPECT_THAT(turns[1]["request"]["prompt"].get<std::string>(),
              HasSubstr("Your file is v001 once more"));
  EXPECT_EQ(turns[1]["outcome"]["status"], "compiled");
}

TEST_F(Propose, WhoSendsItAgainGetsItPublishedAsADuplicate) {
  config_.provider = "replay";
  config_.fix_limit = 0;  // the telling takes no turn away
  record(1, {answer_text("good")});
  record(2, {answer_text("another")});
  record(3, {once_more("good"), once_more("another"), answer_text("never asked for")});
  propose_version(1);
  decide(1, {Decision::Action::optimise, "v001", "go on"});
  propose_version(2);
  decide(2, {Decision::Action::optimise, "v002", "go on"});
  propose_version(3);
  EXPECT_EQ(compiler_.compiled, 2);
  EXPECT_EQ(proposed(3)["status"], "ready");
  EXPECT_EQ(proposed(3)["duplicate_of"], "v002");
  EXPECT_EQ(published(3, "origin.json")["duplicate_of"], "v002");
  EXPECT_EQ(published(3, "origin.json")["note"], "the same as v002");
  EXPECT_EQ(published(3, "conversation.json")["turns"].size(), 2u);
  // Found there already, it is still known for what it is.
  std::filesystem::remove(config_.step_dir(3) / "proposed.json");
  propose_version(3);
  EXPECT_EQ(proposed(3)["duplicate_of"], "v002");
}

TEST_F(Propose, VersionsOfOneRoundAreNotComparedWithOneAnother) {
  config_.provider = "replay";
  config_.candidates = 2;
  record(1, {answer_text("good")});
  record(2, {answer_text("good")});
  propose_version(1);
  propose_version(2);
  EXPECT_EQ(proposed(2)["duplicate_of"], "");
  EXPECT_EQ(compiler_.compiled, 2);
}

TEST_F(Propose, ReplayEndsWhereTheRecordingEnds) {
  config_.provider = "replay";
  record(1, {answer_text("broken a"), answer_text("good b")});
  record(2, {answer_text("broken c")});
  propose_version(1);
  EXPECT_EQ(read_file(config_.version_dir(1) / "kernel.cu"), kernel_text("good b"));

  decide(1, {Decision::Action::fix, "v001", "wrong"});
  propose_version(2);  // its turns run out: the failed source is the version
  EXPECT_EQ(read_file(config_.version_dir(2) / "kernel.cu"), kernel_text("broken c"));
  EXPECT_THAT(published(2, "origin.json")["note"].get<std::string>(),
              HasSubstr("recording ends here"));

  decide(2, {Decision::Action::optimise, "v001", "go on"});
  propose_version(3);
  EXPECT_EQ(proposed(3)["status"], "stopped");
  EXPECT_THAT(proposed(3)["reason"].get<std::string>(), HasSubstr("recording ends here"));
  EXPECT_FALSE(fs::exists(config_.version_dir(3)));
}

TEST_F(Propose, AnswersWithoutASourceMakeAVersionThatSaysSo) {
  config_.provider = "replay";
  record(1, {"I would rather not.", "```cuda\n" + kernel_text("cut")});
  propose_version(1);
  const std::string source = read_file(config_.version_dir(1) / "kernel.cu");
  EXPECT_THAT(source, HasSubstr("#error \"no kernel was proposed: truncated\""));
  EXPECT_EQ(source.find("kernelloop:plan"), std::string::npos);
  const Json turns = published(1, "conversation.json")["turns"];
  EXPECT_EQ(turns[0]["outcome"]["status"], "no_code");
  EXPECT_EQ(turns[1]["outcome"]["status"], "truncated");
  EXPECT_THAT(turns[1]["request"]["prompt"].get<std::string>(), HasSubstr("no_code"));
  EXPECT_EQ(compiler_.compiled, 0);
}

TEST_F(Propose, AVersionThatIsThereIsAskedForByNobody) {
  const fs::path source = config_.version_dir(2) / "kernel.cu";
  write_file_atomic(source, "by hand");
  write_file_atomic(pending(2) / "turn001.request.json", "left behind");
  propose_version(2);  // no history, no spec, no provider is looked at
  EXPECT_EQ(proposed(2)["status"], "ready");
  EXPECT_EQ(read_file(source), "by hand");
  EXPECT_FALSE(fs::exists(pending(2)));
}

TEST_F(Propose, AKernelWrittenForAPublishedVersionIsNotThrownAway) {
  write_file_atomic(config_.version_dir(1) / "kernel.cu", "published");
  write_file_atomic(pending(1) / "kernel.cu", "hours of work");
  propose_version(1);
  EXPECT_EQ(read_file(pending(1) / "kernel.cu"), "hours of work");
}

TEST_F(Propose, StopsWhenTheRoundBeforeSaysSo) {
  decide(1, {Decision::Action::stop, "", "roofline reached"});
  propose_version(2);
  EXPECT_EQ(proposed(2)["status"], "stopped");
  EXPECT_EQ(proposed(2)["reason"], "roofline reached");
  EXPECT_FALSE(fs::exists(pending(2)));
}

TEST_F(Propose, MissesTheHistoryOfTheRoundBefore) {
  const auto [code, message] = error_of(2);
  EXPECT_EQ(code, ExitCode::bad_input);
  EXPECT_THAT(message, HasSubstr("learn step of round 1"));
}

TEST_F(Propose, AFullDiskStopsBeforeTheAsking) {
  config_.provider = "replay";
  record(1, {answer_text("good")});
  room_bytes_ = std::uintmax_t{1} << 60;
  const auto [code, message] = error_of(1);
  EXPECT_EQ(code, ExitCode::io);
  EXPECT_THAT(message, HasSubstr("nothing was asked"));
  EXPECT_FALSE(fs::exists(pending(1) / "turn001.request.json"));
}

TEST_F(Propose, AnUnwritableTreeStopsBeforeTheAsking) {
  config_.provider = "replay";
  record(1, {answer_text("good")});
  write_file_atomic(config_.generated_dir / "scale", "a file where a directory should be");
  const auto [code, message] = error_of(1);
  EXPECT_EQ(code, ExitCode::io);
  EXPECT_THAT(message, HasSubstr("nothing was asked"));
  config_.generated_dir = "/proc/kernelloop-test";
  EXPECT_EQ(error_of(1).first, ExitCode::io);
}

TEST_F(Propose, ASecretInAnAnswerIsNotRecorded) {
  config_.provider = "replay";
  const std::string key = std::string("sk") + "-" + std::string(30, 'a');
  record(1, {answer_text("good " + key)});
  const auto [code, message] = error_of(1);
  EXPECT_EQ(code, ExitCode::provider);
  EXPECT_EQ(message.find(key), std::string::npos);
  EXPECT_FALSE(fs::exists(config_.version_dir(1)));
}

TEST_F(Propose, TwoBuildsAtOnceMakeOneVersion) {
  config_.provider = "replay";
  record(1, {answer_text("good")});
  const auto build = [this] {
    FakeCompiler compiler;
    ProposeRequest request;
    request.config = &config_;
    request.spec = &spec_;
    request.user = &user_;
    request.compiler = &compiler;
    request.room_bytes = room_bytes_;
    propose(request);
    return compiler.compiled;
  };
  int first = 0;
  int second = 0;
  std::thread other([&] { first = build(); });
  second = build();
  other.join();
  EXPECT_EQ(first + second, 1);
  EXPECT_EQ(read_file(config_.version_dir(1) / "kernel.cu"), kernel_text("good"));
}

TEST_F(Propose, AnUnknownOrUnsetProviderSaysWhatToSet) {
  for (const auto& [name, words] : std::vector<std::pair<std::string, std::string>>{
           {"anthropic", "ANTHROPIC_API_KEY"},
           {"openai", "OPENAI_API_KEY"},
           {"openai-chat", "KERNELLOOP_OPENAI_CHAT_BASE_URL"},
           {"command", "KERNELLOOP_COMMAND"},
           {"oracle", "unknown PROVIDER 'oracle'"}}) {
    config_.provider = name;
    user_.anthropic.key_from = "ANTHROPIC_API_KEY";
    user_.openai.key_from = "OPENAI_API_KEY";
    EXPECT_THAT(error_of(1).second, HasSubstr(words)) << name;
  }
}

TEST_F(Propose, GoesOnWhereAKilledBuildStopped) {
  // The journal of a build that died after turn 1 had been answered.
  config_.provider = "replay";
  record(1, {answer_text("other answer"), answer_text("good")});
  const Journal journal(config_.generated_dir / "scale", 1);
  PendingRequest asked;
  asked.provider = "anthropic";
  asked.mode = "seed";
  asked.request.op = "scale";
  asked.request.version = 1;
  asked.request.turns = {{Turn::Role::user, "the prompt that was paid for"}};
  journal.keep_request(1, asked);
  journal.keep_reply(1, Reply::of(Answer{answer_text("broken"), "end", {10, 20, {}}, "m-2", {}}));

  propose_version(1);
  const Json conversation = published(1, "conversation.json");
  EXPECT_EQ(conversation["turns"][0]["request"]["prompt"], "the prompt that was paid for");
  EXPECT_THAT(conversation["turns"][0]["reply"]["text"].get<std::string>(), HasSubstr("broken"));
  EXPECT_EQ(read_file(config_.version_dir(1) / "kernel.cu"), kernel_text("good"));
  EXPECT_EQ(published(1, "origin.json")["tokens"]["output"], 20);
  EXPECT_EQ(published(1, "origin.json")["requests"], 1);
}

// A version in Triton with three configurations, of which the first was right.
class ProposeTuned : public Propose {
 protected:
  ProposeTuned() {
    config_.languages = {"TRITON"};
    write_file_atomic(config_.version_dir(1) / "kernel.triton.py", R"py("""kernelloop:plan
{ "launches": [ { "kernel": "scale", "grid": ["n"], "args": ["x", "y"],
    "configurations": [ {"constants": {"BLOCK": 64}}, {"constants": {"BLOCK": 128}},
                        {"options": {"num_warps": 8}} ] } ] }
"""
import triton
)py");
    History history;
    history.op = "scale";
    history.round = 1;
    history.device_kind = "cuda";
    VersionRecord record;
    record.version = "v001";
    record.round = 1;
    record.mode = "seed";
    record.outcome = Outcome::verified;
    record.time_us = 10;
    record.configurations = 3;
    history.versions = {record};
    history.decision = {Decision::Action::tune, "v001", "try configuration 2 of 3 of v001"};
    write_file_atomic(config_.history_dir(1) / "history.json", to_text(to_json(history)));
  }
};

TEST_F(ProposeTuned, NobodyIsAsked) {
  config_.provider = "command";  // is not set up, and need not be
  EXPECT_EQ(propose_version(2), "scale v002: configuration 2 of 3 of v001: BLOCK 128");
  EXPECT_EQ(proposed(2)["status"], "ready");
  const std::string source = read_file(config_.version_dir(2) / "kernel.triton.py");
  EXPECT_THAT(source, HasSubstr("\"BLOCK\": 128"));
  EXPECT_THAT(source, testing::Not(HasSubstr("configurations")));
  EXPECT_THAT(source, HasSubstr("import triton\n"));
  const Json origin = published(2, "origin.json");
  EXPECT_EQ(origin["mode"], "tune");
  EXPECT_EQ(origin["parent"], "v001");
  EXPECT_EQ(origin["provider"], "none");
  EXPECT_EQ(origin["cost_usd"], 0.0);
  EXPECT_EQ(origin["requests"], 0);
  EXPECT_EQ(origin["prompt_sha256"], nullptr);
  EXPECT_EQ(published(2, "conversation.json")["turns"], Json::array());
  EXPECT_FALSE(fs::exists(pending(2)));
  EXPECT_THAT(propose_version(2), HasSubstr("there already"));
}

TEST_F(ProposeTuned, AVersionThatWasEditedIsNotGuessedAt) {
  const fs::path source = config_.version_dir(1) / "kernel.triton.py";
  write_file_atomic(source, R"py("""kernelloop:plan
{ "launches": [ { "kernel": "scale", "grid": ["n"], "args": ["x", "y"] } ] }
""")py");
  const auto [code, message] = error_of(2);
  EXPECT_EQ(code, ExitCode::bad_input);
  EXPECT_EQ(message, source.string() +
                         " has no configuration 2 any more; versions are never edited: put it "
                         "back, or build anew without its steps");
  fs::remove_all(config_.version_dir(1));
  EXPECT_THAT(error_of(2).second,
              HasSubstr("the version that it is a configuration of, v001, is gone"));
  EXPECT_FALSE(fs::exists(config_.version_dir(2)));
}

}  // namespace
}  // namespace kernelloop
