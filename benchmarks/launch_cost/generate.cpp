// Makes the library of one kernel without adopting it: compiles it, generates header and launcher.
//   generate <op.json> <kernel.cu> <nvcc> <architecture> <output directory>
#include "compile/compile.hpp"
#include "product/launcher_source.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "verify/compiled_version.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace {

using namespace kernelloop;

void generate(const std::filesystem::path& spec_file, const std::filesystem::path& source,
              const std::filesystem::path& nvcc, const std::string& architecture,
              const std::filesystem::path& output) {
  const OpSpec spec = load_op_spec(spec_file);
  CompileRequest request;
  request.source = source;
  request.output_dir = output;
  request.spec = &spec;
  request.architectures = {architecture};
  request.nvcc = nvcc;
  Json json = {{"schema_version", 1}, {"op", spec.name}, {"version", "v001"}};
  json.update(compile_version(request));
  write_file_atomic(output / "compile.json", to_text(json));
  const CompiledVersion compiled = load_compiled_version(output / "compile.json", spec, "cuda");
  if (compiled.availability != CompiledVersion::Availability::built) {
    fail(ExitCode::bad_input, "{} does not compile: {}", source.string(),
         compiled.reason.empty() ? compiled.artifact_reason : compiled.reason);
  }
  const ShippedVersion version{
      "v001",        {architecture},   sha256_of_file(source),           "nothing: a benchmark",
      compiled.plan, compiled.kernels, read_file(compiled.artifact.path)};
  const LauncherSource text = launcher_source(spec, {version});
  write_file_if_changed(output / (spec.name + ".h"), text.header);
  write_file_if_changed(output / (spec.name + ".cpp"), text.source);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: generate <op.json> <kernel.cu> <nvcc> <architecture> <directory>\n");
    return 2;
  }
  try {
    generate(argv[1], argv[2], argv[3], argv[4], argv[5]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "generate: {}\n", error.what());
    return 1;
  }
}
