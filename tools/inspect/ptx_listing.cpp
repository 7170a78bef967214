#include "compile/ptx.hpp"
#include "compile/text.hpp"

#include "inspect/listing.hpp"

#include <map>
#include <utility>

namespace kernelloop {
namespace {

// The name in `.visible .entry scale(` or `.func (.param ...) name(`; empty for other directives.
std::string_view function_begun(std::string_view line) {
  for (const std::string_view word : {".entry ", ".func "}) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    std::string_view rest = trimmed(line.substr(at + word.size()));
    if (!rest.empty() && rest.front() == '(') rest = trimmed(rest.substr(rest.find(')') + 1));
    return trimmed(rest.substr(0, rest.find('(')));
  }
  return {};
}

class PtxReader {
 public:
  PtxReader(std::string_view text, std::string_view source_name)
      : module_(std::string(text), std::filesystem::path(source_name)) {}

  std::vector<CodeFunction> read() {
    const std::vector<std::string>& lines = module_.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) read_line(lines[i], i + 1);
    resolve();
    return std::move(functions_);
  }

 private:
  void read_line(std::string_view line, std::size_t number) {
    line = trimmed(line.substr(0, line.find("//")));
    if (const std::string_view name = function_begun(line); !name.empty()) {
      resolve();
      functions_.push_back({std::string(name), {}});
      return;
    }
    if (line.empty() || functions_.empty()) return;
    if (pending_.empty()) {
      if (line.front() == '{' || line.front() == '}') line = trimmed(line.substr(1));
      if (line.empty() || line.front() == '.' || line.front() == '(' || line.front() == ')') return;
      if (line.back() == ':') {
        labels_[std::string(line.substr(0, line.size() - 1))] =
            functions_.back().instructions.size();
        return;
      }
      pending_line_ = number;
    }
    // An inline asm may spread one instruction over several lines.
    pending_ += (pending_.empty() ? "" : " ") + std::string(line);
    if (pending_.find(';') == std::string::npos) return;
    add(trimmed(std::string_view(pending_).substr(0, pending_.find(';'))));
    pending_.clear();
  }

  void add(std::string_view text) {
    if (text.empty()) return;
    CodeInstruction one;
    one.text = text;
    one.address = pending_line_;
    one.source_line = module_.place(pending_line_).line;
    if (text.front() == '@') {
      one.predicate = text.substr(0, text.find_first_of(" \t"));
      text = trimmed(text.substr(one.predicate.size()));
    }
    one.opcode = text.substr(0, text.find_first_of(" \t"));
    const std::string_view base = std::string_view(one.opcode).substr(0, one.opcode.find('.'));
    if (base == "bra") {
      jumps_.emplace_back(functions_.back().instructions.size(),
                          trimmed(text.substr(one.opcode.size())));
    }
    if (base == "bra" || base == "ret" || base == "exit" || base == "brx" || base == "trap") {
      one.falls_through = !one.predicate.empty();
    }
    functions_.back().instructions.push_back(std::move(one));
  }

  void resolve() {
    for (const auto& [index, place] : jumps_) {
      const auto label = labels_.find(place);
      auto& instructions = functions_.back().instructions;
      if (label != labels_.end() && label->second < instructions.size()) {
        instructions[index].target = label->second;
      }
    }
    jumps_.clear();
    labels_.clear();
  }

  PtxModule module_;
  std::vector<CodeFunction> functions_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  std::string pending_;
  std::size_t pending_line_ = 0;
};

}  // namespace

std::vector<CodeFunction> read_ptx(std::string_view text, std::string_view source_name) {
  return PtxReader(text, source_name).read();
}

}  // namespace kernelloop
