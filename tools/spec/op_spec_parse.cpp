#include "spec/op_spec_source.hpp"
#include "support/json_schema.hpp"

namespace kernelloop {

extern const std::string_view k_op_schema;  // schemas/op.schema.json

namespace {

// A spec is a few levels deep; walking a much deeper one could exhaust the stack.
constexpr std::size_t k_deepest_json = 32;

}  // namespace

void require_shallow_json(const JsonDocument& document) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < document.text.size(); ++at) {
    const char c = document.text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > k_deepest_json) {
      const TextPosition position = position_of(document.text, at);
      fail(ExitCode::bad_input, "{}:{}:{}: nested deeper than {} levels", document.path.string(),
           position.line + document.first_line - 1, position.column, k_deepest_json);
    }
  }
}

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
  require_shallow_json(document);
  require_schema(document, k_op_schema);
  const SpecSource source(document);
  OpSpec spec = read_op_spec(source);
  check_op_spec(source, spec, !document.value.contains("part"));
  return spec;
}

}  // namespace kernelloop
