#include "propose/journal.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_probe_bytes = 256u << 10;

void require_place(const fs::path& directory, std::uintmax_t bytes) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    fail(ExitCode::io, "cannot create {}: {}; nothing was asked{}", directory.string(),
         error.message(), write_remedy(error));
  }
  const fs::space_info space = fs::space(directory, error);
  if (!error && space.available < bytes) {
    fail(ExitCode::io,
         "{} has {} MiB left, {} MiB are needed to keep an answer; nothing was asked; free some "
         "space and build again",
         directory.string(), space.available >> 20, bytes >> 20);
  }
  // Quotas and odd mounts do not show in the numbers: only writing tells. The name is fixed, so
  // that killed builds leave one file at most.
  const fs::path probe = directory / ".probe";
  std::ofstream stream(probe, std::ios::binary);
  stream << std::string(k_probe_bytes, 'x') << std::flush;
  const int reason = errno;
  const bool written = stream.good();
  stream.close();
  fs::remove(probe, error);
  if (!written) {
    fail(ExitCode::io, "cannot write into {}: {}; nothing was asked{}", directory.string(),
         std::strerror(reason), write_remedy({reason, std::generic_category()}));
  }
}

}  // namespace

std::string utc_time() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json to_json(const PendingRequest& pending) {
  return {{"schema_version", 1},
          {"provider", pending.provider},
          {"mode", pending.mode},
          {"parent", pending.parent},
          {"language", pending.language},
          {"account", to_json(pending.account)},
          {"request", to_json(pending.request)}};
}

PendingRequest pending_from_json(const JsonDocument& document) {
  try {
    PendingRequest pending;
    pending.provider = document.value.at("provider").get<std::string>();
    pending.mode = document.value.at("mode").get<std::string>();
    pending.parent = document.value.at("parent").get<std::string>();
    pending.language = document.value.value("language", pending.language);
    pending.account = account_from_json(document, "/account");
    pending.request = request_from_json({document.path, {}, document.value.at("request"), 1});
    return pending;
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: not a request of the proposal journal ({}); delete it",
         document.path.string(), error.what());
  }
}

Journal::Journal(const fs::path& op_dir, int version)
    : directory_(op_dir / ".pending" / version_name(version)), version_(version) {}

fs::path Journal::version_lock() const {
  return directory_.parent_path() / (version_name(version_) + ".lock");
}

fs::path Journal::file(int turn, const std::string& what) const {
  return directory_ / fmt::format("turn{:03}.{}", turn, what);
}

fs::path Journal::body_file(int turn, int number) const {
  return file(turn, fmt::format("body-{}.json", number));
}

void Journal::prepare(const fs::path& step_dir, std::uintmax_t bytes) const {
  require_place(directory_, bytes);
  require_place(step_dir, bytes);
  const fs::path ignore = directory_.parent_path() / ".gitignore";
  if (!fs::exists(ignore)) write_file_atomic(ignore, "*\n");
}

std::optional<PendingRequest> Journal::request(int turn) const {
  const fs::path path = file(turn, "request.json");
  if (!fs::exists(path)) return std::nullopt;
  return pending_from_json(read_json(path));
}

void Journal::keep_request(int turn, const PendingRequest& pending) const {
  write_file_if_changed(file(turn, "request.json"), to_text(to_json(pending)));
}

std::optional<Reply> Journal::reply(int turn) const {
  const fs::path path = file(turn, "reply.json");
  if (!fs::exists(path)) return std::nullopt;
  return reply_from_json(read_json(path));
}

void Journal::keep_reply(int turn, const Reply& reply) const {
  write_file_if_changed(file(turn, "reply.json"), to_text(to_json(reply)));
}

void Journal::record_failure(int turn, const std::string& what) const {
  int number = 1;
  while (fs::exists(file(turn, fmt::format("failed-{}.json", number)))) ++number;
  Json record = {{"schema_version", 1}, {"time", utc_time()}, {"what", what}};
  const fs::path reply_path = file(turn, "reply.json");
  const bool answered = fs::exists(reply_path);
  if (answered) record["reply"] = read_json(reply_path).value;
  write_file_atomic(file(turn, fmt::format("failed-{}.json", number)), to_text(record));
  if (!answered) return;
  for (int body = 1; fs::exists(body_file(turn, body)); ++body) {
    fs::rename(body_file(turn, body),
               file(turn, fmt::format("failed-{}.body-{}.json", number, body)));
  }
  fs::remove(reply_path);
}

void Journal::wait_for_courier(int turn) const {
  const fs::path path = file(turn, "lock");
  if (!fs::exists(path)) return;
  if (const FileLock once(path, FileLock::Wait::try_once); once.held()) return;
  fmt::print(stderr, "kernelloop: waiting for the answer that an earlier build asked for ({})\n",
             file(turn, "request.json").string());
  const FileLock lock(path);
}

bool Journal::has_unread_body(int turn) const {
  return fs::exists(body_file(turn, 1)) && !fs::exists(file(turn, "reply.json"));
}

void Journal::note_lost_courier(int turn) const {
  const fs::path lock_file = file(turn, "lock");
  if (!fs::exists(lock_file) || fs::exists(file(turn, "reply.json"))) return;
  record_failure(turn, "an earlier build's courier left no reply");
  fs::remove(lock_file);  // couriers start under the version's lock only: nobody can hold it
}

void Journal::discard(const fs::path& published_source) const {
  const fs::path written = directory_ / published_source.filename();
  if (fs::exists(written) && read_file(written) != read_file(published_source)) return;
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace kernelloop
