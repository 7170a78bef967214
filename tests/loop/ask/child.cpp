#include "child.hpp"

#include "support/error.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace kernelloop {

Child::Child(const std::vector<std::string>& arguments,
             const std::map<std::string, std::string>& variables, const std::string& log) {
  std::vector<std::string> texts = arguments;
  std::vector<std::string> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (variables.count(text.substr(0, text.find('='))) == 0) settings.push_back(text);
  }
  for (const auto& [name, value] : variables) settings.push_back(name + "=" + value);
  std::vector<char*> argument_pointers;
  for (std::string& text : texts) argument_pointers.push_back(text.data());
  argument_pointers.push_back(nullptr);
  std::vector<char*> setting_pointers;
  for (std::string& text : settings) setting_pointers.push_back(text.data());
  setting_pointers.push_back(nullptr);

  pid_ = ::fork();
  if (pid_ < 0) fail(ExitCode::environment, "cannot fork");
  if (pid_ == 0) {
    ::setpgid(0, 0);
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execve(argument_pointers[0], argument_pointers.data(), setting_pointers.data());
    ::_exit(127);
  }
  ::setpgid(pid_, pid_);
}

Child::~Child() {
  if (pid_ > 0) kill_group();
}

void Child::kill_group() {
  ::kill(-pid_, SIGKILL);
  wait();
}

void Child::interrupt_group() { ::kill(-pid_, SIGINT); }

int Child::wait() {
  if (pid_ > 0) {
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

std::map<std::string, std::string> stub_variables(const std::string& url) {
  const std::string key = "test-value-of-no-worth";
  return {{"ANTHROPIC_BASE_URL", url},
          {"ANTHROPIC_API_KEY", key},
          {"OPENAI_BASE_URL", url + "/v1"},
          {"OPENAI_API_KEY", key},
          {"KERNELLOOP_OPENAI_CHAT_BASE_URL", url + "/v1"},
          {"KERNELLOOP_OPENAI_CHAT_API_KEY", key},
          {"KERNELLOOP_COMMAND", ""},
          {"XDG_CONFIG_HOME", "/nonexistent"}};
}

}  // namespace kernelloop
