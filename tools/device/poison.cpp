#include "device/poison.hpp"

#include "support/random.hpp"

#include <algorithm>
#include <cstring>

namespace kernelloop {
namespace {

constexpr std::size_t k_word = sizeof(std::uint64_t);

std::byte byte_of(std::uint64_t word, std::size_t place) {
  return static_cast<std::byte>(word >> (8 * place));
}

}  // namespace

std::byte Poison::at(std::size_t offset) const {
  if (!noise_) return value_;
  const std::size_t place = offset % k_noise_period;
  return byte_of(RandomStream(seed_, "poison").bits(place / k_word), place % k_word);
}

void Poison::fill(std::span<std::byte> memory) const {
  if (!noise_) {
    std::fill(memory.begin(), memory.end(), value_);
    return;
  }
  const RandomStream stream(seed_, "poison");
  const std::size_t block = std::min(memory.size(), k_noise_period);
  for (std::size_t begin = 0; begin < block; begin += k_word) {
    const std::uint64_t word = stream.bits(begin / k_word);
    for (std::size_t i = 0; i < std::min(k_word, block - begin); ++i) {
      memory[begin + i] = byte_of(word, i);
    }
  }
  for (std::size_t done = block; done < memory.size(); done += block) {
    std::memcpy(memory.data() + done, memory.data(), std::min(block, memory.size() - done));
  }
}

}  // namespace kernelloop
