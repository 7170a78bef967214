// What a compiled version looks like from close by, for people (`kernelloop inspect`) and for
// models (their read tools): every function returns text that is ready to show.
#pragma once

#include "config/op_config.hpp"
#include "support/json.hpp"

#include "inspect/listing.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace kernelloop {

// The files of one compiled version.
struct VersionFiles {
  std::string op;
  std::string version;           // "v003"
  std::filesystem::path source;  // kernel.cu
  std::filesystem::path ptx;     // of the first architecture
  std::filesystem::path cubin;   // of the architecture that is looked at
  std::string architecture;      // "90a"
  std::filesystem::path nvcc;    // tools are looked for beside it; may be empty
  Json compiled;                 // compile.json
};

// Throws Error(bad_input) with what to run when the version is not compiled, was compiled without
// nvcc, or not for `architecture` (empty: the first).
VersionFiles version_files(const OpConfig& config, int version,
                           const std::string& architecture = {});

// SASS where this machine can disassemble, else PTX with a note of what is missing (`lacks`).
Listing listing_of(const VersionFiles& files);

// The PTX, as nvcc wrote it.
std::string ptx_text(const VersionFiles& files);
// The SASS. Throws Error(environment) naming the missing tools when nothing can disassemble.
std::string sass_text(const VersionFiles& files);
// What each kernel costs: registers, shared memory, spills, launch bounds, sizes of the files.
std::string resources_text(const VersionFiles& files);
// Instructions of each kernel by class, as a table, with the share inside the hot loop.
std::string histogram_text(const VersionFiles& files);
// The hot loop of each kernel: where it stands in the source, what it holds, its code. At most
// `max_lines` lines of code per kernel.
std::string loop_text(const VersionFiles& files, std::size_t max_lines = 200);
// From `before` to `after`: source, resources and instruction counts.
std::string difference_text(const VersionFiles& before, const VersionFiles& after);
// The same of one text alone. `what` is "ptx" or "sass"; addresses and labels are left out, so that
// code that only moved is no difference.
std::string code_difference_text(const VersionFiles& before, const VersionFiles& after,
                                 Listing::Language what);

}  // namespace kernelloop
