// JSON as the project uses it: member order is kept, files know their path and their lines.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kernelloop {

using Json = nlohmann::ordered_json;

// A place in a text file, both counted from 1.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
};

// The position of byte `offset` in `text`.
TextPosition position_of(std::string_view text, std::size_t offset);

// A parsed JSON text that can still say where each of its values stands.
struct JsonDocument {
  std::filesystem::path path;  // shown in messages; need not exist
  std::string text;            // as read
  Json value;                  // as parsed
  std::size_t first_line = 1;  // of `text` in `path`, for JSON inside a comment

  // "path:line:column" of the value that a JSON pointer ("/axes/rows") names. For a pointer to a
  // value that is not there, the nearest enclosing value that is.
  [[nodiscard]] std::string where(std::string_view pointer) const;
};

// Parses `text`. Throws Error(bad_input) "path:line:column: ..." on broken JSON; a member that
// occurs twice in one object is broken too, since one of the two would be silently lost, and so is
// a text that is nested deeper than any of ours, since walking it could exhaust the stack.
JsonDocument parse_json(std::string text, const std::filesystem::path& path,
                        std::size_t first_line = 1);

// Reads and parses a file. Throws Error(bad_input) when it is missing or broken.
JsonDocument read_json(const std::filesystem::path& path);

// The value in a file, or null when there is no such file. Throws as read_json when it is broken.
Json read_json_if_there(const std::filesystem::path& path);

// Two-space indented text with a final newline; bytes that are not UTF-8 are replaced.
std::string to_text(const Json& value);

}  // namespace kernelloop
