#include "verify/case_queue.hpp"

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "verify/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace kernelloop {

CaseQueue::Limits CaseQueue::Limits::of_machine() {
  const auto memory = static_cast<std::size_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return {std::clamp<std::size_t>(core_count() / 4, 2, 4),
          std::clamp<std::size_t>(memory / 64, std::size_t{256} << 20, std::size_t{1} << 30)};
}

CaseQueue::CaseQueue(const OpSpec& spec, const ReferenceLibrary& reference,
                     std::vector<CasePlan> cases, bool ahead, Limits limits)
    : spec_(spec), reference_(reference), limits_(limits) {
  std::size_t most = 0;
  for (CasePlan& plan : cases) {
    std::vector<TensorArena::Slot> slots;
    if (admissible(spec, plan.variables)) {
      slots = slots_of(spec, resolve_axes(spec, plan.variables));
    }
    const std::size_t bytes = bytes_of(slots);
    if (bytes > most) largest_ = std::move(slots);
    most = std::max(most, bytes);
    entries_.push_back({std::move(plan), bytes});
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
}

std::unique_ptr<CaseData> CaseQueue::make(const Entry& entry) {
  const auto slots = slots_of(spec_, resolve_axes(spec_, entry.plan.variables));
  std::optional<TensorArena> memory;
  {
    const std::lock_guard lock(mutex_);
    if (!spares_.empty()) {
      memory = std::move(spares_.back());
      spares_.pop_back();
    }
  }
  if (!memory || !memory->reslice(slots)) {
    memory.reset();  // before the system is asked for more
    memory.emplace(largest_);
    // The largest in all need not be the one with the most inputs and the most outputs.
    if (!memory->reslice(slots)) memory.emplace(slots);
  }
  return std::make_unique<CaseData>(spec_, entry.plan, std::move(*memory), input_memory_);
}

void CaseQueue::make_ahead() {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto fits = [&] {
      return bytes_ == 0 || bytes_ + entries_[begun_].bytes <= limits_.waiting_bytes;
    };
    changed_.wait(lock, [&] { return ended_ || begun_ == entries_.size() || fits(); });
    if (ended_ || begun_ == entries_.size()) return;
    const std::size_t number = begun_++;
    const Entry& entry = entries_[number];
    bytes_ += entry.bytes;
    lock.unlock();

    Made made;
    try {
      made.data = make(entry);
      made.data->expected(reference_);
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

std::unique_ptr<CaseData> CaseQueue::take(std::unique_ptr<CaseData> done) {
  const std::size_t number = taken_++;
  const Entry& entry = entries_.at(number);
  if (done) {
    TensorArena memory = std::move(*done).release();
    done.reset();
    const std::lock_guard lock(mutex_);
    if (spares_.size() >= std::max<std::size_t>(makers_.size(), 1)) spares_.erase(spares_.begin());
    spares_.push_back(std::move(memory));
  }
  if (makers_.empty()) return make(entry);
  Made made;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.count(number) > 0 || (ended_ && number >= begun_); });
    if (waiting_.count(number) == 0) fail(ExitCode::internal, "a case is taken after one failed");
    made = std::move(waiting_.extract(number).mapped());
    bytes_ -= entry.bytes;
  }
  changed_.notify_all();
  if (made.error) std::rethrow_exception(made.error);
  return std::move(made.data);
}

}  // namespace kernelloop
