// The C++ text of an operator's library: a typed header and the launcher behind it.
#pragma once

#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"

#include <string>
#include <vector>

namespace kernelloop {

// An adopted version as the library holds it.
struct ShippedVersion {
  std::string version;                     // "v004"
  std::vector<std::string> architectures;  // "90a"; what `image` has code for
  std::string source_sha256;
  std::string verified_on;  // "NVIDIA H200"
  LaunchPlan plan;
  KernelTable kernels;  // parameter sizes decide between int32 and int64
  std::string image;    // bytes of a cubin or a fatbin
};

struct LauncherSource {
  std::string header;  // <op>.h: C++17, the CUDA runtime's headers only
  std::string source;  // <op>.cpp: the same, and kernelloop/launcher.hpp
};

// `versions` must not be empty; a device gets the first that runs on it. The same input gives the
// same text. Throws Error(bad_input) for a spec whose names C++ cannot use or a plan that does not
// fit its kernels.
LauncherSource launcher_source(const OpSpec& spec, const std::vector<ShippedVersion>& versions);

// "90a" -> {9, 0, 'a'} as text "{9, 0, 'a'}". Throws Error(bad_input) for what is no architecture.
std::string target_text(const std::string& architecture);

// `text` as // comment lines: nothing in it can end the comment.
std::string comment_text(const std::string& text);

}  // namespace kernelloop
