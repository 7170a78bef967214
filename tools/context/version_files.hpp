// The earlier versions of an operator, as files that a model may read: "versions/v003/kernel.cu".
#pragma once

#include "config/op_config.hpp"

#include "context/context_files.hpp"

#include <string>
#include <vector>

namespace kernelloop {

class VersionFiles {
 public:
  // Versions below number `before` (one past the last: all).
  VersionFiles(const OpConfig& config, int before);

  // "v001", ... : those that exist.
  [[nodiscard]] std::vector<std::string> versions() const;

  // What can be read of a version: kernel.cu, feedback.md (notes of a person), compile.json,
  // verify.json, bench.json, profile.json, trace.json, kernel.ptx, and kernel.sass where a
  // disassembler is there. Empty for a version that does not exist.
  [[nodiscard]] std::vector<std::string> files(const std::string& version) const;

  // `name` is "v003/kernel.cu". SASS is made from the cubin when it is asked for.
  [[nodiscard]] FileText read(const std::string& name) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(int version, const std::string& file) const;
  [[nodiscard]] std::string disassembly(const std::filesystem::path& cubin) const;

  const OpConfig& config_;
  int before_;
  std::vector<std::string> disassembler_;  // program and options; empty: none here
};

}  // namespace kernelloop
