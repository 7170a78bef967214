#include "spec/op_spec_source.hpp"
#include "support/json_schema.hpp"

namespace kernelloop {

extern const std::string_view k_op_schema;  // schemas/op.schema.json

Place Place::operator[](std::string_view member) const {
  Place result = *this;
  result.pointer_ += '/';
  for (const char c : member) {
    if (c == '~') {
      result.pointer_ += "~0";
    } else if (c == '/') {
      result.pointer_ += "~1";
    } else {
      result.pointer_ += c;
    }
  }
  return result;
}

Place Place::operator[](std::size_t index) const { return (*this)[std::to_string(index)]; }

void SpecSource::wrong(const Place& place, const std::string& message) const {
  throw Error(ExitCode::bad_input,
              fmt::format("{}: {}", document_.where(place.pointer()), message));
}

OpSpec load_op_spec(const std::filesystem::path& path) { return parse_op_spec(read_json(path)); }

OpSpec parse_op_spec(const JsonDocument& document) {
  require_schema(document, k_op_schema);
  const SpecSource source(document);
  OpSpec spec = read_op_spec(source);
  check_op_spec(source, spec, !document.value.contains("part"));
  return spec;
}

}  // namespace kernelloop
