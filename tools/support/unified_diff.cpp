#include "support/unified_diff.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

namespace kernelloop {

std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& before_name, const std::string& after_name) {
  if (before == after) return "no difference\n";
  if (find_program("diff").empty()) {
    return "the program diff is not on this machine (package diffutils); nothing can be compared\n";
  }
  const TemporaryDirectory directory;
  write_file_atomic(directory.path() / "before", before);
  write_file_atomic(directory.path() / "after", after);
  Command command;
  command.arguments = {"diff",    "--unified=3", "--label", before_name,
                       "--label", after_name,    "before",  "after"};
  command.directory = directory.path();
  const ProcessResult result = run(command);
  if (result.signal != 0 || result.timed_out || result.exit_code > 1) {
    fail(ExitCode::environment, "diff failed ({}): {}", result.describe(), result.error_output);
  }
  return result.output;
}

}  // namespace kernelloop
