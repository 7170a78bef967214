// What runs inside the courier's process.
#include "propose/command_provider.hpp"
#include "propose/courier.hpp"
#include "propose/http_provider.hpp"
#include "propose/key_source.hpp"
#include "propose/user_config.hpp"
#include "propose/wire_errors.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"

#include <memory>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// "turn001.request.json" -> "turn001.body-1.json"
fs::path body_file(const fs::path& request_file, int number) {
  const std::string name = request_file.filename().string();
  return request_file.parent_path() /
         fmt::format("{}.body-{}.json", name.substr(0, name.find('.')), number);
}

Json body_record(const std::string& provider, const std::string& ledger_id,
                 const HttpResponse& response) {
  return {{"schema_version", 1},       {"provider", provider},    {"ledger_id", ledger_id},
          {"status", response.status}, {"error", response.error}, {"body", response.body}};
}

// A courier that died after its response had come: the answer is there, only unread and unbooked.
std::optional<Reply> kept_reply(const fs::path& request_file, Meter& meter) {
  for (int number = 1; fs::exists(body_file(request_file, number)); ++number) {
    const Json record = read_json(body_file(request_file, number)).value;
    HttpResponse response;
    response.status = record.value("status", 0);
    response.error = text_member(record, "error");
    response.body = text_member(record, "body");
    Reply reply = make_dialect(text_member(record, "provider"))->reply(response);
    meter.close_lost(text_member(record, "ledger_id"), reply);
    if (reply.answer) return reply;
  }
  return std::nullopt;
}

Reply ask_over_http(const PendingRequest& pending, const UserConfig& user,
                    const fs::path& request_file, Meter& meter) {
  if (!process_environment("SSLKEYLOGFILE").empty()) {
    fmt::print(stderr,
               "kernelloop: SSLKEYLOGFILE is set: whoever reads that file can read the "
               "requests and the key\n");
  }
  const std::unique_ptr<Dialect> dialect = make_dialect(pending.provider);
  const std::unique_ptr<Transport> transport = make_curl_transport(user.network);
  HttpProviderParts parts;
  parts.dialect = dialect.get();
  parts.transport = transport.get();
  parts.clock = &system_clock();
  parts.meter = &meter;
  parts.endpoint = with_key(user.endpoint(pending.provider));
  parts.limits = user.limits;
  parts.keep = [&](const HttpResponse& response) {
    int number = 1;
    while (fs::exists(body_file(request_file, number))) ++number;
    write_file_atomic(body_file(request_file, number),
                      to_text(body_record(pending.provider, meter.id(), response)));
  };
  return HttpProvider(std::move(parts)).ask(pending.request);
}

Reply ask_command(const PendingRequest& pending, const UserConfig& user, Meter& meter) {
  if (!user.command) {
    fail(ExitCode::provider, "no command is configured; set KERNELLOOP_COMMAND to a JSON array");
  }
  const std::string reason = meter.open(pending.request, flat_prompt(pending.request).size());
  if (!reason.empty()) {
    Reply refused = Reply::of(failure(Failure::Kind::budget, reason));
    refused.requests = 0;
    return refused;
  }
  Reply reply = CommandProvider(*user.command).ask(pending.request);
  meter.close(reply, true);
  return reply;
}

// For cleaning what is here already; that must not fail because a key cannot be had just now.
std::string key_if_readable(const UserConfig& user, const std::string& provider) {
  if (provider == "command") return {};
  try {
    return with_key(user.endpoint(provider)).key;
  } catch (const Error&) {
    return {};
  }
}

Reply ask_provider(const PendingRequest& pending, const fs::path& request_file) {
  const UserConfig user = load_user_config(process_environment);
  Meter meter(pending.account, pending.provider, user.prices_file);
  if (std::optional<Reply> kept = kept_reply(request_file, meter)) {
    return without_key(std::move(*kept), key_if_readable(user, pending.provider));
  }
  if (pending.provider == "command") return ask_command(pending, user, meter);
  return ask_over_http(pending, user, request_file, meter);
}

}  // namespace

void run_courier(const fs::path& request_file, const fs::path& reply_file) {
  if (fs::exists(reply_file)) return;
  const PendingRequest pending = pending_from_json(read_json(request_file));
  Reply reply;
  try {
    reply = ask_provider(pending, request_file);
  } catch (const Error& error) {
    reply = Reply::of(failure(Failure::Kind::bad_request, error.what()));
    reply.requests = 0;
  }
  write_file_atomic(reply_file, to_text(to_json(reply)));
}

}  // namespace kernelloop
