// Makes a cubin of PTX that another compiler wrote.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace kernelloop {

struct AssembleJob {
  std::filesystem::path ptxas;
  std::filesystem::path ptx;
  std::string architecture;                  // "90a"
  std::filesystem::path work_dir;            // exists
  std::chrono::milliseconds timeout{60000};  // CPU time; ten times that on the wall
};

struct AssembleRun {
  enum class Outcome { accepted, rejected, crashed, timed_out };
  Outcome outcome = Outcome::rejected;
  std::string messages;  // with the report of resources
  std::string crash;
  std::filesystem::path cubin;  // accepted
};

// Throws Error(environment) when the assembler cannot be started.
AssembleRun assemble(const AssembleJob& job);

}  // namespace kernelloop
