#include "verify/call_site.hpp"

#include "verify/contained_call.hpp"

#include <algorithm>

namespace kernelloop {
namespace {

// The rest of a room is for what goes with the tensors: names, shapes, paddings.
constexpr std::size_t k_small_bytes = CallServer::k_room_bytes / 4 * 3;

std::span<std::byte> enter(std::optional<CallServer::Room>& room, std::size_t bytes,
                           CallServer& server) {
  if (bytes > k_small_bytes) return {};
  return room.emplace(server).memory();
}

}  // namespace

CallSite::CallSite(std::size_t bytes, CallServer& server) : memory_(enter(room_, bytes, server)) {}

std::span<const double> CallSite::input(std::span<const double> values) {
  if (!small()) return values;
  const std::span<double> copy = memory_.array<double>(values.size());
  std::ranges::copy(values, copy.begin());
  return copy;
}

std::span<double> CallSite::zeros(std::size_t count) {
  if (!memory_.has_room(count * sizeof(double))) {
    return blocks_.emplace_back(count * sizeof(double), MemoryBlock::Kind::shared).as<double>();
  }
  const std::span<double> place = memory_.array<double>(count);
  std::ranges::fill(place, 0.0);
  return place;
}

std::string CallSite::call(CallServer::Body body, const void* argument,
                           std::chrono::milliseconds timeout) {
  // What did not fit into the room is seen by children of this process alone.
  if (small() && memory_.all_inside() && blocks_.empty()) {
    return room_->call(body, argument, timeout);
  }
  return contained_call([&] { return body(argument); }, timeout);
}

}  // namespace kernelloop
