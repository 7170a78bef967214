#include "compile/ptx.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace kernelloop {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

// Words (directives keep their dot) and single punctuation characters, up to a `//` comment.
Tokens tokens_of(std::string_view line) {
  Tokens result;
  std::size_t at = 0;
  while (at < line.size() && line.substr(at, 2) != "//") {
    std::size_t end = at;
    while (end < line.size() && is_name_char(line[end])) ++end;
    if (end == at) {
      if (std::isspace(static_cast<unsigned char>(line[at])) == 0) {
        result.push_back(line.substr(at, 1));
      }
      ++at;
    } else {
      result.push_back(line.substr(at, end - at));
      at = end;
    }
  }
  return result;
}

bool has(const Tokens& tokens, std::string_view token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// Bytes of a PTX type such as ".u64"; 0 when the token is no type.
std::size_t size_of_type(std::string_view type) {
  if (type == ".texref" || type == ".samplerref" || type == ".surfref") return 8;
  if (type == ".f16x2" || type == ".bf16x2") return 4;
  if (type == ".bf16") return 2;
  if (type.size() < 3 || type[0] != '.') return 0;
  if (type[1] != 'b' && type[1] != 'u' && type[1] != 's' && type[1] != 'f') return 0;
  const std::string_view bits = type.substr(2);
  if (bits == "8") return 1;
  if (bits == "16") return 2;
  if (bits == "32") return 4;
  if (bits == "64") return 8;
  if (bits == "128") return 16;
  return 0;
}

struct ParameterShape {
  std::size_t size = 0;
  std::size_t alignment = 1;
};

// `.param .align 8 .b8 k_param_0[16]`, `.param .u64 .ptr .global .align 16 k_param_1`: an alignment
// behind `.ptr` is that of what the pointer points to.
ParameterShape shape_of_parameter(const Tokens& tokens) {
  ParameterShape shape;
  std::size_t alignment = 0;
  std::size_t count = 1;
  bool pointer = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == ".ptr") pointer = true;
    if (tokens[i] == ".align" && i + 1 < tokens.size() && !pointer) {
      alignment = leading_number(tokens[i + 1]);
    }
    if (tokens[i] == "[" && i + 1 < tokens.size()) count *= leading_number(tokens[i + 1]);
    if (shape.size == 0) shape.size = size_of_type(tokens[i]);
  }
  shape.alignment = alignment != 0 ? alignment : std::max<std::size_t>(shape.size, 1);
  shape.size *= count;
  return shape;
}

std::optional<std::array<int, 3>> extents_after(const Tokens& tokens, std::string_view directive) {
  const auto found = std::find(tokens.begin(), tokens.end(), directive);
  if (found == tokens.end()) return std::nullopt;
  std::array<int, 3> result{1, 1, 1};
  std::size_t dimension = 0;
  for (auto token = found + 1; token != tokens.end() && dimension < 3; ++token) {
    if (*token == ",") continue;
    if (std::isdigit(static_cast<unsigned char>(token->front())) == 0) break;
    result[dimension++] = static_cast<int>(leading_number(*token));
  }
  return result;
}

// The name that follows `.entry` or `.func` (after a return value in parentheses).
std::string name_after(const Tokens& tokens, std::string_view directive) {
  auto token = std::find(tokens.begin(), tokens.end(), directive);
  if (token == tokens.end()) return {};
  ++token;
  if (token != tokens.end() && *token == "(") {
    token = std::find(token, tokens.end(), ")");
    if (token != tokens.end()) ++token;
  }
  return token == tokens.end() ? std::string() : std::string(*token);
}

}  // namespace

PtxModule::PtxModule(const std::string& text, const std::filesystem::path& source)
    : source_name_(source.string()) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines_.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  read_files();
  read_functions();
}

void PtxModule::read_files() {
  for (const std::string& line : lines_) {
    const std::string_view text = trimmed(line);
    if (!starts_with(text, ".file")) continue;
    const std::size_t open = text.find('"');
    const std::size_t close = text.rfind('"');
    if (open == std::string_view::npos || close <= open) continue;
    if (text.substr(open + 1, close - open - 1) != source_name_) continue;
    source_files_.push_back(leading_number(trimmed(text.substr(5, open - 5))));
  }
}

void PtxModule::read_functions() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string_view text = trimmed(lines_[i]);
    if (text.empty() || text[0] != '.') continue;
    const Tokens tokens = tokens_of(text);
    const bool entry = has(tokens, ".entry");
    if (!entry && !has(tokens, ".func")) continue;
    if (has(tokens, ".extern")) {
      extern_functions_.push_back(name_after(tokens, ".func"));
      continue;
    }
    function_starts_.push_back(i);
    if (entry) read_kernel(i);
  }
}

void PtxModule::read_kernel(std::size_t index) {
  PtxKernel kernel;
  kernel.info.name = name_after(tokens_of(lines_[index]), ".entry");
  std::size_t offset = 0;
  // The header ends where the body begins. Parameters stand one a line, as nvcc prints them, or
  // share a line; they are told apart by their commas and `.param`.
  for (std::size_t i = index; i < lines_.size(); ++i) {
    const Tokens tokens = tokens_of(lines_[i]);
    for (auto at = std::find(tokens.begin(), tokens.end(), ".param"); at != tokens.end();) {
      const auto end = std::find(at + 1, tokens.end(), ".param");
      const ParameterShape shape = shape_of_parameter(Tokens(at + 1, end));
      offset = (offset + shape.alignment - 1) / shape.alignment * shape.alignment;
      kernel.info.parameters.push_back({offset, shape.size});
      offset += shape.size;
      at = end;
    }
    if (const auto most = extents_after(tokens, ".maxntid")) {
      kernel.info.max_threads_per_block = std::int64_t{1} * (*most)[0] * (*most)[1] * (*most)[2];
    }
    if (const auto required = extents_after(tokens, ".reqntid")) {
      kernel.info.required_block = required;
      kernel.info.max_threads_per_block =
          std::int64_t{1} * (*required)[0] * (*required)[1] * (*required)[2];
    }
    if (has(tokens, "{") || (i > index && has(tokens, ".entry"))) break;
  }
  kernel.line = place(index + 1).line;
  kernel.waits = waits(index);
  kernels_.push_back(std::move(kernel));
}

bool PtxModule::waits(std::size_t index) const {
  for (std::size_t i = index; i < lines_.size() && !starts_with(lines_[i], "}"); ++i) {
    if (starts_with(trimmed(lines_[i]), "griddepcontrol.wait")) return true;
  }
  return false;
}

const PtxKernel* PtxModule::find(std::string_view name) const {
  for (const PtxKernel& kernel : kernels_) {
    if (kernel.info.name == name) return &kernel;
  }
  return nullptr;
}

// `.loc 2 261 5, function_name $L__info_string0, inlined_at 1 5 41`: the source is where the code
// was written, or else where it was inlined into.
std::size_t PtxModule::source_line_of_loc(std::string_view loc) const {
  const Tokens tokens = tokens_of(loc);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i] != ".loc" && tokens[i] != "inlined_at") continue;
    const std::size_t file = leading_number(tokens[i + 1]);
    if (std::find(source_files_.begin(), source_files_.end(), file) != source_files_.end()) {
      return leading_number(tokens[i + 2]);
    }
  }
  return 0;
}

bool PtxModule::is_of_source(std::string_view loc) const {
  const Tokens tokens = tokens_of(loc);
  return tokens.size() > 1 && std::find(source_files_.begin(), source_files_.end(),
                                        leading_number(tokens[1])) != source_files_.end();
}

PtxPlace PtxModule::place(std::size_t ptx_line) const {
  PtxPlace result;
  if (ptx_line == 0 || ptx_line > lines_.size()) return result;
  const std::size_t index = ptx_line - 1;
  result.text = trimmed(lines_[index]);

  const auto after = std::upper_bound(function_starts_.begin(), function_starts_.end(), index);
  const std::size_t begin = after == function_starts_.begin() ? 0 : *(after - 1);
  const std::size_t end = after == function_starts_.end() ? lines_.size() : *after;
  // Locations hold for the lines after them; a function's header comes before its first one.
  bool nearest = true;
  for (std::size_t i = index + 1; i-- > begin;) {
    if (!starts_with(trimmed(lines_[i]), ".loc")) continue;
    if (nearest) result.written_here = is_of_source(trimmed(lines_[i]));
    nearest = false;
    if (const std::size_t line = source_line_of_loc(lines_[i])) {
      result.line = line;
      return result;
    }
  }
  for (std::size_t i = index; i < end; ++i) {
    const std::string_view text = trimmed(lines_[i]);
    if (i > begin && starts_with(text, "}")) break;
    if (!starts_with(text, ".loc")) continue;
    if (const std::size_t line = source_line_of_loc(text)) {
      result.line = line;
      return result;
    }
  }
  return result;
}

}  // namespace kernelloop
