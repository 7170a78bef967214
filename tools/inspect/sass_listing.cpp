#include "compile/text.hpp"

#include "inspect/listing.hpp"

#include <charconv>
#include <map>
#include <optional>

namespace kernelloop {
namespace {

// "650" of "0x650 ..." or of "650*/"; nothing when no hexadecimal number stands there.
std::optional<std::size_t> hexadecimal(std::string_view text) {
  take_prefix(text, "0x");
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// Operations that jump. BSSY, BSYNC, CALL and WARPSYNC name places too, and go on behind
// themselves.
bool jumps(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return base == "BRA" || base == "JMP" || base == "BRX" || base == "JMX" || base == "BRXU";
}

bool ends(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return base == "EXIT" || base == "RET" || base == "KILL";
}

// The place a jump names: a label of nvdisasm "`(.L_x_0)", or cuobjdump's address "0x650".
std::string_view place_of(std::string_view operands) {
  if (const std::size_t at = operands.find("`("); at != std::string_view::npos) {
    const std::string_view rest = operands.substr(at + 2);
    return rest.substr(0, rest.find(')'));
  }
  const std::size_t at = operands.rfind("0x");
  return at == std::string_view::npos ? std::string_view() : trimmed(operands.substr(at));
}

class Reader {
 public:
  explicit Reader(std::string_view source_name) : source_name_(source_name) {}

  void read(std::string_view raw) {
    std::string_view line = trimmed(raw);
    if (take_prefix(line, "//## File \"")) {
      read_source_line(line);
    } else if (take_prefix(line, "Function : ")) {
      begin(line);
    } else if (take_prefix(line, ".section")) {
      line = trimmed(line);
      if (take_prefix(line, ".text.")) begin(line.substr(0, line.find(',')));
    } else if (starts_with(line, "/*")) {
      read_instruction(line.substr(2));
    } else if (!line.empty() && line.back() == ':' && !functions_.empty()) {
      labels_[std::string(line.substr(0, line.size() - 1))] = functions_.back().instructions.size();
    }
  }

  std::vector<CodeFunction> finish() {
    end();
    return std::move(functions_);
  }

 private:
  void begin(std::string_view name) {
    end();
    functions_.push_back({std::string(trimmed(name)), {}});
  }

  // `/probe/kern.cu", line 48` or `... inlined at "/probe/kern.cu", line 20`: the last place is
  // the one in the kernel itself.
  void read_source_line(std::string_view rest) {
    const std::size_t outer = rest.rfind("inlined at \"");
    if (outer != std::string_view::npos) rest.remove_prefix(outer + 12);
    const std::size_t quote = rest.find('"');
    const std::size_t line = rest.find(", line ");
    if (quote == std::string_view::npos || line == std::string_view::npos) return;
    std::string_view file = rest.substr(0, quote);
    if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) {
      file.remove_prefix(slash + 1);
    }
    source_line_ = file == source_name_ ? leading_number(rest.substr(line + 7)) : 0;
  }

  void read_instruction(std::string_view line) {
    // The second half of cuobjdump's encoding has a blank there.
    if (functions_.empty() || line.empty() || line.front() == ' ') return;
    const auto address = hexadecimal(line);
    const std::size_t close = line.find("*/");
    if (!address || close == std::string_view::npos) return;
    std::string_view text = trimmed(line.substr(close + 2));
    text = trimmed(text.substr(0, text.find(';')));
    if (text.empty()) return;

    CodeInstruction one;
    one.text = text;
    one.address = *address;
    one.source_line = source_line_;
    if (text.front() == '@') {
      one.predicate = text.substr(0, text.find(' '));
      text = trimmed(text.substr(one.predicate.size()));
    }
    one.opcode = text.substr(0, text.find(' '));
    const std::string_view operands = trimmed(text.substr(one.opcode.size()));
    if (jumps(one.opcode)) {
      const std::string_view place = place_of(operands);
      jumps_.emplace_back(functions_.back().instructions.size(), place);
      // `BRA P1, label` and `BRA.DIV UR4, label` depend on what stands before the comma.
      one.falls_through = !one.predicate.empty() || contains(operands, ",");
    } else if (ends(one.opcode)) {
      one.falls_through = !one.predicate.empty();
    }
    functions_.back().instructions.push_back(std::move(one));
  }

  void end() {
    if (!functions_.empty()) {
      resolve(functions_.back());
      drop_padding(functions_.back());
    }
    labels_.clear();
    jumps_.clear();
    source_line_ = 0;
  }

  void resolve(CodeFunction& function) {
    std::map<std::size_t, std::size_t> by_address;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      by_address[function.instructions[i].address] = i;
    }
    for (const auto& [index, place] : jumps_) {
      std::size_t target = CodeInstruction::k_nowhere;
      if (const auto label = labels_.find(place); label != labels_.end()) {
        target = label->second;
      } else if (const auto address = hexadecimal(place);
                 address && by_address.count(*address) != 0) {
        target = by_address[*address];
      }
      if (target < function.instructions.size()) function.instructions[index].target = target;
    }
  }

  // Behind every function stand a jump to itself, which nothing reaches, and NOPs.
  static void drop_padding(CodeFunction& function) {
    auto& all = function.instructions;
    while (!all.empty() && all.back().opcode == "NOP") all.pop_back();
    if (!all.empty() && all.back().target == all.size() - 1 && all.back().predicate.empty()) {
      all.pop_back();
    }
  }

  std::string source_name_;
  std::vector<CodeFunction> functions_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;  // instruction, place
  std::size_t source_line_ = 0;
};

}  // namespace

std::vector<CodeFunction> read_sass(std::string_view text, std::string_view source_name) {
  Reader reader(source_name);
  for_each_line(text, [&](std::string_view line) { reader.read(line); });
  return reader.finish();
}

const CodeFunction* Listing::find(std::string_view name) const {
  for (const CodeFunction& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const char* name_of(Listing::Language language) {
  return language == Listing::Language::sass ? "SASS" : "PTX";
}

}  // namespace kernelloop
