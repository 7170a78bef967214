// What runs inside the courier's process.
#include "propose/command_provider.hpp"
#include "propose/courier.hpp"
#include "propose/http_provider.hpp"
#include "propose/secrets.hpp"
#include "propose/user_config.hpp"
#include "propose/wire_errors.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"

#include <memory>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// "turn001.request.json" -> "turn001.body-1.json"
fs::path body_file(const fs::path& request_file, int number) {
  const std::string name = request_file.filename().string();
  return request_file.parent_path() /
         fmt::format("{}.body-{}.json", name.substr(0, name.find('.')), number);
}

Json body_record(const std::string& provider, const HttpResponse& response) {
  return {{"schema_version", 1},
          {"provider", provider},
          {"status", response.status},
          {"error", response.error},
          {"body", response.body}};
}

// A courier that died after its response had come: the answer is there, only unread.
std::optional<Reply> kept_reply(const fs::path& request_file) {
  for (int number = 1; fs::exists(body_file(request_file, number)); ++number) {
    const Json record = read_json(body_file(request_file, number)).value;
    HttpResponse response;
    response.status = record.value("status", 0);
    response.error = text_member(record, "error");
    response.body = text_member(record, "body");
    Reply reply = make_dialect(text_member(record, "provider"))->reply(response);
    if (reply.answer) return reply;
  }
  return std::nullopt;
}

Reply ask_over_http(const PendingRequest& pending, const UserConfig& user,
                    const fs::path& request_file) {
  const std::unique_ptr<Dialect> dialect = make_dialect(pending.provider);
  const std::unique_ptr<Transport> transport = make_curl_transport();
  HttpProviderParts parts;
  parts.dialect = dialect.get();
  parts.transport = transport.get();
  parts.clock = &system_clock();
  parts.endpoint = user.endpoint(pending.provider);
  parts.keep = [&](const HttpResponse& response) {
    int number = 1;
    while (fs::exists(body_file(request_file, number))) ++number;
    write_file_atomic(body_file(request_file, number),
                      to_text(body_record(pending.provider, response)));
  };
  return HttpProvider(std::move(parts)).ask(pending.request);
}

Reply ask_provider(const PendingRequest& pending, const fs::path& request_file) {
  if (std::optional<Reply> kept = kept_reply(request_file)) return *kept;
  const UserConfig user = load_user_config(process_environment);
  if (pending.provider != "command") return ask_over_http(pending, user, request_file);
  if (!user.command) {
    fail(ExitCode::provider, "no command is configured; set KERNELLOOP_COMMAND to a JSON array");
  }
  return CommandProvider(*user.command).ask(pending.request);
}

}  // namespace

void run_courier(const fs::path& request_file, const fs::path& reply_file) {
  if (fs::exists(reply_file)) return;
  const JsonDocument document = read_json(request_file);
  PendingRequest pending;
  try {
    pending.provider = document.value.at("provider").get<std::string>();
    pending.request = request_from_json({request_file, {}, document.value.at("request"), 1});
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: not a request of the proposal journal: {}",
         request_file.string(), error.what());
  }
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
