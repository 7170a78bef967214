#include "compile/assemble.hpp"

#include "support/confined_compiler.hpp"

#include <csignal>

namespace kernelloop {

AssembleRun assemble(const AssembleJob& job) {
  Command command;
  command.arguments = {job.ptxas.string(),
                       "-v",
                       "-lineinfo",
                       "-arch=sm_" + job.architecture,
                       std::filesystem::absolute(job.ptx).string(),
                       "-o",
                       "out.cubin"};
  command.directory = job.work_dir;
  command.cpu_limit = std::chrono::ceil<std::chrono::seconds>(job.timeout);
  command.timeout = 10 * job.timeout;
  CompilerFiles files;
  files.writable = job.work_dir;
  const ProcessResult result = run_compiler(command, files);
  AssembleRun assembled;
  assembled.messages = result.error_output + result.output;
  if (result.timed_out || result.signal == SIGXCPU) {
    assembled.outcome = AssembleRun::Outcome::timed_out;
  } else if (result.signal != 0) {
    assembled.outcome = AssembleRun::Outcome::crashed;
    assembled.crash = result.describe();
  } else if (result.succeeded()) {
    assembled.outcome = AssembleRun::Outcome::accepted;
    assembled.cubin = job.work_dir / "out.cubin";
  }
  return assembled;
}

}  // namespace kernelloop
