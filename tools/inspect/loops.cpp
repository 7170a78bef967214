#include "inspect/loops.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kernelloop {
namespace {

constexpr std::size_t k_none = CodeInstruction::k_nowhere;

// Straight pieces of code and where they lead to.
struct Graph {
  struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;  // one past the last instruction
    std::vector<std::size_t> successors;
    std::vector<std::size_t> predecessors;
  };
  std::vector<Block> blocks;

  explicit Graph(const CodeFunction& function) {
    const auto& code = function.instructions;
    std::set<std::size_t> leaders{0};
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].target != k_none) leaders.insert(code[i].target);
      const bool turns = code[i].target != k_none || !code[i].falls_through;
      if (turns && i + 1 < code.size()) leaders.insert(i + 1);
    }
    std::map<std::size_t, std::size_t> block_at;
    for (const std::size_t leader : leaders) {
      if (!blocks.empty()) blocks.back().end = leader;
      block_at[leader] = blocks.size();
      blocks.push_back({leader, code.size(), {}, {}});
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].begin == blocks[b].end) continue;
      const CodeInstruction& last = code[blocks[b].end - 1];
      if (last.falls_through && b + 1 < blocks.size()) connect(b, b + 1);
      if (last.target != k_none) connect(b, block_at[last.target]);
    }
  }

  void connect(std::size_t from, std::size_t to) {
    blocks[from].successors.push_back(to);
    blocks[to].predecessors.push_back(from);
  }

  // Blocks that can be reached, each behind one of its predecessors at least.
  [[nodiscard]] std::vector<std::size_t> reverse_postorder() const {
    std::vector<std::size_t> order;
    std::vector<int> state(blocks.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
    state[0] = 1;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < blocks[block].successors.size()) {
        const std::size_t to = blocks[block].successors[next++];
        if (state[to] == 0) {
          state[to] = 1;
          stack.emplace_back(to, 0);
        }
      } else {
        order.push_back(block);
        stack.pop_back();
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  // The nearest block that every way to a block passes; the entry is its own, k_none: unreached.
  [[nodiscard]] std::vector<std::size_t> dominators() const {
    const std::vector<std::size_t> order = reverse_postorder();
    std::vector<std::size_t> position(blocks.size(), k_none);
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    std::vector<std::size_t> nearest(blocks.size(), k_none);
    nearest[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t found = k_none;
        for (std::size_t from : blocks[order[i]].predecessors) {
          if (nearest[from] == k_none) continue;
          while (found != k_none && found != from) {
            if (position[from] > position[found]) {
              from = nearest[from];
            } else {
              found = nearest[found];
            }
          }
          found = from;
        }
        if (nearest[order[i]] != found) {
          nearest[order[i]] = found;
          changed = true;
        }
      }
    }
    return nearest;
  }
};

bool dominates(const std::vector<std::size_t>& nearest, std::size_t above, std::size_t below) {
  while (below != above) {
    if (nearest[below] == k_none || nearest[below] == below) return false;
    below = nearest[below];
  }
  return true;
}

// The blocks from which `tail` can be reached without passing `head`.
void grow(const Graph& graph, const std::vector<std::size_t>& nearest, std::size_t head,
          std::size_t tail, std::set<std::size_t>& blocks) {
  std::vector<std::size_t> open{tail};
  blocks.insert(head);
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (!blocks.insert(block).second) continue;
    for (const std::size_t from : graph.blocks[block].predecessors) {
      if (nearest[from] != k_none) open.push_back(from);
    }
  }
}

void add(ClassCounts& counts, Listing::Language language, const CodeInstruction& one) {
  ++counts[class_of(language, one)];
}

Loop describe(Listing::Language language, const CodeFunction& function, const Graph& graph,
              std::size_t head, const std::set<std::size_t>& blocks) {
  Loop loop;
  loop.head = graph.blocks[head].begin;
  for (const std::size_t block : blocks) {
    for (std::size_t i = graph.blocks[block].begin; i < graph.blocks[block].end; ++i) {
      loop.body.push_back(i);
      add(loop.counts, language, function.instructions[i]);
      const std::size_t line = function.instructions[i].source_line;
      if (line == 0) continue;
      if (loop.lines.first == 0 || line < loop.lines.first) loop.lines.first = line;
      loop.lines.second = std::max(loop.lines.second, line);
    }
  }
  for (std::size_t c = 0; c < loop.counts.size(); ++c) {
    loop.work += loop.counts[c] * static_cast<std::size_t>(k_instruction_classes[c].work);
  }
  return loop;
}

}  // namespace

ClassCounts count_classes(Listing::Language language, const CodeFunction& function) {
  ClassCounts counts{};
  for (const CodeInstruction& one : function.instructions) add(counts, language, one);
  return counts;
}

std::vector<Loop> find_loops(Listing::Language language, const CodeFunction& function) {
  if (function.instructions.empty()) return {};
  const Graph graph(function);
  const std::vector<std::size_t> nearest = graph.dominators();
  std::map<std::size_t, std::set<std::size_t>> found;  // blocks, by head
  for (std::size_t tail = 0; tail < graph.blocks.size(); ++tail) {
    if (nearest[tail] == k_none) continue;
    for (const std::size_t head : graph.blocks[tail].successors) {
      if (dominates(nearest, head, tail)) grow(graph, nearest, head, tail, found[head]);
    }
  }
  std::vector<Loop> loops;
  for (const auto& [head, blocks] : found) {
    loops.push_back(describe(language, function, graph, head, blocks));
    for (const auto& [other, others] : found) {
      if (other != head && others.count(head) != 0) ++loops.back().depth;
      if (other != head && blocks.count(other) != 0) loops.back().innermost = false;
    }
  }
  return loops;
}

std::optional<Loop> hot_loop(const std::vector<Loop>& loops) {
  const Loop* best = nullptr;
  for (const Loop& loop : loops) {
    if (loop.innermost && (best == nullptr || loop.work > best->work)) best = &loop;
  }
  return best == nullptr ? std::nullopt : std::optional<Loop>(*best);
}

}  // namespace kernelloop
