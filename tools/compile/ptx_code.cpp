#include "compile/ptx_code.hpp"

#include "compile/ptx_tokens.hpp"
#include "compile/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kernelloop {
namespace {

// What an instruction can start with, by PTX ISA 9.0.
constexpr std::array k_opcodes = std::to_array<std::string_view>(
    {"abs",          "activemask",    "add",       "addc",       "alloca",
     "and",          "applypriority", "atom",      "bar",        "barrier",
     "bfe",          "bfi",           "bfind",     "bmsk",       "bra",
     "brev",         "brkpt",         "brx",       "call",       "clusterlaunchcontrol",
     "clz",          "cnot",          "copysign",  "cos",        "cp",
     "createpolicy", "cvt",           "cvta",      "discard",    "div",
     "dp2a",         "dp4a",          "elect",     "ex2",        "exit",
     "fence",        "fma",           "fns",       "getctarank", "griddepcontrol",
     "isspacep",     "istypep",       "ld",        "ldmatrix",   "ldu",
     "lg2",          "lop3",          "mad",       "mad24",      "madc",
     "mapa",         "match",         "max",       "mbarrier",   "membar",
     "min",          "mma",           "mov",       "movmatrix",  "mul",
     "mul24",        "multimem",      "nanosleep", "neg",        "not",
     "or",           "pmevent",       "popc",      "prefetch",   "prefetchu",
     "prmt",         "rcp",           "red",       "redux",      "rem",
     "ret",          "rsqrt",         "sad",       "selp",       "set",
     "setmaxnreg",   "setp",          "shf",       "shfl",       "shl",
     "shr",          "sin",           "slct",      "sqrt",       "st",
     "stackrestore", "stacksave",     "stmatrix",  "sub",        "subc",
     "suld",         "suq",           "sured",     "sust",       "szext",
     "tanh",         "tcgen05",       "tensormap", "testp",      "tex",
     "tld4",         "trap",          "txq",       "vabsdiff",   "vabsdiff2",
     "vabsdiff4",    "vadd",          "vadd2",     "vadd4",      "vavrg2",
     "vavrg4",       "vmad",          "vmax",      "vmax2",      "vmax4",
     "vmin",         "vmin2",         "vmin4",     "vote",       "vset",
     "vset2",        "vset4",         "vshl",      "vshr",       "vsub",
     "vsub2",        "vsub4",         "wgmma",     "wmma",       "xor"});

// Directives that go up to a ';' and concern neither code nor global memory.
constexpr std::array k_declarations = std::to_array<std::string_view>(
    {".reg", ".local", ".shared", ".param", ".tex", ".pragma", ".branchtargets", ".calltargets",
     ".callprototype", ".alias", ".callconv"});
constexpr std::array k_linkage =
    std::to_array<std::string_view>({".visible", ".extern", ".weak", ".common"});
constexpr std::array k_header =
    std::to_array<std::string_view>({".version", ".target", ".address_size", ".file"});

bool is_identifier(const std::string& word) {
  const char first = word.front();
  return std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_' || first == '$';
}

bool is_number(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

int depth_change(const std::string& text) {
  if (text == "(" || text == "[" || text == "{") return 1;
  return text == ")" || text == "]" || text == "}" ? -1 : 0;
}

class CodeReader {
 public:
  explicit CodeReader(std::vector<PtxToken> tokens) : tokens_(std::move(tokens)) {}

  PtxCode read() {
    while (at_ < tokens_.size()) statement();
    return std::move(code_);
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }
  [[nodiscard]] const std::string& text() const { return tokens_[at_].text; }

  void statement() {
    if (is(at_, ";") || is(at_, "{") || is(at_, "}")) {
      ++at_;
    } else if (text().front() == '.') {
      directive();
    } else if (text() != "@" && is(at_ + 1, ":")) {
      at_ += 2;  // a label
    } else {
      instruction();
    }
  }

  void directive() {
    if (is(at_, ".entry") || is(at_, ".func")) {
      function_ = function_name();
      skip_to("{", ";");
    } else if (is(at_, ".global") || is(at_, ".const")) {
      variables();
    } else if (is_one_of(text(), k_linkage)) {
      ++at_;
    } else if (is_one_of(text(), k_declarations)) {
      skip_to(";", ";");
    } else if (is_one_of(text(), k_header)) {
      // One word, or several with commas between; no ';' ends it.
      for (at_ += 2; is(at_, ","); at_ += 2) continue;
    } else if (is(at_, ".loc")) {
      location();
    } else if (is(at_, ".section")) {
      skip_to("{", "{");
      skip_block();
    } else {
      unread();
    }
  }

  // `.loc 1 2 3, function_name $L__info_string0, inlined_at 1 2 3`; no ';' ends it.
  void location() {
    ++at_;
    while (at_ < tokens_.size() && is_number(text())) ++at_;
    while (is(at_, ",")) {
      const bool names = is(at_ + 1, "function_name");
      at_ += names ? 3 : 2;
      if (names && is(at_, "+")) at_ += 2;
      while (at_ < tokens_.size() && is_number(text())) ++at_;
    }
  }

  // `.func (.param .b32 result) name`.
  [[nodiscard]] std::string function_name() const {
    int depth = 0;
    for (std::size_t i = at_ + 1; i < tokens_.size(); ++i) {
      const std::string& word = tokens_[i].text;
      if (word == ";" || word == "{") break;
      depth += depth_change(word);
      if (depth == 0 && is_identifier(word)) return word;
    }
    return {};
  }

  // `.global .align 4 .b8 table[16] = {...}, other;`
  void variables() {
    bool named = false;
    int depth = 0;  // of parentheses, brackets and braces: attributes, extents, first values
    for (++at_; at_ < tokens_.size() && !(depth == 0 && is(at_, ";")); ++at_) {
      depth += depth_change(text());
      if (depth == 0 && text() == ",") named = false;
      if (depth == 0 && text() == "=" && named) code_.variables.back().initialised = true;
      if (!is_identifier(text())) continue;
      if (named) {
        PtxVariable& variable = code_.variables.back();
        if (variable.initialised) variable.value.push_back(text());
      } else if (depth == 0) {
        code_.variables.push_back({text(), false, {}, tokens_[at_].line});
        named = true;
      }
    }
  }

  void instruction() {
    const std::size_t start = at_;
    if (is(at_, "@")) {
      at_ += is(at_ + 1, "!") ? 3 : 2;
      if (at_ >= tokens_.size()) return;
    }
    PtxInstruction one;
    one.line = tokens_[at_].line;
    one.function = function_;
    one.opcode = text();
    for (++at_; at_ < tokens_.size() && text().front() == '.'; ++at_) one.opcode += text();
    if (!is_one_of(one.base(), k_opcodes) || one.opcode.back() == '.') {
      at_ = start;
      unread();
      return;
    }
    for (; at_ < tokens_.size() && !is(at_, ";"); ++at_) {
      // Preprocessing, or a name in characters that PTX has not.
      if (text() == "#" || text() == "\\" || static_cast<unsigned char>(text().front()) >= 0x80) {
        code_.unread.push_back({text(), tokens_[at_].line});
      }
      one.operands.push_back(text());
    }
    code_.instructions.push_back(std::move(one));
  }

  void unread() {
    code_.unread.push_back({text(), tokens_[at_].line});
    ++at_;
    while (at_ < tokens_.size() && !is(at_, ";") && !is(at_, "{") && !is(at_, "}")) ++at_;
  }

  // To the next of two signs outside of parentheses.
  void skip_to(std::string_view one, std::string_view other) {
    int depth = 0;
    for (++at_; at_ < tokens_.size(); ++at_) {
      if (depth == 0 && (is(at_, one) || is(at_, other))) return;
      if (is(at_, "(")) ++depth;
      if (is(at_, ")")) --depth;
    }
  }

  void skip_block() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      depth += is(at_, "{") ? 1 : is(at_, "}") ? -1 : 0;
      if (depth == 0) break;
    }
  }

  std::vector<PtxToken> tokens_;
  std::size_t at_ = 0;
  std::string function_;
  PtxCode code_;
};

}  // namespace

std::string_view PtxInstruction::base() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

std::vector<std::string_view> PtxInstruction::modifiers() const {
  std::vector<std::string_view> result;
  std::string_view rest = opcode;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    result.push_back(rest.substr(0, rest.find('.')));
  }
  return result;
}

bool PtxInstruction::has(std::string_view modifier) const {
  const std::vector<std::string_view> all = modifiers();
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

PtxCode read_ptx_code(const std::vector<std::string>& lines) {
  return CodeReader(ptx_tokens(lines)).read();
}

}  // namespace kernelloop
