#include "propose/templates.hpp"

#include "support/embedded_texts.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/suggest.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace kernelloop {

EmbeddedTexts built_in_prompts();  // prompts/*.md

namespace {

std::string_view built_in(const std::string& name) {
  for (const EmbeddedText& prompt : built_in_prompts()) {
    if (prompt.name == name) return prompt.text;
  }
  return {};
}

// A file that nothing reads is a misspelled one. Of devices and languages there may be more than
// are built in.
void check_name(const std::filesystem::path& file) {
  const std::string name = file.stem().string();
  if (file.extension() != ".md" || name == "README" || !built_in(name).empty() ||
      name.rfind("device_", 0) == 0 || name.rfind("language_", 0) == 0) {
    return;
  }
  std::vector<std::string> known;
  for (const EmbeddedText& prompt : built_in_prompts()) known.emplace_back(prompt.name);
  fail(ExitCode::bad_input, "{}: no prompt template is called '{}'; {}", file.string(), name,
       name_hint(name, known));
}

}  // namespace

Templates::Templates(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (!directory_.empty() && !std::filesystem::is_directory(directory_)) {
    fail(ExitCode::bad_input,
         "the directory of prompt templates {} does not exist; create it or unset "
         "KERNELLOOP_PROMPTS_DIR and prompts_dir",
         directory_.string());
  }
  if (directory_.empty()) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    check_name(entry.path());
  }
}

bool Templates::has(const std::string& name) const {
  if (!built_in(name).empty()) return true;
  return !directory_.empty() && std::filesystem::exists(directory_ / (name + ".md"));
}

std::string Templates::fill(const std::string& name,
                            const std::map<std::string, std::string>& values) const {
  const std::filesystem::path file = directory_ / (name + ".md");
  const bool own = !directory_.empty() && std::filesystem::exists(file);
  if (!own && built_in(name).empty()) {
    fail(ExitCode::internal, "no prompt template is called '{}'", name);
  }
  const std::string text = own ? read_file(file) : std::string(built_in(name));
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find("{{"); open != std::string::npos; open = text.find("{{", at)) {
    const std::size_t close = text.find("}}", open);
    if (close == std::string::npos) break;
    const std::string key = text.substr(open + 2, close - open - 2);
    const auto found = values.find(key);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [each, ignored] : values) known.push_back(each);
      fail(ExitCode::bad_input, "prompt template {}: unknown placeholder {{{{{}}}}}; known are: {}",
           own ? file.string() : name + ".md", key, fmt::join(known, ", "));
    }
    result.append(text, at, open - at);
    result += found->second;
    at = close + 2;
  }
  return result + text.substr(at);
}

}  // namespace kernelloop
