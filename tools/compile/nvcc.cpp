#include "compile/nvcc.hpp"

#include "compile/front_end_messages.hpp"
#include "compile/text.hpp"
#include "support/confined_compiler.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <string_view>
#include <system_error>

namespace kernelloop {
namespace {

Command command_of(const NvccJob& job, const std::vector<std::string>& more) {
  Command command;
  // --keep puts the PTX beside the cubin in the same run; names are relative so that no message
  // shows the directory.
  command.arguments = {job.nvcc.string(),
                       "-cubin",
                       "-gencode=arch=compute_" + job.architecture + ",code=sm_" + job.architecture,
                       "-std=c++20",
                       "-lineinfo",
                       "--resource-usage",
                       "--keep",
                       "--keep-dir",
                       ".",
                       "-o",
                       "out.cubin"};
  for (const std::filesystem::path& directory : job.include_dirs) {
    command.arguments.push_back("-I" + directory.string());
  }
  command.arguments.insert(command.arguments.end(), job.options.begin(), job.options.end());
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  command.arguments.push_back(job.source.string());
  command.directory = job.work_dir;
  command.variables = {{"TMPDIR", job.work_dir.string()}, {"LC_ALL", "C"}};
  command.cpu_limit = std::chrono::ceil<std::chrono::seconds>(job.timeout);
  command.timeout = 10 * job.timeout;
  command.output_limit = job.output_limit;
  return command;
}

// Its own headers may stand beside the source.
ProcessResult run_confined(const NvccJob& job, const std::vector<std::string>& more) {
  CompilerFiles files;
  files.readable = {job.source.parent_path()};
  files.writable = job.work_dir;
  return run_compiler(command_of(job, more), files);
}

std::string all_messages(const ProcessResult& result) {
  return result.error_output + result.output;
}

// What a tool says about a place in the source, or quotes of it, cannot tell of the machine.
bool is_about_source(std::string_view line) {
  return line.empty() || line.front() == ' ' || line.front() == '\t' || is_located_message(line);
}

bool has_ptxas_error(std::string_view line) {
  return starts_with(line, "ptxas ") && !contains(line, "ption '") &&
         (contains(line, "; error ") || starts_with(line, "ptxas error ") ||
          starts_with(line, "ptxas fatal "));
}

// What the output of a failed run says.
struct Verdict {
  bool has_errors = false;  // of the source
  bool disk_full = false;
  bool bad_option = false;
  int tool_signal = 0;      // a tool under nvcc died of it
  std::string tool_line;    // the line that says so
  std::string other_lines;  // up to three that fit nowhere
};

Verdict read_messages(std::string_view messages) {
  Verdict verdict;
  int others = 0;
  for_each_line(messages, [&](std::string_view line) {
    if (has_ptxas_error(line)) {
      verdict.has_errors = true;
      return;
    }
    if (is_about_source(line)) {
      const bool error = contains(line, " error: ") || contains(line, ": error #") ||
                         contains(line, " fatal error: ");
      if (error && is_located_message(line)) verdict.has_errors = true;
      return;
    }
    if (contains(line, "No space left on device") || contains(line, "Disk quota exceeded") ||
        contains(line, "Read-only file system") || contains(line, "when writing output to") ||
        contains(line, "Could not open output file")) {
      verdict.disk_full = true;
    }
    const bool option = contains(line, "nknown option") || contains(line, "nrecognized") ||
                        contains(line, "nsupported gpu architecture") ||
                        contains(line, "is not defined for option") || contains(line, "option '");
    if (option && (contains(line, "fatal") || contains(line, "error"))) verdict.bad_option = true;
    if (const std::size_t at = line.find("died due to signal "); at != std::string_view::npos) {
      verdict.tool_signal = static_cast<int>(leading_number(line.substr(at + 19)));
      verdict.tool_line = trimmed(line);
    }
    if (!trimmed(line).empty() && others++ < 3) {
      verdict.other_lines += (others > 1 ? " | " : "") + std::string(trimmed(line));
    }
  });
  return verdict;
}

bool ran_out_of_time(const ProcessResult& result, const Verdict& verdict) {
  return result.timed_out || result.signal == SIGXCPU || verdict.tool_signal == SIGXCPU;
}

bool was_killed(const ProcessResult& result, const Verdict& verdict) {
  return result.signal == SIGKILL || verdict.tool_signal == SIGKILL;
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " ") + word;
  return result;
}

// nvcc runs its tools in a shell: one that dies of a signal ends nvcc with 128 + its number, and
// all that is printed is "Killed". (255 is nvcc's code for errors of the assembler.)
void read_exit_code(const ProcessResult& result, Verdict& verdict) {
  if (verdict.tool_signal != 0 || result.signal != 0 || result.timed_out) return;
  for (const int signal : {SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL,
                           SIGSEGV, SIGTERM, SIGXCPU}) {
    if (result.exit_code != 128 + signal) continue;
    verdict.tool_signal = signal;
    verdict.tool_line =
        fmt::format("a tool of nvcc was ended by signal {} ({})", signal,
                    verdict.other_lines.empty() ? "no message" : verdict.other_lines);
  }
}

Verdict read_failure(const ProcessResult& result) {
  Verdict verdict = read_messages(all_messages(result));
  read_exit_code(result, verdict);
  return verdict;
}

// Throws when the failure is not the version's.
void require_fault_of_source(const NvccJob& job, const ProcessResult& result,
                             const Verdict& verdict) {
  // The front end simply crashes on a full disk, so a look at the disk has to tell.
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(job.work_dir, error);
  const bool no_room = !error && space.available < (4u << 20);
  if (verdict.disk_full || (no_room && !verdict.has_errors)) {
    fail(ExitCode::io, "nvcc could not write to {}: {}; make room there, or set TMPDIR",
         job.work_dir.parent_path().string(),
         verdict.other_lines.empty() ? "no space left" : verdict.other_lines);
  }
  if (verdict.bad_option) {
    fail(ExitCode::bad_input,
         "nvcc refuses its options: {}; compile options are [{}], the architecture is {}; correct "
         "COMPILE_OPTIONS or ARCHITECTURES of add_kernel_op",
         verdict.other_lines, joined(job.options), job.architecture);
  }
  const bool interrupted = result.signal == SIGTERM || result.signal == SIGINT ||
                           verdict.tool_signal == SIGTERM || verdict.tool_signal == SIGINT;
  if (interrupted) {
    fail(ExitCode::environment, "nvcc was interrupted ({}); build again", result.describe());
  }
  if (verdict.has_errors || verdict.tool_signal != 0 || result.signal != 0) return;
  if (result.output_truncated) return;
  fail(ExitCode::environment,
       "nvcc failed for a reason of its own ({}): {}; run {} by hand to see; compile options are "
       "[{}]",
       result.describe(), verdict.other_lines.empty() ? "no message" : verdict.other_lines,
       job.nvcc.string(), joined(job.options));
}

// `name` as a line marker quotes it.
std::string unquoted(std::string_view quoted) {
  std::string name;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 1 < quoted.size()) ++i;
    name += quoted[i];
  }
  return name;
}

// The files that a preprocessed text enters, without those of the system: `# 1 "a/b.h" 1`. What the
// device's pass reads is in it, which no list of the host's pass (-MMD) need have; and that costs a
// pass of its own.
std::vector<std::filesystem::path> entered_files(std::string_view text) {
  std::vector<std::filesystem::path> result;
  for_each_line(text, [&](std::string_view line) {
    if (!starts_with(line, "# ")) return;
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (first == last) return;
    const std::string_view flags = line.substr(last + 1);
    if (!starts_with(flags, " 1") || contains(flags, " 3")) return;
    result.emplace_back(unquoted(line.substr(first + 1, last - first - 1)));
  });
  return result;
}

// nvcc's own headers are no system's: they stand where cuda_runtime.h, which it always reads, does.
std::vector<std::filesystem::path> foreign_files(const std::vector<std::filesystem::path>& files,
                                                 const NvccJob& job) {
  std::string toolkit;
  for (const std::filesystem::path& file : files) {
    if (file.filename() == "cuda_runtime.h") toolkit = file.parent_path().string() + "/";
  }
  std::vector<std::filesystem::path> result;
  for (const std::filesystem::path& file : files) {
    if (!toolkit.empty() && starts_with(file.string(), toolkit)) continue;
    const std::filesystem::path absolute =
        (file.is_absolute() ? file : job.work_dir / file).lexically_normal();
    std::error_code error;  // a string of several lines may look like a marker
    if (absolute != job.source.lexically_normal() &&
        std::filesystem::is_regular_file(absolute, error)) {
      result.push_back(absolute);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void collect_outputs(const NvccJob& job, NvccRun& run) {
  const std::filesystem::path ptx = job.work_dir / (job.source.stem().string() + ".ptx");
  if (std::filesystem::exists(ptx)) run.ptx = ptx;
  const std::filesystem::path preprocessed =
      job.work_dir / (job.source.stem().string() + ".cpp1.ii");
  if (std::filesystem::exists(preprocessed)) {
    run.dependencies = foreign_files(entered_files(read_file(preprocessed)), job);
  }
}

}  // namespace

NvccRun run_nvcc(const NvccJob& job) {
  NvccRun run;
  ProcessResult result = run_confined(job, {});
  Verdict verdict = read_failure(result);
  if (was_killed(result, verdict) && !ran_out_of_time(result, verdict)) {
    // Out of memory, most likely. It may have been the neighbours: once more before the source is
    // held to blame.
    result = run_confined(job, {});
    verdict = read_failure(result);
  }
  if (result.output_truncated && !result.succeeded() && !verdict.has_errors &&
      !ran_out_of_time(result, verdict)) {
    // The errors are behind what was kept.
    result = run_confined(job, {"-w", "-Xcompiler", "-w"});
    verdict = read_failure(result);
  }
  run.messages = all_messages(result);
  run.truncated = result.output_truncated;
  if (ran_out_of_time(result, verdict)) {
    run.outcome = NvccRun::Outcome::timed_out;
    return run;
  }
  if (!result.succeeded()) {
    require_fault_of_source(job, result, verdict);
    const bool died = verdict.tool_signal != 0 || result.signal != 0;
    run.outcome = died ? NvccRun::Outcome::crashed : NvccRun::Outcome::rejected;
    if (died) run.crash = verdict.tool_signal != 0 ? verdict.tool_line : result.describe();
    if (was_killed(result, verdict)) run.crash += "; out of memory, most likely";
    collect_outputs(job, run);
    return run;
  }
  run.outcome = NvccRun::Outcome::accepted;
  collect_outputs(job, run);
  run.cubin = job.work_dir / "out.cubin";
  if (!std::filesystem::exists(run.cubin) || run.ptx.empty()) {
    fail(
        ExitCode::environment,
        "{} says that it succeeded but wrote no cubin and PTX; do compile options [{}] change what "
        "it makes?",
        job.nvcc.string(), joined(job.options));
  }
  return run;
}

std::string nvcc_version(const std::filesystem::path& nvcc) {
  Command command;
  command.arguments = {nvcc.string(), "--version"};
  command.timeout = std::chrono::seconds(30);
  const ProcessResult result = run(command);
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const std::size_t at = result.output.find(", V");
  if (!result.succeeded() || at == std::string::npos) {
    fail(ExitCode::environment,
         "{} --version does not answer as nvcc does ({}); set KERNELLOOP_NVCC or repair the "
         "CUDA toolkit",
         nvcc.string(), result.describe());
  }
  const std::size_t start = at + 3;
  const std::size_t end = result.output.find_first_not_of("0123456789.", start);
  return "nvcc " + result.output.substr(start, end - start);
}

std::string normal_architecture(const std::string& architecture) {
  std::string_view text = architecture;
  if (!take_prefix(text, "sm_")) take_prefix(text, "compute_");
  if (text.size() > 5 && text.substr(text.size() - 5) == "-real") text.remove_suffix(5);
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  const std::string_view suffix = text.substr(digits);
  if (digits < 2 || digits > 3 || (!suffix.empty() && suffix != "a" && suffix != "f")) {
    fail(ExitCode::bad_input,
         "'{}' is no GPU architecture that can be compiled for; give a number such as 90a",
         architecture);
  }
  return std::string(text);
}

}  // namespace kernelloop
