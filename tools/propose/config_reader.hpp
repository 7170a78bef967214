// Reading the user's configuration file: each complaint says where in the file, and what to write.
#pragma once

#include "support/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

// All of them throw Error(bad_input). A pointer to a value that is not there reads as `fallback`.
class ConfigReader {
 public:
  explicit ConfigReader(const JsonDocument& document) : document_(document) {}

  [[nodiscard]] bool has(const std::string& pointer) const;
  // The object must be one, and have none but these members.
  void require_members(const std::string& pointer, const std::vector<std::string>& known) const;
  [[nodiscard]] std::string text(const std::string& pointer, const std::string& fallback) const;
  [[nodiscard]] std::int64_t count(const std::string& pointer, std::int64_t fallback) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& pointer, std::size_t least) const;
  [[nodiscard]] Json object(const std::string& pointer) const;  // an empty one as fallback

  [[nodiscard]] const JsonDocument& document() const noexcept { return document_; }
  [[noreturn]] void complain(const std::string& pointer, const std::string& what) const;

 private:
  const JsonDocument& document_;
};

// A list of at least so many texts; `where` is for the message.
std::vector<std::string> texts_of(const Json& value, const std::string& where, std::size_t least);

}  // namespace kernelloop
