// The loops of a function, found in its flow graph.
#pragma once

#include "inspect/instruction_class.hpp"
#include "inspect/listing.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace kernelloop {

// How often each class stands in a piece of code; indexes as in k_instruction_classes.
using ClassCounts = std::array<std::size_t, k_instruction_classes.size()>;

ClassCounts count_classes(Listing::Language language, const CodeFunction& function);

struct Loop {
  std::size_t head = 0;           // index of its first instruction
  std::vector<std::size_t> body;  // indexes, ascending; code far away may belong to it
  std::size_t depth = 1;          // 1: in no other loop
  bool innermost = true;          // no other loop inside
  ClassCounts counts{};           // of the body
  std::size_t work = 0;           // counts weighted by the classes' `work`
  std::pair<std::size_t, std::size_t> lines{0, 0};  // of the source; 0 when unknown
};

// Natural loops: a jump back to an instruction that every way to the jump passes. A jump back from
// out-of-line code into the middle of something is none. Loops with one head are one. In the order
// of their heads. Code behind an indirect jump counts as unreached.
std::vector<Loop> find_loops(Listing::Language language, const CodeFunction& function);

// The innermost loop with the most work, of equals the first; nothing when there is no loop.
std::optional<Loop> hot_loop(const std::vector<Loop>& loops);

}  // namespace kernelloop
