// NVIDIA's CUPTI, found at run time: the programs start on machines without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

class CuptiLibrary;  // its functions; cupti_library.hpp, for those who include its headers

// Loads the library once. From $KERNELLOOP_CUPTI, the loader's paths, or a toolkit. Throws
// Error(environment) with what is missing and what to install.
std::shared_ptr<const CuptiLibrary> load_cupti();

// The passes over the kernels that a set of metrics takes on a chip.
struct CounterPlan {
  std::string chip;
  std::vector<std::string> metrics;
  std::size_t passes = 0;
  std::vector<std::uint8_t> configuration;  // CUPTI's image
};

// Plans on any machine, with or without a GPU. `availability` is the device's own image, which may
// lack counters; empty: what the chip has. All metrics are planned together, since the number of
// passes depends on that. Throws Error(bad_input) naming the metrics that the chip does not have
// and for a chip that CUPTI does not know.
CounterPlan plan_counters(const CuptiLibrary& cupti, const std::string& chip,
                          const std::vector<std::string>& metrics,
                          const std::vector<std::uint8_t>& availability = {});

// The chips that this CUPTI knows.
std::vector<std::string> known_chips(const CuptiLibrary& cupti);

}  // namespace kernelloop
