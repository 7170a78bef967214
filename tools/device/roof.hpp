// The roofs of a device: what it can do at most of one thing, measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernelloop {

struct Roof {
  enum class Unit {
    bytes,       // per second
    operations,  // per second; a fused multiply-add is two
    seconds,     // of one
  };
  const char* name;  // "copy", "bf16_tensor"; those of arithmetic are the op spec's classes
  Unit unit;
  const char* what;  // for people
};

// All that there are, in the order in which they are shown.
std::span<const Roof> all_roofs();
const Roof* find_roof(std::string_view name);  // nullptr: there is none of that name

struct RoofValue {
  double value = 0;      // in the roof's unit; 0: this device has nothing of the kind
  double clock_mhz = 0;  // of a multiprocessor meanwhile; 0: unknown
  bool foreign = false;  // another's process computed on the GPU: see neighbours.hpp
};

}  // namespace kernelloop
