// The earlier versions of an operator, as files that a model may read: "v003/kernel.cu".
#pragma once

#include "config/op_config.hpp"

#include "context/context_files.hpp"

#include <string>
#include <vector>

namespace kernelloop {

class EarlierVersions {
 public:
  // Versions below number `before` (one past the last: all).
  EarlierVersions(const OpConfig& config, int before);

  // "v001", ... : those that exist.
  [[nodiscard]] std::vector<std::string> versions() const;

  // What can be read of a version: kernel.cu, feedback.md (notes of a person), what the steps wrote
  // (compile.json, verify.json, bench.json, profile.json, trace.json, kernel.ptx), and what is made
  // when it is asked for: resources.txt, instructions.txt (counts by class), loop.txt (the hot
  // loop), and kernel.sass where a disassembler is there. Empty for a version that does not exist.
  [[nodiscard]] std::vector<std::string> files(const std::string& version) const;

  // Whether reading it runs a program.
  [[nodiscard]] static bool is_made(const std::string& file);

  // `name` is "v003/kernel.cu". Paths of this machine are left out.
  [[nodiscard]] FileText read(const std::string& name) const;

 private:
  [[nodiscard]] bool is_there(int version, const std::string& file) const;

  const OpConfig& config_;
  int before_;
  bool can_disassemble_;
};

}  // namespace kernelloop
