#include "device/worker_sandbox.hpp"

#include "support/loader_lock.hpp"
#include "support/process.hpp"
#include "support/text.hpp"
#include "support/toolkit.hpp"

#include <fmt/format.h>

#include <link.h>

#include <cstdlib>
#include <mutex>
#include <system_error>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_scratch_bytes = std::size_t{16} << 20;
constexpr std::size_t k_scratch_bytes_watched = std::size_t{1} << 30;

using Paths = std::vector<fs::path>;

int add_library(dl_phdr_info* information, std::size_t /*size*/, void* paths) {
  if (information->dlpi_name != nullptr && information->dlpi_name[0] == '/') {
    static_cast<Paths*>(paths)->emplace_back(information->dlpi_name);
  }
  return 0;
}

// The program and its libraries, those of other places than the system's too.
void add_program(const fs::path& program, Paths& readable) {
  readable.push_back(program);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(program.parent_path(), error)) {
    const bool library = entry.path().filename().string().find(".so") != std::string::npos;
    if (library && entry.is_regular_file(error)) readable.push_back(entry.path());
  }
  {
    const std::lock_guard<std::mutex> lock(loader_mutex());
    ::dl_iterate_phdr(add_library, &readable);
  }
  const char* searched = std::getenv("LD_LIBRARY_PATH");
  for (std::string_view rest = searched == nullptr ? "" : searched; !rest.empty();) {
    const std::size_t end = rest.find(':');
    const std::string_view directory = rest.substr(0, end);
    if (!directory.empty() && directory.front() == '/') readable.emplace_back(directory);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

// Device nodes of the GPUs and of the driver.
Paths gpu_nodes() {
  Paths nodes{"/dev/dxg"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    if (entry.path().filename().string().rfind("nvidia", 0) == 0) nodes.push_back(entry.path());
  }
  return nodes;
}

// After the machine has started, the first user of a GPU has a set-user-id helper of the driver
// make its nodes. Nothing can gain rights in a sandbox, so that it has to be done before.
void make_gpu_nodes() {
  std::error_code error;
  if (fs::exists("/dev/nvidia-uvm", error) || find_program("nvidia-modprobe").empty()) return;
  Command helper;
  helper.arguments = {"nvidia-modprobe", "-u", "-c=0"};
  helper.timeout = std::chrono::seconds(30);
  run(helper);  // without it the worker says what is missing
}

void add_gpus(SandboxRules& rules) {
  make_gpu_nodes();
  rules.devices = gpu_nodes();
  for (const char* path : {"/sys", "/opt/nvidia", "/run/opengl-driver"}) {
    rules.readable.emplace_back(path);
  }
  for (fs::path& root : toolkit_roots()) rules.readable.push_back(std::move(root));
  if (const char* cupti = std::getenv("KERNELLOOP_CUPTI"); cupti != nullptr && *cupti == '/') {
    rules.readable.emplace_back(fs::path(cupti).parent_path());
  }
}

}  // namespace

std::string confine_worker(WorkerStart& start, SandboxProof proof) {
  start.sandbox.reset();
  if (const std::string reason = reason_not_to_confine(proof); !reason.empty()) {
    return unconfined_text(reason);
  }
  SandboxRules& rules = start.sandbox.emplace();
  const bool watched = !start.watcher.empty();
  rules.scratch_bytes = watched ? k_scratch_bytes_watched : k_scratch_bytes;
  // Tools, and libraries of the user's own, have files in many places.
  rules.whole_system = watched || start.foreign_library;
  add_program(start.program, rules.readable);
  if (start.device == "cuda") add_gpus(rules);
  if (watched) rules.readable.push_back(fs::path(start.watcher.front()).parent_path());
  rules.readable.insert(rules.readable.end(), start.readable.begin(), start.readable.end());
  for (const std::string& runtime : start.preload) {
    if (runtime.front() == '/') rules.readable.emplace_back(runtime);
  }
  rules.writable = start.writable;
  if (!start.artifacts.empty()) rules.placed[k_artifacts_in_sandbox] = start.artifacts;
  return rules.whole_system
             ? "bubblewrap (no network, no other processes, all files for reading only)"
             : "bubblewrap (no network, no other processes, no files but libraries and its own)";
}

}  // namespace kernelloop
