#include "support/crew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kernelloop {
namespace {

std::vector<int> calls_of(Crew& crew, std::int64_t count) {
  std::vector<int> calls(static_cast<std::size_t>(count));
  crew.run(count, [&](std::int64_t index) { ++calls[static_cast<std::size_t>(index)]; });
  return calls;
}

bool each_once(const std::vector<int>& calls) {
  return std::all_of(calls.begin(), calls.end(), [](int count) { return count == 1; });
}

TEST(Crew, CallsEveryIndexOnceLoopAfterLoop) {
  Crew crew(4);
  for (std::int64_t count = 0; count < 300; ++count) {
    ASSERT_TRUE(each_once(calls_of(crew, count))) << count;
  }
}

TEST(Crew, OfOneThreadOrNoneTheCallerDoesTheWork) {
  for (const std::size_t threads : {0u, 1u}) {
    Crew crew(threads);
    const std::thread::id caller = std::this_thread::get_id();
    crew.run(10, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
    EXPECT_TRUE(each_once(calls_of(crew, 10)));
  }
}

TEST(Crew, EndsWithoutEverHavingWorked) { const Crew crew(8); }

TEST(Crew, ItsThreadsWorkAtTheSameTime) {
  Crew crew(3);
  std::mutex mutex;
  std::condition_variable all_there;
  int there = 0;
  // Would never return if one thread took two of the three.
  crew.run(3, [&](std::int64_t) {
    std::unique_lock<std::mutex> lock(mutex);
    ++there;
    all_there.notify_all();
    all_there.wait(lock, [&] { return there == 3; });
  });
  EXPECT_EQ(there, 3);
}

}  // namespace
}  // namespace kernelloop
