#include "propose/steering_text.hpp"

#include "loop/steering.hpp"
#include "support/files.hpp"
#include "support/version.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_notes = 6 << 10;

std::string written(const fs::path& path) {
  if (path.empty() || !fs::exists(path)) return {};
  std::string text = read_file(path);
  return text.find_first_not_of(" \t\r\n") == std::string::npos ? std::string() : text;
}

// The newest note is shown, however long it is.
std::string shortened(std::string note) {
  constexpr std::string_view k_rest = "\n(The rest of this note is left out.)";
  if (note.size() <= k_most_notes) return note;
  std::size_t end = k_most_notes - k_rest.size();
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0u) == 0x80u) --end;
  note.resize(end);
  return note.append(k_rest);
}

std::string notes(const OpConfig& config, int version) {
  std::string text;
  for (int number = version - 1; number >= 1; --number) {
    std::string note = written(config.version_dir(number) / "feedback.md");
    if (note.empty()) continue;
    if (text.empty()) note = shortened(std::move(note));
    if (!text.empty() && text.size() + note.size() > k_most_notes) {
      text += "\n(Older notes are left out.)\n";
      break;
    }
    text += fmt::format("\n## On {}\n\n{}\n", version_name(number), note);
  }
  return text.empty() ? text : "\n# Notes of the engineer on versions\n" + text;
}

}  // namespace

std::string steering_text(const OpConfig& config, int version) {
  std::string text;
  if (const std::string hints = written(config.hints); !hints.empty()) {
    text += "\n# Hints of the engineer\n\n" + hints + "\n";
  }
  const Steering steering = load_steering(config);
  if (!steering.rejected.empty()) {
    text += "\n# Rejected by the engineer\n\nDo not go back to these versions or their idea:\n";
    for (const auto& [name, reason] : steering.rejected) {
      text += fmt::format("- {}: {}\n", name, reason);
    }
  }
  return text + notes(config, version);
}

}  // namespace kernelloop
