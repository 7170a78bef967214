// A device step as a folder that is complete in itself: the same folder runs here, on a host
// without this build tree, twice, or later.
//
//   <address>/bundle.json    the step, its command line, the hash of every file
//   <address>/<option>/...   the files, by the option that names them
//   <address>/result.json    once it ran: exit code, what it printed, the files it wrote
//
// The address is the SHA-256 of bundle.json, and with it of all that is in the folder. Seeds are
// drawn by the step when it runs and are no part of it.
#pragma once

#include "support/json.hpp"

#include "bundle/step_line.hpp"

#include <filesystem>
#include <string>

namespace kernelloop {

// Makes the bundle of a step below `into` and returns its folder; one that is there already is
// taken as it is. `program` is the kernelloop-device that shall run it. Throws Error(io) for a file
// that cannot be read, Error(usage) for a line that is none of a step.
std::filesystem::path make_bundle(const StepLine& line, const std::filesystem::path& program,
                                  const std::filesystem::path& into);

struct Bundle {
  std::filesystem::path directory;
  std::string address;
  std::string program_sha256;
  // KERNELLOOP_SANDBOX was `required` where it was made, and is so wherever it runs.
  bool sandbox_required = false;
  StepLine line;  // inputs relative to the folder; "{out}" and "{cache}" stand for directories
};

// Throws Error(bad_input) unless every file is there with its hash.
Bundle load_bundle(const std::filesystem::path& directory);

// Runs the step with `program` and returns the content of result.json, whatever the step's exit
// code. `cache` keeps what was measured of this host's devices.
Json run_bundle(const Bundle& bundle, const std::filesystem::path& program,
                const std::filesystem::path& cache);

// Puts the files of a result where `line`, the step as it was asked for here, wants them, prints
// what the step printed and returns its exit code. Throws Error(bad_input) for a result that is not
// of this bundle or names a file outside.
int collect_result(const Bundle& bundle, const JsonDocument& result, const StepLine& line);

}  // namespace kernelloop
