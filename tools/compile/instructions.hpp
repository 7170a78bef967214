// What the instructions of a version do, as far as a verdict may depend on it: the arithmetic they
// use, and constructs that could make a launch behave differently when it is measured.
#pragma once

#include "compile/ptx.hpp"
#include "compile/ptx_code.hpp"
#include "support/json.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kernelloop {

// Instructions of one opcode that a rule asks about.
struct InstructionFinding {
  // tensor_core       multiplies matrices; `inputs` and `accumulator` are PTX types
  // half_arithmetic   adds, multiplies, ... and rounds to float16 or bfloat16
  // half_reduction    adds to memory in float16 or bfloat16
  // approximate       a special function of limited precision (ex2.approx, ...); always allowed
  // cache_policy      asks the L2 cache to keep or to drop lines; allowed, and noted
  // dependent_launch  lets the next kernel start early
  // clock             reads a clock or a counter of launches
  std::string kind;
  std::string opcode;               // for `clock` the register: "%clock64"
  std::vector<std::string> inputs;  // tensor_core
  std::string accumulator;          // tensor_core; empty where only run time knows
  std::size_t count = 0;
  std::string function;       // of the first
  std::size_t ptx_line = 0;   // of the first, from 1
  std::size_t line = 0;       // of the first, in the version's source; 0 when unknown
  bool written_here = false;  // not by a header's code that was inlined; told apart for `clock`
};

struct Instructions {
  // How many arithmetic instructions of each class of the op spec's `cost.flops` there are.
  std::map<std::string, std::size_t> counts;
  std::vector<InstructionFinding> findings;  // by kind, then opcode
};

Instructions read_instructions(const PtxCode& code, const PtxModule& module);

// The member of `instructions` in compile.json for one architecture.
Json to_json(const Instructions& instructions);

}  // namespace kernelloop
