#include "cost/ledger.hpp"

#include "support/descriptor.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

Json number_or_null(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

[[noreturn]] void fail_write(const fs::path& path) {
  const int reason = errno;
  fail(ExitCode::io, "cannot write {}: {}; without it nothing is asked{}", path.string(),
       std::strerror(reason), write_remedy({reason, std::generic_category()}));
}

LedgerEntry entry_of(const Json& line) {
  LedgerEntry entry;
  entry.id = text_member(line, "id");
  entry.time = text_member(line, "time");
  entry.run = text_member(line, "run");
  entry.op = text_member(line, "op");
  entry.version = static_cast<int>(count_member(line, "version").value_or(0));
  entry.turn = static_cast<int>(count_member(line, "turn").value_or(0));
  entry.provider = text_member(line, "provider");
  entry.model = text_member(line, "model");
  entry.most_tokens = count_member(line, "most_tokens").value_or(0);
  entry.most_nano_usd = count_member(line, "most_nano_usd");
  entry.outcome = "unknown";
  return entry;
}

void finish(LedgerEntry& entry, const Json& line) {
  entry.done = true;
  entry.outcome = text_member(line, "outcome");
  entry.usage = usage_from_json(member(line, "usage"));
  entry.charged = member(line, "charged") != false;
  entry.nano_usd = count_member(line, "nano_usd");
  entry.price_source = text_member(line, "price_source");
}

}  // namespace

std::int64_t LedgerEntry::counted_tokens() const {
  if (!charged) return 0;
  return usage.input && usage.output ? *usage.input + *usage.output : most_tokens;
}

std::optional<std::int64_t> LedgerEntry::counted_nano_usd() const {
  if (!charged) return 0;
  return nano_usd ? nano_usd : most_nano_usd;
}

Ledger::Ledger(const fs::path& generated_dir) : path_(generated_dir / ".ledger" / "ledger.jsonl") {}

std::vector<LedgerEntry> Ledger::entries() const {
  std::vector<LedgerEntry> result;
  if (!fs::exists(path_)) return result;
  const std::string text = read_file(path_);
  std::map<std::string, std::size_t> places;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const bool cut_short = end == std::string::npos;
    const std::string line = text.substr(at, cut_short ? std::string::npos : end - at);
    at = cut_short ? text.size() : end + 1;
    ++number;
    const Json json = Json::parse(line, nullptr, false);
    const std::string event = text_member(json, "event");
    const auto place = places.find(text_member(json, "id"));
    if (event == "sent") {
      places[text_member(json, "id")] = result.size();
      result.push_back(entry_of(json));
    } else if (event == "done" && place != places.end()) {
      finish(result[place->second], json);
    } else if (!json.is_discarded() || line.find_first_not_of(' ') == std::string::npos) {
      continue;  // a line of a later version, or the end of a line that a kill cut short
    } else if (!cut_short && text.compare(at, 1, "\n") != 0) {
      fail(ExitCode::bad_input, "{}:{}: not a line of the ledger; mend or remove it",
           path_.string(), number);
    }
  }
  return result;
}

// One write, synced: a line is there whole or it is the last and cut short. What a kill cut short
// is closed by an empty line, so that the next one stands for itself.
void Ledger::append(const Json& line) const {
  const Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.open()) fail_write(path_);
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) fail_write(path_);
  char last = '\n';
  if (facts.st_size > 0 && ::pread(file.get(), &last, 1, facts.st_size - 1) != 1) fail_write(path_);
  if (last != '\n') text = "\n\n" + text;
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fsync(file.get()) != 0) fail_write(path_);
}

std::string Ledger::open(
    const LedgerEntry& entry,
    const std::function<std::string(const std::vector<LedgerEntry>&)>& reason_against) {
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  const fs::path ignore = path_.parent_path() / ".gitignore";
  if (!fs::exists(ignore)) write_file_atomic(ignore, "*\n");
  const FileLock lock(path_.parent_path() / "lock");
  if (std::string reason = reason_against(entries()); !reason.empty()) return reason;
  append({{"event", "sent"},
          {"id", entry.id},
          {"time", entry.time},
          {"run", entry.run},
          {"op", entry.op},
          {"version", entry.version},
          {"turn", entry.turn},
          {"provider", entry.provider},
          {"model", entry.model},
          {"most_tokens", entry.most_tokens},
          {"most_nano_usd", number_or_null(entry.most_nano_usd)}});
  return {};
}

void Ledger::close(const std::string& id, const LedgerOutcome& outcome) {
  const FileLock lock(path_.parent_path() / "lock");
  append({{"event", "done"},
          {"id", id},
          {"outcome", outcome.outcome},
          {"charged", outcome.charged},
          {"usage", to_json(outcome.usage)},
          {"nano_usd", number_or_null(outcome.nano_usd)},
          {"price_source", outcome.price_source}});
}

Spend sum(const std::vector<LedgerEntry>& entries,
          const std::function<bool(const LedgerEntry&)>& wanted) {
  Spend spend;
  for (const LedgerEntry& entry : entries) {
    if (!wanted(entry)) continue;
    ++spend.requests;
    spend.tokens += entry.counted_tokens();
    const std::optional<std::int64_t> cost = entry.counted_nano_usd();
    spend.nano_usd += cost.value_or(0);
    spend.unknown += cost ? 0 : 1;
  }
  return spend;
}

}  // namespace kernelloop
