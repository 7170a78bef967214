#include "compile/text.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/version.hpp"

#include "inspect/disassembler.hpp"
#include "inspect/inspect.hpp"

namespace kernelloop {
namespace {

// The cubin for `architecture`; of the first when that is empty.
void choose_cubin(const Json& artifact, const std::string& architecture, VersionFiles& files) {
  std::string wanted = architecture;
  std::string_view number = wanted;
  if (take_prefix(number, "sm_")) wanted = number;
  if (wanted.empty()) wanted = text_member(artifact, "architecture");
  const Json& cubins = member(artifact, "cubins");
  files.architecture = wanted;
  files.cubin = text_member(cubins, wanted.c_str());
  if (!files.cubin.empty()) return;
  std::string known;
  for (const auto& [name, path] : cubins.items()) known += (known.empty() ? "" : ", ") + name;
  fail(ExitCode::bad_input, "{} {} is not compiled for architecture {}, only for {}", files.op,
       files.version, wanted, known);
}

Listing sass_listing(const VersionFiles& files, const Disassembler& disassembler) {
  Listing listing;
  listing.language = Listing::Language::sass;
  listing.functions =
      read_sass(disassemble(disassembler, files.cubin), files.source.filename().string());
  listing.made_by = version_of(disassembler);
  if (disassembler.kind == Disassembler::Kind::cuobjdump) {
    listing.lacks =
        "nvdisasm is not on this machine; cuobjdump was used, which knows no source "
        "lines";
  }
  return listing;
}

}  // namespace

VersionFiles version_files(const OpConfig& config, int version, const std::string& architecture) {
  VersionFiles files;
  files.op = config.op;
  files.version = version_name(version);
  files.nvcc = config.nvcc;
  const std::filesystem::path file = config.step_dir(version) / "compile.json";
  files.compiled = read_json_if_there(file);
  if (files.compiled.is_null()) {
    fail(ExitCode::bad_input, "{} {} is not compiled yet; build {}", files.op, files.version,
         file.string());
  }
  if (const std::string status = text_member(files.compiled, "status"); status != "compiled") {
    const std::string reason = text_member(files.compiled, "reason");
    fail(ExitCode::bad_input, "{} {} has no machine code: {}{}", files.op, files.version, status,
         reason.empty() ? "" : ", " + reason);
  }
  files.source = text_member(files.compiled, "source");
  const Json& artifact = member(member(files.compiled, "artifacts"), "cuda");
  if (text_member(artifact, "status") != "built") {
    fail(ExitCode::bad_input,
         "{} {} was compiled without nvcc: there is no PTX and no SASS of it; install the CUDA "
         "toolkit and build {} again",
         files.op, files.version, file.string());
  }
  files.ptx = text_member(artifact, "ptx");
  choose_cubin(artifact, architecture, files);
  return files;
}

Listing listing_of(const VersionFiles& files) {
  const Disassembler disassembler = find_disassembler(files.nvcc);
  if (disassembler.kind != Disassembler::Kind::none) return sass_listing(files, disassembler);
  Listing listing;
  listing.language = Listing::Language::ptx;
  listing.functions = read_ptx(read_file(files.ptx), files.source.filename().string());
  listing.made_by = "nvcc";
  listing.lacks =
      "neither nvdisasm nor cuobjdump is on this machine; the PTX was used, which ptxas still "
      "unrolls, schedules and spills: counts and loops of the real code differ";
  return listing;
}

std::string ptx_text(const VersionFiles& files) { return read_file(files.ptx); }

std::string sass_text(const VersionFiles& files) {
  return disassemble(find_disassembler(files.nvcc), files.cubin);
}

}  // namespace kernelloop
