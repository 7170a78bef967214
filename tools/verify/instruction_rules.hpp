// The instruction policy: whether the instructions of a version are those of the arithmetic that
// its op declares. Judged from compile.json, as part of the rung `build`.
#pragma once

#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <string>
#include <vector>

namespace kernelloop {

struct InstructionVerdict {
  // "tensor_core_input: line 12: ..." for every rule that is broken; nothing when all is well.
  std::vector<std::string> violations;
  std::vector<std::string> notes;  // what is allowed and worth knowing
};

// `instructions` is that member of compile.json (by architecture); null or empty where no nvcc read
// the source: then nothing is known. Throws Json::exception when it is malformed.
InstructionVerdict judge_instructions(const Json& instructions, const OpSpec& spec);

}  // namespace kernelloop
