#include "compile/global_state.hpp"

#include "compile/text.hpp"

#include <algorithm>
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

// Loads and comparisons: their result is no address, whatever they are given.
bool drops_addresses(const PtxInstruction& one) {
  const std::string_view base = one.base();
  return base == "ld" || base == "ldu" || base == "setp" || base == "set" || base == "isspacep";
}

class Tracker {
 public:
  explicit Tracker(const PtxCode& code) : code_(code) {
    for (const PtxVariable& one : code.variables) variables_.insert(one.name);
  }

  std::vector<GlobalState> run() {
    if (variables_.empty()) return {};
    // Jumps may carry an address backwards: repeat until nothing new is learnt.
    do {
      changed_ = false;
      for (std::size_t i = 0; i < code_.instructions.size(); ++i) visit(i);
    } while (changed_);
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

  void report(const std::set<std::string>& variables, bool written, std::size_t line) {
    for (const std::string& name : variables) {
      const auto [at, is_new] = found_.try_emplace(name, GlobalState{name, written, line});
      if (!is_new && written && !at->second.written) at->second = {name, written, line};
    }
  }

  void visit(std::size_t index) {
    const PtxInstruction& one = code_.instructions[index];
    if (drops_addresses(one)) return;
    if (one.base() == "call") {
      if (!calls_assert(one)) report(held_by(one.function, one.operands), false, one.line);
      return;
    }
    if (writes_memory(one)) {
      const Split split = split_address(one.operands);
      report(held_by(one.function, split.target), true, one.line);
      const bool copies = one.base() == "cp";  // the sources are addresses that are read
      if (!copies && !passes_to_assert(index)) {
        report(held_by(one.function, split.sources), false, one.line);
      }
    }
    const Split split = split_destination(one.operands);
    const std::set<std::string> held = held_by(one.function, split.sources);
    if (held.empty() || writes_memory(one)) return;
    for (const std::string& word : split.target) {
      if (word.front() != '%' && !is_word(word.front())) continue;
      std::set<std::string>& known = registers_[{one.function, word}];
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
};

}  // namespace

std::vector<GlobalState> global_state(const PtxCode& code) { return Tracker(code).run(); }

}  // namespace kernelloop
