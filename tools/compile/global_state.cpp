#include "compile/global_state.hpp"

#include "compile/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace kernelloop {
namespace {

using Words = std::vector<std::string>;

struct Split {
  Words target;   // st, red, atom, copies: the address that is written
  Words sources;  // the rest
};

// The first bracket group of an instruction that writes memory, and everything else.
Split split_address(const Words& operands) {
  Split result;
  const auto open = std::find(operands.begin(), operands.end(), "[");
  const auto close = std::find(open, operands.end(), "]");
  result.target.assign(open, close);
  if (close != operands.end()) result.sources.assign(close + 1, operands.end());
  return result;
}

// The destination of an ordinary instruction is what stands before the first comma outside braces.
Split split_destination(const Words& operands) {
  int depth = 0;
  for (auto at = operands.begin(); at != operands.end(); ++at) {
    if (*at == "{") ++depth;
    if (*at == "}") --depth;
    if (*at == "," && depth == 0) {
      return {Words(operands.begin(), at), Words(at + 1, operands.end())};
    }
  }
  return {};
}

bool writes_memory(const PtxInstruction& one) {
  const std::string_view base = one.base();
  if (base == "st" || base == "red" || base == "atom") return true;
  if (base == "cp" && one.has("bulk")) return !one.has("prefetch");
  if (base == "wmma") return one.has("store");
  return base == "multimem" && !one.has("ld_reduce");
}

// Use an address in brackets, and nothing of it is in their result.
bool only_reads(const PtxInstruction& one) {
  static constexpr std::array<std::string_view, 8> k_reads{
      "ld", "ldu", "prefetch", "prefetchu", "createpolicy", "applypriority", "fence", "cp"};
  const std::string_view base = one.base();
  return is_one_of(base, k_reads) || (base == "wmma" && one.has("load"));
}

// The words of an operand list that stand outside of brackets.
Words outside_brackets(const Words& operands) {
  Words result;
  int depth = 0;
  for (const std::string& word : operands) {
    if (word == "[") ++depth;
    if (word == "]") --depth;
    if (depth == 0 && word != "]") result.push_back(word);
  }
  return result;
}

// The operands, split at the commas outside of braces.
std::vector<Words> split_operands(const Words& operands) {
  std::vector<Words> result(1);
  int depth = 0;
  for (const std::string& word : operands) {
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (word == "," && depth == 0) {
      result.emplace_back();
    } else {
      result.back().push_back(word);
    }
  }
  return result;
}

bool is_small_number(const Words& operand) {
  return operand.size() == 1 && operand.front().size() <= 3 &&
         std::all_of(operand.front().begin(), operand.front().end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

class Tracker {
 public:
  explicit Tracker(const PtxCode& code) : code_(code) {
    // Those in constant memory too: nothing says that a store to a generic address of one faults.
    for (const PtxVariable& one : code.variables) variables_.insert(one.name);
  }

  std::vector<GlobalState> run() {
    if (variables_.empty()) return {};
    // Jumps may carry an address backwards: repeat until nothing new is learnt, and judge then.
    do {
      changed_ = false;
      visit_all();
    } while (changed_);
    judging_ = true;
    visit_all();
    // An address that stands in memory is anybody's.
    for (const PtxVariable& one : code_.variables) {
      report(held_by("", one.value), false, one.line);
    }
    std::vector<GlobalState> result;
    for (const auto& [name, state] : found_) result.push_back(state);
    return result;
  }

 private:
  // The variables whose address a word may hold.
  std::set<std::string> held_by(const std::string& function, const std::string& word) const {
    if (variables_.count(word) != 0) return {word};
    const auto found = registers_.find({function, word});
    return found == registers_.end() ? std::set<std::string>() : found->second;
  }

  std::set<std::string> held_by(const std::string& function, const Words& words) const {
    std::set<std::string> result;
    for (const std::string& word : words) result.merge(held_by(function, word));
    return result;
  }

  void visit_all() {
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) visit(i);
  }

  void report(const std::set<std::string>& variables, bool written, std::size_t line) {
    if (!judging_) return;
    for (const std::string& name : variables) {
      const auto [at, is_new] = found_.try_emplace(name, GlobalState{name, written, line});
      if (!is_new && written && !at->second.written) at->second = {name, written, line};
    }
  }

  void visit(std::size_t index) {
    const PtxInstruction& one = code_.instructions[index];
    const auto escapes = [&](const Words& words) {
      report(held_by(one.function, words), false, one.line);
    };
    if (one.base() == "call") {
      if (!calls_assert(one)) escapes(one.operands);
    } else if (writes_memory(one)) {
      const Split split = split_address(one.operands);
      report(held_by(one.function, split.target), true, one.line);
      const bool copies = one.base() == "cp";  // the sources are addresses that are read
      if (!passes_to_assert(index)) {
        escapes(copies ? outside_brackets(split.sources) : split.sources);
      }
    } else if (only_reads(one)) {
      // What stands before the first comma is the result of a load.
      Words words = outside_brackets(one.operands);
      if (one.base() == "ld" || one.base() == "ldu") words = split_destination(words).sources;
      escapes(words);
    } else if (one.base() != "isspacep") {
      const Split split = split_destination(one.operands);
      if (is_distance(one, split)) return;
      if (stays_address(one, split)) return carry(one.function, split);
      escapes(split.sources);
      // What has no result may use an address first: `tensormap.replace [%rd1], ...`.
      const bool has_result = !split.target.empty() && split.target.front() != "[";
      if (!has_result) escapes(one.operands);
    }
  }

  // Whether the result is an address and something added to it, if an operand is such: nothing that
  // counts an address twice, takes it away, or cuts it into pieces.
  [[nodiscard]] bool stays_address(const PtxInstruction& one, const Split& split) const {
    const std::vector<Words> operands = split_operands(split.sources);
    const auto holds = [&](std::size_t i) {
      return i < operands.size() && !held_by(one.function, operands[i]).empty();
    };
    static constexpr std::array<std::string_view, 4> k_moves{"mov", "cvta", "selp", "slct"};
    const std::string_view base = one.base();
    if (is_one_of(base, k_moves)) {
      return split.target.front() != "{" && operands.front().front() != "{";
    }
    if (base == "add" || base == "addc") return !(holds(0) && holds(1));
    if (base == "sub" || base == "subc") return !holds(1);
    if (base == "mad") return !holds(0) && !holds(1);
    return base == "or" && operands.size() == 2 && is_small_number(operands[1]);
  }

  // How far two places in one variable lie apart, or whether they are the same: says nothing of
  // where it is. Which of them comes first does, since a sum can wrap around.
  [[nodiscard]] bool is_distance(const PtxInstruction& one, const Split& split) const {
    const bool compares = one.base() == "setp" && (one.has("eq") || one.has("ne"));
    if (!compares && one.base() != "sub") return false;
    const std::vector<Words> operands = split_operands(split.sources);
    if (operands.size() != 2) return false;
    const std::set<std::string> left = held_by(one.function, operands[0]);
    return left.size() == 1 && left == held_by(one.function, operands[1]);
  }

  void carry(const std::string& function, const Split& split) {
    const std::set<std::string> held = held_by(function, split.sources);
    if (held.empty()) return;
    for (const std::string& word : split.target) {
      if (word.front() != '%' && !is_word(word.front())) continue;
      std::set<std::string>& known = registers_[{function, word}];
      const std::size_t before = known.size();
      known.insert(held.begin(), held.end());
      changed_ = changed_ || known.size() != before;
    }
  }

  static bool calls_assert(const PtxInstruction& one) {
    return std::find(one.operands.begin(), one.operands.end(), "__assertfail") !=
           one.operands.end();
  }

  // `st.param` fills in the parameters of the next call.
  bool passes_to_assert(std::size_t index) const {
    if (!code_.instructions[index].has("param")) return false;
    for (std::size_t i = index + 1; i < code_.instructions.size(); ++i) {
      const PtxInstruction& one = code_.instructions[i];
      if (one.function != code_.instructions[index].function) return false;
      if (one.base() == "call") return calls_assert(one);
    }
    return false;
  }

  const PtxCode& code_;
  std::set<std::string> variables_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> registers_;
  std::map<std::string, GlobalState> found_;
  bool changed_ = false;
  bool judging_ = false;
};

}  // namespace

std::vector<GlobalState> global_state(const PtxCode& code) { return Tracker(code).run(); }

}  // namespace kernelloop
