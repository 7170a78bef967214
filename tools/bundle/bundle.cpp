#include "bundle/bundle.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/sandbox.hpp"

#include <map>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using Kind = StepWord::Kind;

constexpr int k_schema_version = 1;

// Collects what goes into the folder, each file under a name that depends on nothing but the line.
class Contents {
 public:
  explicit Contents(std::string device) : device_(std::move(device)) {}

  // The name inside of the bundle.
  std::string add(const StepWord& word) {
    const std::string folder = folder_of(word.option);
    const fs::path path = word.value;
    if (word.kind == Kind::compiled) return add_compiled(folder, path);
    return put(folder, path.filename().string(), read_file(path));
  }

  [[nodiscard]] const std::map<std::string, std::string>& files() const noexcept { return files_; }

 private:
  // An option may come several times.
  std::string folder_of(const std::string& option) {
    const std::string name = option.substr(2);
    const int count = ++folders_[name];
    return count == 1 ? name : fmt::format("{}-{}", name, count);
  }

  std::string put(const std::string& folder, const std::string& name, std::string content) {
    std::string path = folder + "/" + name;
    files_[path] = std::move(content);
    return path;
  }

  // compile.json with the artefacts of the one device beside it, and without paths of this machine.
  std::string add_compiled(const std::string& folder, const fs::path& path) {
    Json json = read_json(path).value;
    const auto carry = [&](Json& value) {
      if (!value.is_string() || value.get<std::string>().empty()) return;
      const fs::path artifact = path.parent_path() / value.get<std::string>();
      put(folder, artifact.filename().string(), read_file(artifact));
      value = artifact.filename().string();
    };
    if (json.is_object()) {
      json.erase("source");
      json.erase("dependencies");
      const Json artifacts = json.value("artifacts", Json::object());
      json["artifacts"] = Json::object();
      if (artifacts.contains(device_)) {
        Json artifact = artifacts[device_];
        for (const char* name : {"cubin", "ptx", "library"}) {
          if (artifact.contains(name)) carry(artifact[name]);
        }
        if (artifact.contains("cubins")) {
          for (auto& [architecture, value] : artifact["cubins"].items()) carry(value);
        }
        json["artifacts"][device_] = std::move(artifact);
      }
    }
    return put(folder, path.filename().string(), to_text(json));
  }

  std::string device_;
  std::map<std::string, int> folders_;
  std::map<std::string, std::string> files_;
};

// Steps that take no --device are those of a GPU.
std::string device_of(const StepLine& line) {
  for (std::size_t i = 0; i + 1 < line.arguments.size(); ++i) {
    if (line.arguments[i] == "--device") return line.arguments[i + 1];
  }
  return "cuda";
}

}  // namespace

fs::path make_bundle(const StepLine& line, const fs::path& program, const fs::path& into) {
  Contents contents(device_of(line));
  Json arguments = Json::array();
  for (const StepWord& word : words_of(line)) {
    arguments.push_back(word.option);
    switch (word.kind) {
      case Kind::plain:
        break;
      case Kind::file:
      case Kind::compiled:
        arguments.push_back(contents.add(word));
        break;
      case Kind::output:
        arguments.push_back("{out}/" + fs::path(word.value).filename().string());
        break;
      case Kind::cache:
        arguments.push_back("{cache}");
        break;
    }
  }
  Json files = Json::object();
  for (const auto& [name, content] : contents.files()) files[name] = sha256(content);
  Json json = {{"schema_version", k_schema_version},
               {"step", line.step},
               {"arguments", arguments},
               {"files", files},
               {"program", sha256_of_file(program)}};
  if (sandbox_mode() == SandboxMode::required) json["sandbox"] = "required";
  const std::string text = to_text(json);
  fs::path folder = into / sha256(text);
  if (fs::exists(folder / "bundle.json")) return folder;
  for (const auto& [name, content] : contents.files()) write_file_atomic(folder / name, content);
  write_file_atomic(folder / "bundle.json", text);  // last: without it there is no bundle
  return folder;
}

Bundle load_bundle(const fs::path& directory) {
  const fs::path path = directory / "bundle.json";
  const JsonDocument document = read_json(path);
  Bundle bundle;
  bundle.directory = fs::absolute(directory);
  bundle.address = sha256(document.text);
  try {
    const Json& json = document.value;
    if (json.at("schema_version") != k_schema_version) {
      fail(ExitCode::bad_input, "{}: is of another version of bundles; make it again",
           path.string());
    }
    bundle.program_sha256 = json.at("program");
    bundle.line.step = json.at("step");
    bundle.line.arguments = json.at("arguments").get<std::vector<std::string>>();
    bundle.sandbox_required = json.value("sandbox", "") == "required";
    for (const auto& [name, hash] : json.at("files").items()) {
      if (sha256_of_file(directory / name) == hash.get<std::string>()) continue;
      fail(ExitCode::bad_input, "{}: is not the file that the bundle was made with; copy it again",
           (directory / name).string());
    }
  } catch (const Json::exception& error) {
    fail(ExitCode::bad_input, "{}: is no bundle: {}", path.string(), error.what());
  }
  return bundle;
}

}  // namespace kernelloop
