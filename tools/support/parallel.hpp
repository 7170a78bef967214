// Spreads work over the cores, with the loop that references use too.
#pragma once

#include <kernelloop/reference.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace kernelloop {

inline std::size_t core_count() {
  // The C library opens a file of the kernel's each time it is asked.
  static const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

// Elements per piece of work: large enough that a thread's start does not show.
inline constexpr std::int64_t k_chunk = 65536;

inline std::int64_t chunk_count(std::int64_t elements) {
  return (elements + k_chunk - 1) / k_chunk;
}

// Calls body(chunk, begin, end) for the pieces of [0, elements). The pieces do not depend on the
// number of cores, so that sums over them do not either.
template <typename Body>
void for_chunks(std::int64_t elements, const Body& body) {
  // A thread is worth its start from some chunks on.
  constexpr std::int64_t k_chunks_of_a_thread = 8;
  const std::int64_t chunks = chunk_count(elements);
  const auto threads = static_cast<std::size_t>(chunks / k_chunks_of_a_thread);
  detail::parallel_for(chunks, std::min(threads, core_count()), [&](std::int64_t chunk) {
    const std::int64_t begin = chunk * k_chunk;
    body(chunk, begin, std::min(elements, begin + k_chunk));
  });
}

}  // namespace kernelloop
