#include "device/host_gpus.hpp"

#include "support/json.hpp"
#include "support/json_members.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

struct Gpu {
  std::string uuid;
  std::string model;
};

// "GPU UUID: \t GPU-0123..."; empty when there is no such line.
std::string value_of(const std::string& text, std::string_view name) {
  std::size_t at = text.find(name);
  if (at == std::string::npos) return {};
  at = text.find(':', at);
  if (at == std::string::npos) return {};
  return std::string(trimmed(std::string_view(text).substr(at + 1, text.find('\n', at) - at - 1)));
}

// In the order of their places on the bus. A GPU that nobody has used since the machine started has
// question marks for its UUID.
std::vector<Gpu> gpus_of_driver(const fs::path& driver_files) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(driver_files / "gpus", error)) {
    files.push_back(entry.path() / "information");
  }
  std::sort(files.begin(), files.end());
  std::vector<Gpu> gpus;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    Gpu gpu{value_of(text, "GPU UUID"), value_of(text, "Model")};
    if (gpu.uuid.rfind("GPU-", 0) != 0 || gpu.uuid.find('?') != std::string::npos) return {};
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::vector<std::string> of_one_model(const std::vector<Gpu>& gpus) {
  std::vector<std::string> uuids;
  for (const Gpu& gpu : gpus) {
    if (gpu.model == gpus.front().model) uuids.push_back(gpu.uuid);
  }
  if (uuids.size() < 2) uuids.clear();
  return uuids;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.emplace_back(trimmed(std::string_view(list).substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

}  // namespace

HostGpus host_gpus(const fs::path& driver_files, const std::optional<std::string>& visible) {
  const std::vector<Gpu> gpus = gpus_of_driver(driver_files);
  if (!visible) return {of_one_model(gpus), false};
  const std::vector<std::string> words = words_of(*visible);
  if (words.size() < 2) return {};
  std::vector<Gpu> chosen;
  for (const std::string& word : words) {
    // A UUID may be shortened. What the driver does not know hides all that follow it.
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
      return word.rfind("GPU-", 0) == 0 && gpu.uuid.rfind(word, 0) == 0;
    });
    if (found == gpus.end()) return {{}, true};
    chosen.push_back(*found);
  }
  return {of_one_model(chosen), false};
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names = words_of(list);
  std::erase(names, std::string());
  return names;
}

std::vector<std::string> gpus_in_list(const std::string& list) {
  const Json json = Json::parse(list, nullptr, false);
  std::vector<Gpu> gpus;
  for (const Json& device : member(json, "devices")) {
    if (text_member(device, "kind") != "cuda") continue;
    gpus.push_back({text_member(device, "uuid"), text_member(device, "name")});
  }
  return of_one_model(gpus);
}

}  // namespace kernelloop
