#include "context/chunks.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelloop {
namespace {

constexpr std::size_t k_fewest_lines = 30;  // a chunk does not end earlier, unless a heading comes
constexpr std::size_t k_most_lines = 80;
constexpr std::size_t k_most_bytes = 8192;
constexpr std::size_t k_longest_heading = 160;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The level of a Markdown heading, 0 for any other line.
std::size_t heading_level(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == 0 || level == std::string_view::npos || level > 6 || line[level] != ' ') return 0;
  return level;
}

// The headings above a place, outermost first.
class HeadingPath {
 public:
  void enter(std::string_view line, std::size_t level) {
    levels_[level - 1] = trimmed(line.substr(level));
    std::fill(levels_.begin() + static_cast<std::ptrdiff_t>(level), levels_.end(),
              std::string_view{});
  }
  [[nodiscard]] std::string text() const {
    std::string result;
    for (const std::string_view level : levels_) {
      if (level.empty()) continue;
      if (!result.empty()) result += " > ";
      result += level;
    }
    return result.substr(0, k_longest_heading);
  }

 private:
  std::array<std::string_view, 6> levels_{};
};

// A line in column 0 that begins a function, a type or a section of a source.
bool is_definition(std::string_view line) {
  if (line.empty() || (std::isalpha(static_cast<unsigned char>(line[0])) == 0 && line[0] != '_')) {
    return false;
  }
  for (const std::string_view word : {"namespace", "using ", "public:", "private:", "return",
                                      "import ", "from ", "extern \"C\" {"}) {
    if (line.substr(0, word.size()) == word) return false;
  }
  return true;
}

// Cuts a text into chunks, line by line.
class Cutter {
 public:
  Cutter(std::string_view text, bool is_page) : text_(text), is_page_(is_page) {}

  std::vector<Chunk> cut() {
    bool in_fence = false;
    for (const std::string_view line : split_lines(text_)) {
      if (is_page_ && trimmed(line).substr(0, 3) == "```") in_fence = !in_fence;
      const std::size_t level = is_page_ && !in_fence ? heading_level(line) : 0;
      if (must_end(line, level)) end();
      if (level > 0) headings_.enter(line, level);
      if (!is_page_ && is_definition(line)) definition_ = trimmed(line);
      // A source's chunk is named after the definition it begins in, or the first one it holds.
      if (is_page_ ? lines_ == 0 : heading_.empty()) {
        heading_ =
            is_page_ ? headings_.text() : std::string(definition_.substr(0, k_longest_heading));
      }
      bytes_ += line.size() + 1;
      ++lines_;
      blank_ = trimmed(line).empty() || line == "}" || line == "};";
    }
    end();
    return std::move(chunks_);
  }

 private:
  [[nodiscard]] bool must_end(std::string_view line, std::size_t level) const {
    if (lines_ == 0) return false;
    if (level > 0 || lines_ >= k_most_lines || bytes_ + line.size() > k_most_bytes) return true;
    return blank_ && lines_ >= k_fewest_lines && (is_page_ || is_definition(line) || lines_ >= 60);
  }

  void end() {
    if (lines_ == 0) return;
    const std::size_t size = std::min(bytes_, text_.size() - begin_);
    chunks_.push_back({static_cast<int>(line_), static_cast<int>(line_ + lines_ - 1), heading_,
                       text_.substr(begin_, size)});
    begin_ += bytes_;
    line_ += lines_;
    bytes_ = 0;
    lines_ = 0;
    heading_.clear();
  }

  std::string_view text_;
  bool is_page_;
  std::vector<Chunk> chunks_;
  HeadingPath headings_;
  std::string_view definition_;
  std::string heading_;
  std::size_t begin_ = 0;  // of the chunk under way, in bytes
  std::size_t line_ = 1;   // its first line
  std::size_t bytes_ = 0;
  std::size_t lines_ = 0;
  bool blank_ = false;  // the line before ends something
};

}  // namespace

std::vector<Chunk> chunks_of(std::string_view text, std::string_view name) {
  const bool is_page = ends_with(name, ".md") || ends_with(name, ".rst") || ends_with(name, ".txt");
  return Cutter(text, is_page).cut();
}

}  // namespace kernelloop
