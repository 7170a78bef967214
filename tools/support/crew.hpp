// Threads that stay: for loops that are shared out so often that starting threads each time shows.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernelloop {

// One loop at a time, asked for by one thread. The threads sleep in between.
class Crew {
 public:
  // `threads` in all, at least 1: the caller of run() is one of them. As many as can be had.
  explicit Crew(std::size_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls body(index) once for every index of [0, count), in any order, and returns when all calls
  // have returned. The body must not throw.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& body);

 private:
  void serve();
  void work();

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(std::int64_t)>* body_ = nullptr;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::uint64_t loop_ = 0;   // how many have begun
  std::size_t working_ = 0;  // helpers that have not finished the present one
  bool closing_ = false;
  std::vector<std::thread> helpers_;  // last: they use all of the above
};

}  // namespace kernelloop
