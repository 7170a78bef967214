// Compiles one version: source and plan in, artefacts and the body of compile.json out.
#pragma once

#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kernelloop {

struct Language;

struct CompileRequest {
  std::filesystem::path source;  // kernel.cu; its directory is "the version"
  // Receives kernel.cubin, kernel.ptx, kernel.cpu.so, and kernel.ir.* of other languages; created.
  std::filesystem::path output_dir;
  const OpSpec* spec = nullptr;  // what the plan is checked against; must not be null
  std::vector<std::string> architectures{"90a"};
  std::vector<std::string> options;     // extra nvcc options, appended
  std::filesystem::path nvcc;           // empty: there is none
  const Language* language = nullptr;   // of the source; null: CUDA C++
  bool for_cpu = false;                 // also build kernel.cpu.so
  std::filesystem::path host_compiler;  // for_cpu only
  // Holds kernelloop/...: trace.cuh, and the emulation layer of the CPU device.
  std::filesystem::path cpu_include_dir;
  // Builds with the marks of kernelloop/trace.cuh, and one around each kernel. Such a build records
  // what it does; nothing else may be done with it.
  bool traced = false;
  bool sanitize_cpu = true;  // build kernel.cpu.so with ASan and UBSan
  // CPU time of each compiler process; what takes longer is the version's fault. Ten times as much
  // wall time is allowed, so that a crowded machine is not.
  std::chrono::milliseconds timeout{60000};
  std::size_t output_limit = 4u << 20;  // bytes kept of the compiler's messages

  // Whether a language's adapter takes the place of nvcc and of the emulation.
  [[nodiscard]] bool uses_adapter() const;
};

// The members of compile.json (docs/formats.md) except `op` and `version`, which the caller puts
// in front. `status` is "compiled" or "failed". The same request gives the same bytes.
//
// A source that is wrong in whatever way is a value: `problems` says what to do, and output_dir
// then holds no artefact of it. Throws Error(environment) when nothing can be compiled with what is
// here (no nvcc for the CUDA device, a compiler that does not start or is broken), Error(io) when
// files cannot be read or written or the disk is full.
Json compile_version(const CompileRequest& request);

// Removes those artefacts of a version (kernel.cubin, kernel.ptx, ...) in `directory` whose file
// names `which` selects. Throws Error(io).
void remove_artifacts(const std::filesystem::path& directory,
                      const std::function<bool(const std::string&)>& which);

}  // namespace kernelloop
