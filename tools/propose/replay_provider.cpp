#include "propose/replay_provider.hpp"

#include "support/error.hpp"
#include "support/version.hpp"

#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

Reply exhausted(std::string message) {
  Failure failure;
  failure.kind = Failure::Kind::exhausted;
  failure.message = std::move(message);
  Reply reply = Reply::of(std::move(failure));
  reply.requests = 0;
  return reply;
}

}  // namespace

ReplayProvider::ReplayProvider(fs::path recordings_dir)
    : recordings_dir_(std::move(recordings_dir)) {}

Reply ReplayProvider::ask(const AskRequest& request) {
  const fs::path path =
      recordings_dir_ / request.op / version_name(request.version) / "conversation.json";
  if (!fs::exists(path)) {
    return exhausted(fmt::format("recording ends here: {} has no {}", request.op,
                                 version_name(request.version)));
  }
  const JsonDocument document = read_json(path);
  try {
    const Json& turns = document.value.at("turns");
    const auto index = static_cast<std::size_t>(request.turn - 1);
    if (index >= turns.size()) {
      return exhausted(fmt::format("recording ends here: {} {} has {} turns", request.op,
                                   version_name(request.version), turns.size()));
    }
    const Json& recorded = turns.at(index).at("reply");
    Answer answer;
    answer.text = recorded.at("text").get<std::string>();
    answer.stop_reason = recorded.at("stop_reason").get<std::string>();
    answer.model = document.value.at("model").get<std::string>();
    if (recorded.contains("tool_calls"))
      answer.tool_calls = calls_from_json(recorded["tool_calls"]);
    if (!answer.tool_calls.empty() && index + 1 < turns.size()) {
      // What was read then stands in the question after it.
      answer.recorded_results =
          results_from_json(turns.at(index + 1).at("request").at("tool_results"));
    }
    Reply reply = Reply::of(std::move(answer));
    reply.requests = 0;
    return reply;
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: not a recorded conversation: {}", path.string(), error.what());
  }
}

bool has_recording(const fs::path& recordings_dir, const std::string& op) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(recordings_dir / op, error)) {
    if (version_number(entry.path().filename().string()) > 0 &&
        fs::exists(entry.path() / "conversation.json")) {
      return true;
    }
  }
  return false;
}

}  // namespace kernelloop
