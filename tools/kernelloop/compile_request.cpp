#include "kernelloop/compile_request.hpp"

#include "languages/version_source.hpp"

namespace kernelloop {

CompileRequest compile_request(const OpConfig& config, const OpSpec& spec,
                               const std::filesystem::path& source,
                               const std::filesystem::path& output_dir) {
  CompileRequest request;
  request.source = source;
  request.output_dir = output_dir;
  request.spec = &spec;
  request.language = language_of_source(source);
  if (!config.architectures.empty()) request.architectures = config.architectures;
  request.options = config.compile_options;
  request.nvcc = config.nvcc;
  request.for_cpu = config.device == "cpu";
  request.host_compiler = config.host_compiler;
  request.cpu_include_dir = config.cpu_include_dir;
  return request;
}

}  // namespace kernelloop
