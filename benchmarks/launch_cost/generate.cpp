// Makes the library of one version without adopting it: header and launcher.
//   generate <op.json> <kernel.cu> <nvcc> <architecture> <output directory>   compiles it first
//   generate <op.json> <compile.json> <output directory>                      as a build compiled
//   it
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

void generate(const OpSpec& spec, const std::filesystem::path& compile_json,
              const std::filesystem::path& output) {
  const CompiledVersion compiled = load_compiled_version(compile_json, spec, "cuda");
  if (compiled.availability != CompiledVersion::Availability::built) {
    fail(ExitCode::bad_input, "{} tells of a version that does not compile: {}",
         compile_json.string(),
         compiled.reason.empty() ? compiled.artifact_reason : compiled.reason);
  }
  const auto& [architecture, cubin] = *compiled.cubins.begin();
  const ShippedVersion version{compiled.version,       {architecture}, compiled.source_sha256,
                               "nothing: a benchmark", compiled.plan,  compiled.kernels,
                               read_file(cubin)};
  const LauncherSource text = launcher_source(spec, {version});
  write_file_if_changed(output / (spec.name + ".h"), text.header);
  write_file_if_changed(output / (spec.name + ".cpp"), text.source);
}

std::filesystem::path compile(const OpSpec& spec, const std::filesystem::path& source,
                              const std::filesystem::path& nvcc, const std::string& architecture,
                              const std::filesystem::path& output) {
  CompileRequest request;
  request.source = source;
  request.output_dir = output;
  request.spec = &spec;
  request.architectures = {architecture};
  request.nvcc = nvcc;
  Json json = {{"schema_version", 1}, {"op", spec.name}, {"version", "v001"}};
  json.update(compile_version(request));
  std::filesystem::path compile_json = output / "compile.json";
  write_file_atomic(compile_json, to_text(json));
  return compile_json;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6) {
    fmt::print(stderr,
               "usage: generate <op.json> <kernel.cu> <nvcc> <architecture> <directory>\n"
               "       generate <op.json> <compile.json> <directory>\n");
    return 2;
  }
  try {
    const OpSpec spec = load_op_spec(argv[1]);
    const std::filesystem::path output = argv[argc - 1];
    generate(spec, argc == 4 ? argv[2] : compile(spec, argv[2], argv[3], argv[4], output), output);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "generate: {}\n", error.what());
    return 1;
  }
}
