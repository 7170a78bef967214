#include "propose/config_reader.hpp"

#include "support/error.hpp"

#include <algorithm>

namespace kernelloop {

bool ConfigReader::has(const std::string& pointer) const {
  return document_.value.contains(Json::json_pointer(pointer));
}

void ConfigReader::complain(const std::string& pointer, const std::string& what) const {
  fail(ExitCode::bad_input, "{}: {}", document_.where(pointer), what);
}

void ConfigReader::require_members(const std::string& pointer,
                                   const std::vector<std::string>& known) const {
  const Json& object = document_.value.at(Json::json_pointer(pointer));
  if (!object.is_object()) complain(pointer, "must be an object");
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    complain(pointer + "/" + name,
             fmt::format("unknown member \"{}\"; known are {}", name, fmt::join(known, ", ")));
  }
}

std::string ConfigReader::text(const std::string& pointer, const std::string& fallback) const {
  if (!has(pointer)) return fallback;
  const Json& value = document_.value.at(Json::json_pointer(pointer));
  if (!value.is_string()) complain(pointer, "must be a text");
  return value.get<std::string>();
}

std::int64_t ConfigReader::count(const std::string& pointer, std::int64_t fallback) const {
  if (!has(pointer)) return fallback;
  const Json& value = document_.value.at(Json::json_pointer(pointer));
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
      value.get<std::int64_t>() > 1'000'000'000) {
    complain(pointer, "must be a whole number from 1 to 1e9");
  }
  return value.get<std::int64_t>();
}

std::vector<std::string> ConfigReader::texts(const std::string& pointer, std::size_t least) const {
  if (!has(pointer) && least == 0) return {};
  const Json value = has(pointer) ? document_.value.at(Json::json_pointer(pointer)) : Json();
  return texts_of(value, document_.where(pointer), least);
}

Json ConfigReader::object(const std::string& pointer) const {
  if (!has(pointer)) return Json::object();
  const Json& value = document_.value.at(Json::json_pointer(pointer));
  if (!value.is_object()) complain(pointer, "must be an object");
  return value;
}

std::vector<std::string> texts_of(const Json& value, const std::string& where, std::size_t least) {
  const bool right =
      value.is_array() && value.size() >= least &&
      std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  if (!right) {
    fail(ExitCode::bad_input, "{}: must be a list of texts, like [\"claude\", \"-p\"]", where);
  }
  return value.get<std::vector<std::string>>();
}

}  // namespace kernelloop
