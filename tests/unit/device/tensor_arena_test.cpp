#include "device/tensor_arena.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstdint>

namespace kernelloop {
namespace {

TEST(TensorArena, TensorsAreAlignedZeroedAndApart) {
  TensorArena arena({{"x", 100, false}, {"w", 3, false}, {"y", 100, true}, {"none", 0, true}});
  for (const char* name : {"x", "w", "y"}) {
    const std::span<std::byte> bytes = arena.bytes(name);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 256, 0u) << name;
    for (const std::byte value : bytes) EXPECT_EQ(value, std::byte{0});
    for (std::byte& value : bytes) value = static_cast<std::byte>(name[0]);
  }
  EXPECT_EQ(arena.bytes("x").size(), 100u);
  EXPECT_EQ(arena.bytes("w").size(), 3u);
  EXPECT_EQ(arena.bytes("none").size(), 0u);
  EXPECT_EQ(arena.bytes("x")[99], std::byte{'x'});
  EXPECT_EQ(arena.bytes("w")[0], std::byte{'w'});
  EXPECT_EQ(arena.bytes("y")[0], std::byte{'y'});
}

TEST(TensorArena, NobodyElseCanMapTheInputsForWriting) {
  TensorArena arena({{"x", 100, false}, {"y", 100, true}});
  const TensorArena::State& state = arena.state();
  EXPECT_EQ(::mmap(nullptr, 100, PROT_READ | PROT_WRITE, MAP_SHARED, state.input_memory.get(), 0),
            MAP_FAILED);
  const Mapping reading(state.input_memory.get(), 100, false);
  arena.bytes("x")[5] = std::byte{7};
  EXPECT_EQ(reading.data()[5], std::byte{7});
  const Mapping writing(state.output_memory.get(), 100, true);
  writing.data()[1] = std::byte{9};
  EXPECT_EQ(arena.bytes("y")[1], std::byte{9});
}

TEST(TensorArena, AnUnknownNameIsABug) {
  const TensorArena arena({{"x", 4, false}});
  EXPECT_THROW((void)arena.bytes("z"), Error);
}

TEST(TensorArena, TooMuchMemoryIsSaid) {
  try {
    const TensorArena arena({{"x", std::size_t{1} << 46, false}});
    FAIL() << "64 TiB of memory?";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_NE(std::string(error.what()).find("use smaller shapes"), std::string::npos);
  }
}

TEST(TensorArena, MovesWithItsMemory) {
  TensorArena first({{"x", 4, false}});
  first.bytes("x")[0] = std::byte{3};
  const TensorArena second = std::move(first);
  EXPECT_EQ(second.bytes("x")[0], std::byte{3});
}

}  // namespace
}  // namespace kernelloop
