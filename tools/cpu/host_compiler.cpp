#include "cpu/host_compiler.hpp"

#include "support/confined_compiler.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <utility>

namespace kernelloop {

namespace fs = std::filesystem;

namespace {

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::string ask(const fs::path& compiler, const std::vector<std::string>& question) {
  Command command;
  command.arguments = {compiler.string()};
  append(command.arguments, question);
  command.variables = {{"LC_ALL", "C"}};
  command.timeout = std::chrono::seconds(20);
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    fail(ExitCode::environment, "the host compiler {} does not answer {}: {}", compiler.string(),
         question.front(), result.describe());
  }
  return result.output;
}

bool is_clang(const fs::path& compiler) {
  const std::string macros = ask(compiler, {"-dM", "-E", "-x", "c++", "/dev/null"});
  if (macros.find("#define __clang__ ") != std::string::npos) return true;
  if (macros.find("#define __GNUC__ ") != std::string::npos) return false;
  fail(ExitCode::environment,
       "{} is neither g++ nor clang++; give the CPU device one of them as host compiler",
       compiler.string());
}

// What both steps must agree on.
std::vector<std::string> language_options(bool clang, bool sanitize) {
  // Kernels reinterpret memory and count on integers that wrap. Distributions that fortify by
  // themselves would make modules call other functions there than elsewhere.
  std::vector<std::string> options = {
      "-std=gnu++20", "-U_FORTIFY_SOURCE", "-fPIC", "-fno-exceptions", "-fno-strict-aliasing",
      "-fno-math-errno", "-ffp-contract=off", "-fvisibility=hidden", "-fno-threadsafe-statics",
      // What a local variable holds before it is written is no 0.
      "-ftrivial-auto-var-init=pattern", "-g1"};
  if (!clang) append(options, {"-fno-gnu-unique"});
  if (sanitize) {
    append(options, {"-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                     "-fno-sanitize=vptr", "-fno-sanitize-recover=all"});
    // Clang guards the constants (see cuda_rewriter.cpp) without being told.
    if (clang) append(options, {"-shared-libsan"});
    if (!clang) append(options, {"-fsanitize-sections=.data.rel.ro.*"});
  } else {
    append(options, {"-O2", "-fwrapv"});
  }
  return options;
}

std::vector<std::string> warning_options(bool clang) {
  std::vector<std::string> options = {"-Wall", "-Wno-unused", "-Wno-unknown-pragmas",
                                      "-Wno-sign-compare"};
  if (clang) append(options, {"-Wno-unused-command-line-argument", "-Wno-pass-failed"});
  return options;
}

}  // namespace

HostCompiler::HostCompiler(const CpuBuildRequest& request)
    : request_(request), deadline_(std::chrono::steady_clock::now() + request.timeout) {
  if (find_program(request.compiler.string()).empty()) {
    fail(ExitCode::environment,
         "there is no host compiler '{}'; install g++ or clang++, or name one for the CPU device",
         request.compiler.string());
  }
  clang_ = is_clang(request.compiler);
}

HostCompiler::Outcome HostCompiler::invoke(std::vector<std::string> arguments,
                                           const fs::path& output) const {
  Command command;
  command.arguments = {request_.compiler.string()};
  append(command.arguments, std::move(arguments));
  // Messages then name the file as it is called, whatever the checkout's path.
  command.directory = request_.source.parent_path();
  command.variables = {{"LC_ALL", "C"},
                       {"CPATH", ""},
                       {"C_INCLUDE_PATH", ""},
                       {"CPLUS_INCLUDE_PATH", ""},
                       {"GCC_COLORS", ""}};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline_ - std::chrono::steady_clock::now());
  command.timeout = std::max(left, std::chrono::milliseconds(1));
  CompilerFiles files;
  files.readable = {request_.source.parent_path(), request_.include_dir};
  files.writable = output.parent_path();
  const ProcessResult result = run_compiler(command, files);
  Outcome outcome;
  outcome.succeeded = result.succeeded();
  outcome.timed_out = result.timed_out;
  outcome.messages = result.error_output;
  if (!outcome.succeeded && !outcome.timed_out && outcome.messages.empty()) {
    outcome.messages = "the host compiler ended with " + result.describe();
  }
  return outcome;
}

HostCompiler::Outcome HostCompiler::preprocess(const fs::path& output) const {
  const fs::path layer = request_.include_dir / "kernelloop" / "cpu";
  std::vector<std::string> arguments = language_options(clang_, request_.sanitize);
  append(arguments, {"-E", "-x", "c++", "-isystem", (layer / "headers").string(), "-isystem",
                     request_.include_dir.string(), "-include", "cuda_runtime.h"});
  // What nvcc's device pass defines. The features of sm_90a stay undefined: code that has a
  // portable branch takes it.
  append(arguments, {"-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDA_ARCH__=900"});
  for (const std::string& define : request_.defines) arguments.push_back("-D" + define);
  // Warnings of a library are none of the candidate's.
  for (const std::string& directory : request_.include_dirs) {
    arguments.insert(arguments.end(), {"-isystem", directory});
  }
  append(arguments, {request_.source.filename().string(), "-o", output.string()});
  return invoke(std::move(arguments), output);
}

HostCompiler::Outcome HostCompiler::build(const fs::path& input, const fs::path& exports,
                                          const fs::path& output) const {
  std::vector<std::string> arguments = language_options(clang_, request_.sanitize);
  append(arguments, warning_options(clang_));
  append(arguments, {"-shared", "-Wl,-z,relro,-z,now,-z,noexecstack",
                     "-Wl,--version-script=" + exports.string()});
  if (request_.sanitize) {
    // Where the worker finds the runtime: that of clang, or of a compiler of one's own, is in no
    // place where the loader looks.
    append(arguments, {"-Xlinker", "-rpath", "-Xlinker",
                       asan_runtime(request_.compiler).parent_path().string()});
  }
  append(arguments, {"-x", "c++-cpp-output", input.string(), "-o", output.string()});
  return invoke(std::move(arguments), output);
}

fs::path asan_runtime(const fs::path& compiler) {
  std::string name = "libasan.so";
  if (is_clang(compiler)) {
#if defined(__aarch64__)
    name = "libclang_rt.asan-aarch64.so";
#else
    name = "libclang_rt.asan-x86_64.so";
#endif
  }
  std::string answer = ask(compiler, {"-print-file-name=" + name});
  while (!answer.empty() && (answer.back() == '\n' || answer.back() == '\r')) answer.pop_back();
  std::error_code error;
  // A compiler that has no such file answers with the bare name.
  fs::path resolved = fs::canonical(answer, error);
  if (answer == name || error) {
    fail(ExitCode::environment,
         "the host compiler {} has no {}; install its AddressSanitizer runtime", compiler.string(),
         name);
  }
  return resolved;
}

std::map<std::string, std::string> sanitizer_environment(const fs::path& compiler) {
  const std::string common = "exitcode=" + std::to_string(k_sanitizer_exit_code);
  return {{"LD_PRELOAD", asan_runtime(compiler).string()},
          {"ASAN_OPTIONS", common + ":detect_leaks=0:detect_stack_use_after_return=0:"
                                    "allow_user_segv_handler=0:abort_on_error=0"},
          {"UBSAN_OPTIONS", common + ":print_stacktrace=1"}};
}

}  // namespace kernelloop
