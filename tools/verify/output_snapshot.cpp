#include "verify/output_snapshot.hpp"

#include "support/parallel.hpp"
#include "verify/elements.hpp"
#include "verify/pattern.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kernelloop {
namespace {

void copy_bytes(std::span<const std::byte> from, std::byte* to) {
  for_chunks(static_cast<std::int64_t>(from.size()),
             [&](std::int64_t, std::int64_t begin, std::int64_t end) {
               std::memcpy(to + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
             });
}

// The offset of the first byte that differs, or -1.
std::int64_t first_different(std::span<const std::byte> now, const std::byte* before) {
  const auto size = static_cast<std::int64_t>(now.size());
  std::atomic<std::int64_t> first{size};
  for_chunks(size, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    if (begin >= first.load()) return;
    const auto length = static_cast<std::size_t>(end - begin);
    if (std::memcmp(now.data() + begin, before + begin, length) == 0) return;
    const std::byte* at = std::mismatch(before + begin, before + end, now.data() + begin).first;
    std::int64_t found = at - before;
    std::int64_t known = first.load();
    while (found < known && !first.compare_exchange_weak(known, found)) {
    }
  });
  return first.load() < size ? first.load() : -1;
}

}  // namespace

OutputSnapshot::OutputSnapshot(const OpSpec& spec, const Bindings& axes, const TensorArena& arena) {
  for (const Tensor& output : spec.outputs) {
    const auto bytes = arena.bytes(output.name);
    copies_.push_back(
        {&output, shape_of(output, axes), MemoryBlock(bytes.size(), MemoryBlock::Kind::owned)});
    copy_bytes(bytes, copies_.back().bytes.as<std::byte>().data());
  }
}

std::optional<OutputSnapshot::Difference> OutputSnapshot::first_difference(
    const TensorArena& arena) const {
  for (const Copy& copy : copies_) {
    const auto now = arena.bytes(copy.tensor->name);
    const std::byte* before = copy.bytes.as<std::byte>().data();
    const std::int64_t at = first_different(now, before);
    if (at < 0) continue;
    const DType type = copy.tensor->dtype;
    const auto size = static_cast<std::int64_t>(info(type).size);
    const std::int64_t element = at / size;
    return Difference{copy.tensor->name, index_text(element, copy.shape),
                      load_element(type, before + element * size),
                      load_element(type, now.data() + element * size)};
  }
  return std::nullopt;
}

}  // namespace kernelloop
