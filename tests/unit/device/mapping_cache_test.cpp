#include "device/mapping_cache.hpp"

#include "support/error.hpp"

#include <gtest/gtest.h>

namespace kernelloop {
namespace {

TensorArena arena_of(std::size_t bytes) {
  return TensorArena({{"x", bytes, false, 16}, {"y", bytes, true, 16}});
}

TEST(MappingCache, TheSameMemoryStaysWhereItIs) {
  const TensorArena arena = arena_of(1 << 20);
  const TensorArena::State& state = arena.state();
  MappingCache cache(2);
  cache.begin_request();
  std::byte* first = cache.map(state.output_memory.get(), state.output_size, true);
  arena.bytes("y")[5] = std::byte{7};
  EXPECT_EQ(first[5], std::byte{7});
  cache.begin_request();
  // Another descriptor of the same memory, as each message brings one.
  const Descriptor again(::dup(state.output_memory.get()));
  EXPECT_EQ(cache.map(again.get(), state.output_size, true), first);
  EXPECT_EQ(cache.held(), 1u);
}

TEST(MappingCache, MemoriesDoNotMix) {
  const TensorArena arena = arena_of(4096);
  const TensorArena other = arena_of(4096);
  other.bytes("y")[0] = std::byte{9};
  MappingCache cache(2);
  cache.begin_request();
  std::byte* first = cache.map(arena.state().output_memory.get(), 4096, true);
  std::byte* second = cache.map(other.state().output_memory.get(), 4096, true);
  EXPECT_NE(first, second);
  EXPECT_EQ(second[0], std::byte{9});
  // A smaller part, and a view that cannot write, are mappings of their own.
  EXPECT_NE(cache.map(other.state().output_memory.get(), 1024, true), second);
  EXPECT_NE(cache.map(other.state().output_memory.get(), 4096, false), second);
  EXPECT_EQ(cache.held(), 4u);
}

TEST(MappingCache, LetsGoWhatIsNoLongerUsed) {
  const TensorArena old = arena_of(4096);
  const TensorArena used = arena_of(4096);
  MappingCache cache(2);
  cache.begin_request();
  cache.map(old.state().input_memory.get(), 4096, false);
  for (int request = 0; request < 2; ++request) {
    cache.begin_request();
    cache.map(used.state().input_memory.get(), 4096, false);
    EXPECT_EQ(cache.held(), 2u);
  }
  cache.begin_request();
  EXPECT_EQ(cache.held(), 1u);
}

TEST(MappingCache, WithoutKeepingNothingOutlivesItsRequest) {
  const TensorArena arena = arena_of(4096);
  MappingCache cache(0);
  cache.begin_request();
  cache.map(arena.state().input_memory.get(), 4096, false);
  cache.begin_request();
  EXPECT_EQ(cache.held(), 0u);
}

TEST(MappingCache, AMemoryOfNoSizeIsNull) {
  const TensorArena arena({{"y", 16, true, 16}});
  MappingCache cache(1);
  cache.begin_request();
  EXPECT_EQ(cache.map(arena.state().input_memory.get(), 0, false), nullptr);
}

TEST(MappingCache, SaysWhatItCannotMap) {
  MappingCache cache(1);
  cache.begin_request();
  try {
    cache.map(-1, 4096, false);
    FAIL() << "no such descriptor";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_NE(std::string(error.what()).find("cannot map 4096 bytes of tensors"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace kernelloop
