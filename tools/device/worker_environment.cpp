#include "device/worker_environment.hpp"

#include "support/secret_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kernelloop {
namespace {

constexpr rlim_t k_open_files = 128;
constexpr rlim_t k_file_bytes = 1u << 20;
constexpr rlim_t k_open_files_watched = 4096;
constexpr rlim_t k_file_bytes_watched = 1u << 30;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool is_unwanted(std::string_view name) {
  constexpr std::array<std::string_view, 10> k_names{"LD_PRELOAD",
                                                     "LD_AUDIT",
                                                     "CUDA_INJECTION64_PATH",
                                                     "CUDA_LAUNCH_BLOCKING",
                                                     "CUDA_MODULE_LOADING",
                                                     "CUDA_CACHE_DISABLE",
                                                     "CUDA_LOG_FILE",
                                                     "ASAN_OPTIONS",
                                                     "UBSAN_OPTIONS",
                                                     "NVTX_INJECTION64_PATH"};
  return is_secret_name(name) || std::find(k_names.begin(), k_names.end(), name) != k_names.end() ||
         starts_with(name, "CUDA_COREDUMP") ||
         (starts_with(name, "CUDA_ENABLE_") && name.find("COREDUMP") != std::string_view::npos) ||
         ends_with(name, "_COREDUMP");
}

bool set_limit(int resource, rlim_t value) noexcept {
  rlimit current{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0) return false;
  const rlim_t allowed = std::min(value, current.rlim_max);
  const rlimit wanted{allowed, allowed};
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted) == 0;
}

bool has_limit(int resource, rlim_t value) {
  rlimit current{};
  return ::getrlimit(static_cast<__rlimit_resource_t>(resource), &current) == 0 &&
         current.rlim_max <= value;
}

}  // namespace

std::vector<std::string> worker_environment(const std::vector<std::string>& preload) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!is_unwanted(text.substr(0, text.find('=')))) result.emplace_back(text);
  }
  result.emplace_back("CUDA_MODULE_LOADING=EAGER");
  result.emplace_back("CUDA_CACHE_DISABLE=1");
  for (const auto& [name, value] : preload_variables(preload)) {
    result.push_back(fmt::format("{}={}", name, value));
  }
  return result;
}

std::vector<std::string> confined_environment() {
  constexpr std::array<std::string_view, 12> k_prefixes{
      "PATH=", "LANG=",  "LC_",   "TZ=",    "LD_LIBRARY_PATH=", "CUDA_",
      "NV",    "CUBLAS", "CUDNN", "CUPTI_", "KERNELLOOP_",      "OMP_NUM_THREADS="};
  std::vector<std::string> result = worker_environment({});
  std::erase_if(result, [&](const std::string& text) {
    return std::none_of(k_prefixes.begin(), k_prefixes.end(),
                        [&](std::string_view prefix) { return starts_with(text, prefix); });
  });
  return result;
}

std::map<std::string, std::string> preload_variables(const std::vector<std::string>& preload) {
  if (preload.empty()) return {};
  // The worker sends a finding through its channel and ends; it is no leak of ours to look for.
  return {{"LD_PRELOAD", fmt::format("{}", fmt::join(preload, ":"))},
          {"ASAN_OPTIONS", "detect_leaks=0:abort_on_error=0:exitcode=99"},
          {"UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1:exitcode=99"}};
}

bool needs_programs(const std::vector<std::string>& preload) {
  return std::any_of(preload.begin(), preload.end(), [](const std::string& runtime) {
    return runtime.find("clang_rt") != std::string::npos;
  });
}

void limit_worker() noexcept {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, k_open_files);
  set_limit(RLIMIT_FSIZE, k_file_bytes);
}

void limit_watched_worker() noexcept {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, k_open_files_watched);
  set_limit(RLIMIT_FSIZE, k_file_bytes_watched);
}

void renounce_privileges() noexcept { ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

std::string confinement(std::optional<OtherPrograms> filter) {
  std::vector<std::string> words;
  if (::getpgrp() == ::getpid()) words.emplace_back("own process group");
  int signal = 0;
  if (::prctl(PR_GET_PDEATHSIG, &signal) == 0 && signal != 0) {
    words.emplace_back("ends with its parent");
  }
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) words.emplace_back("no new privileges");
  if (has_limit(RLIMIT_CORE, 0) && has_limit(RLIMIT_NOFILE, k_open_files) &&
      has_limit(RLIMIT_FSIZE, k_file_bytes)) {
    words.emplace_back("limits on core dumps, open files and file size");
  }
  if (filter == OtherPrograms::forbidden) {
    words.emplace_back("no other programs, no sockets, no signals to others");
  } else if (filter == OtherPrograms::allowed) {
    words.emplace_back("no sockets, no signals to others");
  } else {
    words.emplace_back("no filter of system calls here");
  }
  words.emplace_back("environment without secrets");
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace kernelloop
