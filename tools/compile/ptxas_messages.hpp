// What the assembler says: errors, warnings about speed, and what each kernel costs.
#pragma once

#include "compile/problem.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

class PtxModule;

// What `ptxas -v` reports of one function, in bytes but for the counts.
struct FunctionResources {
  std::string name;
  bool entry = false;  // a kernel; else a device function that was not inlined
  std::int64_t registers = 0;
  std::int64_t barriers = 0;
  std::int64_t stack_bytes = 0;  // cumulative for a kernel: with the functions it calls
  std::int64_t spill_store_bytes = 0;
  std::int64_t spill_load_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t constant_bytes = 0;
};

// Empty when the text holds no report.
std::vector<FunctionResources> function_resources(std::string_view messages);

// Errors and warnings, with lines of the source where the PTX knows them. Of the notes, those that
// tell of lost speed are warnings.
std::vector<Problem> ptxas_problems(std::string_view messages, const PtxModule& ptx);

// Warnings for kernels and functions that spill registers or keep arrays in local memory.
std::vector<Problem> resource_warnings(const std::vector<FunctionResources>& resources,
                                       const PtxModule& ptx);

}  // namespace kernelloop
