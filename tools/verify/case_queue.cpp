#include "verify/case_queue.hpp"

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "verify/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace kernelloop {
namespace {

// The memory of a case may be so much larger than the case.
constexpr std::size_t k_spare_times = 4;
constexpr std::size_t k_spare_bytes = std::size_t{1} << 20;

}  // namespace

CaseQueue::Limits CaseQueue::Limits::of_machine() {
  const auto memory = static_cast<std::size_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return {std::clamp<std::size_t>(core_count() / 2, 2, 8),
          std::clamp<std::size_t>(memory / 64, std::size_t{256} << 20, std::size_t{512} << 20)};
}

CaseQueue::CaseQueue(const OpSpec& spec, const ReferenceLibrary& reference,
                     std::vector<CasePlan> cases, bool ahead, Limits limits)
    : spec_(spec), reference_(reference), limits_(limits) {
  const auto bytes_at = [&](const Bindings& variables) {
    return admissible(spec, variables) ? bytes_of(slots_of(spec, resolve_axes(spec, variables)))
                                       : 0;
  };
  for (CasePlan& plan : cases) {
    const std::size_t bytes = bytes_at(plan.variables);
    std::size_t all = bytes;
    if (plan.repetition) {
      Bindings whole = plan.variables;
      whole[plan.repetition->axis] = plan.repetition->whole;
      all += bytes_at(whole);
    }
    entries_.push_back({std::move(plan), bytes, all});
  }
  for (std::size_t i = 0; ahead && i < std::min(limits_.makers, entries_.size()); ++i) {
    makers_.emplace_back([this] { make_ahead(); });
  }
}

CaseQueue::~CaseQueue() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& maker : makers_) maker.join();
  // The system takes as long to get large memories back as it took to give them.
  std::vector<std::thread> releasers;
  for (TensorArena& spare : spares_) releasers.emplace_back([gone = std::move(spare)] {});
  for (std::thread& releaser : releasers) releaser.join();
}

std::unique_ptr<CaseData> CaseQueue::make(const Entry& entry) {
  return std::make_unique<CaseData>(spec_, entry.plan, memory_for(entry), input_memory_);
}

TensorArena CaseQueue::memory_for(const Entry& entry) {
  const auto slots = slots_of(spec_, resolve_axes(spec_, entry.plan.variables));
  {
    const std::lock_guard lock(mutex_);
    const std::size_t most = k_spare_times * entry.bytes + k_spare_bytes;
    const auto found = std::ranges::find_if(spares_, [&](TensorArena& spare) {
      return spare.capacity() <= most && spare.reslice(slots);
    });
    if (found != spares_.end()) {
      TensorArena memory = std::move(*found);
      spares_.erase(found);
      return memory;
    }
    // Before the system is asked for more.
    std::erase_if(spares_,
                  [&](const TensorArena& spare) { return spare.capacity() < entry.bytes; });
  }
  return TensorArena(slots);
}

void CaseQueue::make_ahead() {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto fits = [&] {
      return cases_ == 0 || (cases_ < limits_.waiting_cases &&
                             bytes_ + entries_[begun_].all <= limits_.waiting_bytes);
    };
    changed_.wait(lock, [&] { return ended_ || begun_ == entries_.size() || fits(); });
    if (ended_ || begun_ == entries_.size()) return;
    const std::size_t number = begun_++;
    const Entry& entry = entries_[number];
    bytes_ += entry.all;
    ++cases_;
    lock.unlock();

    Made made;
    try {
      made.data = make(entry);
      made.data->expected(reference_);
      std::string why;  // who takes the case tries again, and says so
      if (entry.plan.repetition) made.data->repeated(*entry.plan.repetition, why);
    } catch (...) {
      made.error = std::current_exception();
    }
    lock.lock();
    ended_ = ended_ || made.error != nullptr;
    waiting_.emplace(number, std::move(made));
    lock.unlock();
    changed_.notify_all();
  }
}

void CaseQueue::give_back(std::unique_ptr<CaseData> done) {
  TensorArena memory = std::move(*done).release();
  done.reset();
  const std::lock_guard lock(mutex_);
  spares_.insert(std::ranges::upper_bound(spares_, memory.capacity(), {}, &TensorArena::capacity),
                 std::move(memory));
  if (spares_.size() > makers_.size() + 1) spares_.erase(spares_.begin());
}

std::unique_ptr<CaseData> CaseQueue::take(std::unique_ptr<CaseData> done) {
  const std::size_t number = taken_++;
  const Entry& entry = entries_.at(number);
  if (done) give_back(std::move(done));
  if (makers_.empty()) return make(entry);
  Made made;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.count(number) > 0 || (ended_ && number >= begun_); });
    if (waiting_.count(number) == 0) fail(ExitCode::internal, "a case is taken after one failed");
    made = std::move(waiting_.extract(number).mapped());
    bytes_ -= entry.all;
    --cases_;
  }
  changed_.notify_all();
  if (made.error) std::rethrow_exception(made.error);
  return std::move(made.data);
}

}  // namespace kernelloop
