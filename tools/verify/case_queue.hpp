// The cases of a ladder made ready one after the other, ahead of who works on them.
#pragma once

#include "verify/case_data.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace kernelloop {

// Hands out the cases of a ladder in their order. With `ahead`, threads draw the next ones and call
// the reference for them while the caller works: worth it where a candidate runs on a device of its
// own, since drawing and the reference take longer than it does.
//
// The memory of cases that are done is used again, for cases of about their size: a small case that
// waits must not hold the memory of a large one.
class CaseQueue {
 public:
  struct Limits {
    // Threads. More than one, since most cases are small: they wait for processes to start, not for
    // cores.
    std::size_t makers = 2;
    // So many bytes of tensors, as the candidate sees them, may be under way or wait to be taken; a
    // case that is larger by itself is made when there is no other. All that is made of them takes
    // about nine times as much in bfloat16.
    std::size_t waiting_bytes = std::size_t{256} << 20;
    // And so many cases: each holds two files open, of which a process may mostly have 1024.
    std::size_t waiting_cases = 256;

    // By the cores and the memory of this machine.
    static Limits of_machine();
  };

  // All of them must outlive the queue. With `ahead` it begins at once.
  CaseQueue(const OpSpec& spec, const ReferenceLibrary& reference, std::vector<CasePlan> cases,
            bool ahead, Limits limits = Limits::of_machine());
  // Waits for the cases that are being made.
  ~CaseQueue();
  CaseQueue(const CaseQueue&) = delete;
  CaseQueue& operator=(const CaseQueue&) = delete;

  // The next case; `done`, where given, is the one that the caller is through with. Throws what its
  // making threw, Error(io) when memory is short; there is no next one after that.
  std::unique_ptr<CaseData> take(std::unique_ptr<CaseData> done = nullptr);

 private:
  struct Entry {
    CasePlan plan;
    std::size_t bytes;  // of its tensors
    std::size_t all;    // with those of the large case that is made of it
  };
  struct Made {
    std::unique_ptr<CaseData> data;  // or
    std::exception_ptr error;
  };

  std::unique_ptr<CaseData> make(const Entry& entry);
  TensorArena memory_for(const Entry& entry);
  void give_back(std::unique_ptr<CaseData> done);
  void make_ahead();

  const OpSpec& spec_;
  const ReferenceLibrary& reference_;
  Limits limits_;
  std::shared_ptr<MemoryPool> input_memory_ =
      std::make_shared<MemoryPool>(MemoryBlock::Kind::owned);
  std::vector<Entry> entries_;
  std::size_t taken_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<TensorArena> spares_;      // by size
  std::map<std::size_t, Made> waiting_;  // by number
  std::size_t begun_ = 0;
  std::size_t bytes_ = 0;  // of those under way and those that wait
  std::size_t cases_ = 0;  // the same
  bool ended_ = false;

  std::vector<std::thread> makers_;  // last: they use all of them
};

}  // namespace kernelloop
