// Modules built with AddressSanitizer or UndefinedBehaviorSanitizer.
#pragma once

#include "device/worker_client.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelloop {

// The sanitizer runtimes that a shared object needs: they must be in the process before anything
// else is. By their paths where the object says where its compiler keeps them, by their names
// ("libasan.so.8") where that is no place of this machine. That of AddressSanitizer comes first.
// Empty when there are none or the file cannot be read.
std::vector<std::string> sanitizer_runtimes(const std::filesystem::path& library);

// Throws Error(environment) when the loader says in what a new process printed that it found one of
// these runtimes not or not fit: whatever runs there then says nothing about a version.
void require_preloaded(const std::vector<std::string>& runtimes, std::string_view output);

// The first finding in what a sanitized process printed, as one line with file:line where known.
std::optional<Fault> first_finding(std::string_view output);

// Of a report of AddressSanitizer: the place in the first stack frame that has one and is not the
// runtime's, as "kernel.cu:12:3 in softmax_rows"; empty when there is none.
std::string place_of(std::string_view report);

// The address that a report says the processor refused, or 0.
std::uintptr_t segmentation_fault_address(std::string_view report);

}  // namespace kernelloop
