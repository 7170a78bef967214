// The propose step: one version of one op, from the question to the published directory.
#pragma once

#include "config/op_config.hpp"
#include "propose/compiler.hpp"
#include "propose/reading_tool.hpp"
#include "propose/user_config.hpp"
#include "spec/op_spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kernelloop {

struct ProposeRequest {
  const OpConfig* config = nullptr;
  const OpSpec* spec = nullptr;
  const UserConfig* user = nullptr;
  Compiler* compiler = nullptr;
  int version = 1;
  std::vector<ReadingTool*> tools;  // what the model may read with; empty: nothing
  ToolLimits tool_limits;
  std::vector<std::string> courier;       // program and leading arguments
  std::uintmax_t room_bytes = 64u << 20;  // disk space without which nothing is asked
};

// Writes proposed.json, and <generated>/<op>/vNNN/ unless it is there: then nothing is asked. When
// the round before decided to stop, or a recording ends, the status is "stopped". Returns one line
// for the user. Throws Error(waiting) for the manual provider, Error(provider), Error(io), ...;
// nothing is half-written then and no answer is lost.
std::string propose(const ProposeRequest& request);

}  // namespace kernelloop
