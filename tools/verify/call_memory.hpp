// Memory that the argument of a contained call is laid out in, piece by piece.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace kernelloop {

class CallMemory {
 public:
  // Pieces come from `room` while it lasts, else from memory of its own. Both are left as they are.
  explicit CallMemory(std::span<std::byte> room) : room_(room) {}

  // Elements that hold anything, for types that need no destruction; never null.
  template <typename T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    const std::size_t bytes = padded(count * sizeof(T));
    void* place = nullptr;
    if (bytes <= room_.size()) {
      place = room_.data();
      room_ = room_.subspan(bytes);
    } else {
      all_inside_ = false;
      place = own_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
    }
    return {static_cast<T*>(place), count};
  }

  const char* text(const std::string& text) {
    const std::span<char> copy = array<char>(text.size() + 1);
    std::memcpy(copy.data(), text.c_str(), copy.size());
    return copy.data();
  }

  // Whether there is room for so many bytes more.
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return padded(bytes) <= room_.size();
  }
  // Whether nothing lies beyond the room.
  [[nodiscard]] bool all_inside() const noexcept { return all_inside_; }

 private:
  static constexpr std::size_t padded(std::size_t bytes) noexcept {
    constexpr std::size_t k_alignment = 64;
    return bytes == 0 ? k_alignment : (bytes + k_alignment - 1) / k_alignment * k_alignment;
  }

  std::span<std::byte> room_;
  bool all_inside_ = true;
  std::vector<std::unique_ptr<std::byte[]>> own_;
};

}  // namespace kernelloop
