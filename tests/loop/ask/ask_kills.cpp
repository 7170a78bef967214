// ask_kills N [SEED]: kills the propose chain N times at random moments, lets it finish, and counts
//   replies lost   complete answers of the server that stand in no published conversation
//   paid twice     questions that the server answered completely more than once
//   corrupt files  JSON that does not parse, versions that are not whole, sources that were not
//   kept
// Only the build's process group is killed, as a terminal or ninja would. Exit code 1 unless all
// are 0.
#include "support/error.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"

#include "child.hpp"
#include "cost/ledger.hpp"
#include "fakes.hpp"
#include "stub_server.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int k_versions = 4;  // of one op

struct Counts {
  int kills = 0;
  int versions = 0;
  int replies = 0;
  int lost = 0;
  int paid_twice = 0;
  int corrupt = 0;
};

// An answer of its own for each question; about half of the first ones do not compile, some are
// slow, some fail first.
StubReply reply_to(const StubRequest& request, int number) {
  const std::string& key = request.headers.at("idempotency-key");
  const int chance = std::stoi(sha256(key + request.path).substr(0, 4), nullptr, 16);
  StubReply reply;
  reply.text =
      answer_text(fmt::format("{} {}-{}", chance % 2 == 0 ? "good" : "broken", key, number));
  // A third of the conversations begin with reading.
  const bool first = request.body.find("call_1") == std::string::npos;
  if (first && chance % 5 < 2) {
    reply.text = fmt::format("Let me look first, {}-{}.", key, number);
    reply.reads = "barriers";
  }
  if (chance % 3 == 0) reply.kind = StubReply::Kind::drip;
  if (chance % 3 == 1) std::this_thread::sleep_for(milliseconds(chance % 40));
  return reply;
}

std::vector<std::string> step(const fs::path& root, int op) {
  return {ASK_STEP_PROGRAM,
          "propose",
          root.string(),
          fmt::format("op{}", op),
          "1",
          std::to_string(k_versions),
          op % 2 == 0 ? "anthropic" : "openai-chat"};
}

std::map<std::string, std::string> variables(const StubServer& server) {
  std::map<std::string, std::string> result = stub_variables(server.url());
  result["ASK_STEP_WITH_TOOL"] = "1";
  return result;
}

bool is_complete(const fs::path& root, int op) {
  return fs::exists(root / "generated" / fmt::format("op{}", op) /
                    fmt::format("v{:03}", k_versions));
}

// One op after another, each built and killed until it is whole, until there were enough kills.
int run_with_kills(const fs::path& root, const StubServer& server, int kills, std::mt19937& random,
                   Counts& counts) {
  std::uniform_int_distribution<int> moment(0, 400);
  int op = 1;
  while (counts.kills < kills) {
    Child child(step(root, op), variables(server), (root / "log").string());
    std::this_thread::sleep_for(milliseconds(moment(random)));
    child.kill_group();
    ++counts.kills;
    if (is_complete(root, op)) ++op;
  }
  return op;
}

void finish(const fs::path& root, const StubServer& server, int ops) {
  for (int op = 1; op <= ops; ++op) {
    Child child(step(root, op), variables(server), (root / "log").string());
    if (const int code = child.wait(); code != 0) {
      fail(ExitCode::internal, "op{} ends with {}:\n{}", op, code, read_file(root / "log"));
    }
  }
}

bool parses(const fs::path& path) {
  try {
    read_json(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_whole(const fs::path& version) {
  if (!fs::exists(version / "kernel.cu") || !fs::exists(version / "conversation.json") ||
      !fs::exists(version / "origin.json") || !parses(version / "origin.json")) {
    return false;
  }
  return read_json(version / "origin.json").value["source_sha256"] ==
         sha256_of_file(version / "kernel.cu");
}

// The texts of all answers in all published conversations.
std::set<std::string> check_tree(const fs::path& root, Counts& counts) {
  std::set<std::string> kept;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".json" && !parses(entry.path())) {
      fmt::print("corrupt: {}\n", entry.path().string());
      ++counts.corrupt;
    }
  }
  for (const fs::directory_entry& op : fs::directory_iterator(root / "generated")) {
    if (op.path().filename() == ".ledger") continue;
    for (const fs::directory_entry& version : fs::directory_iterator(op.path())) {
      if (version.path().filename() == ".pending") continue;
      ++counts.versions;
      if (!is_whole(version.path())) {
        fmt::print("not whole: {}\n", version.path().string());
        ++counts.corrupt;
        continue;
      }
      const Json conversation = read_json(version.path() / "conversation.json").value;
      for (const Json& turn : conversation["turns"]) {
        kept.insert(turn["reply"]["text"].get<std::string>());
      }
    }
  }
  return kept;
}

int count(int kills, unsigned seed) {
  const TemporaryDirectory root;
  std::mt19937 random(seed);
  Counts counts;
  StubServer server(reply_to);
  const int ops = run_with_kills(root.path(), server, kills, random, counts);
  finish(root.path(), server, ops);
  const std::set<std::string> kept = check_tree(root.path(), counts);
  for (const auto& [key, texts] : server.full_replies()) {
    if (texts.size() > 1) ++counts.paid_twice;
    for (const std::string& text : texts) {
      ++counts.replies;
      if (kept.count(text) == 0) ++counts.lost;
    }
  }
  if (counts.versions != ops * k_versions) ++counts.corrupt;
  // Every answer is in the ledger with its tokens, whoever was killed meanwhile.
  const auto entries = Ledger(root.path() / "generated").entries();
  const auto booked = std::count_if(entries.begin(), entries.end(), [](const LedgerEntry& entry) {
    return entry.done && entry.outcome == "answered" && entry.usage.input == 100;
  });
  if (booked != counts.replies) {
    fmt::print("{} answers are booked\n", booked);
    ++counts.corrupt;
  }
  fmt::print("{} kills, {} versions of {} ops, {} replies (seed {})\n", counts.kills,
             counts.versions, ops, counts.replies, seed);
  fmt::print("replies lost: {}, paid twice: {}, corrupt files: {}\n", counts.lost,
             counts.paid_twice, counts.corrupt);
  return counts.lost + counts.paid_twice + counts.corrupt == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  try {
    const int kills = argc > 1 ? std::stoi(argv[1]) : 100;
    const auto seed =
        argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : std::random_device{}();
    return kernelloop::count(kills, seed);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ask_kills: {}\n", error.what());
    return 70;
  }
}
