#include "propose/key_source.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace kernelloop {
namespace {

std::string one_line(std::string text, const std::string& origin) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) fail(ExitCode::provider, "{} gives no key", origin);
  if (text.find_first_of(" \t\r\n") != std::string::npos) {
    fail(ExitCode::provider, "{} gives more than one word; it must be the key alone", origin);
  }
  return text;
}

std::string from_file(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    fail(ExitCode::provider, "cannot read the key file {}: {}", path.string(),
         std::strerror(errno));
  }
  if (!S_ISREG(facts.st_mode)) {
    fail(ExitCode::provider, "the key file {} is no file", path.string());
  }
  if (facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0) {
    fail(ExitCode::provider,
         "the key file {} is open to others (mode {:04o}); it must be yours alone: chmod 600 {}",
         path.string(), facts.st_mode & 07777u, path.string());
  }
  return one_line(read_file(path), "the key file " + path.string());
}

std::string from_program(const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = arguments;
  command.scrub_secrets = false;  // it may need its own to get at ours
  command.timeout = std::chrono::seconds(30);
  command.output_limit = 64u << 10;
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    fail(ExitCode::provider, "{} (api_key_command): {}; it must print the key and exit with 0",
         arguments[0], result.describe());
  }
  return one_line(result.output, arguments[0] + " (api_key_command)");
}

}  // namespace

Endpoint with_key(Endpoint endpoint) {
  if (!endpoint.lacks.empty()) fail(ExitCode::provider, "{}", endpoint.lacks);
  if (!endpoint.key.empty()) return endpoint;
  if (!endpoint.key_file.empty()) {
    endpoint.key = from_file(endpoint.key_file);
    endpoint.key_from = endpoint.key_file.string();
  } else if (!endpoint.key_command.empty()) {
    endpoint.key = from_program(endpoint.key_command);
    endpoint.key_from = endpoint.key_command[0];
  }
  return endpoint;
}

}  // namespace kernelloop
