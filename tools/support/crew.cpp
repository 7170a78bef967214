#include "support/crew.hpp"

#include <system_error>

namespace kernelloop {

Crew::Crew(std::size_t threads) {
  try {
    while (helpers_.size() + 1 < threads) helpers_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
}

Crew::~Crew() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Crew::run(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  if (helpers_.empty() || count < 2) {
    for (std::int64_t index = 0; index < count; ++index) body(index);
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    body_ = &body;
    count_ = count;
    next_.store(0);
    working_ = helpers_.size();
    ++loop_;
  }
  begin_.notify_all();
  work();
  std::unique_lock<std::mutex> lock(mutex_);
  end_.wait(lock, [this] { return working_ == 0; });
}

void Crew::serve() {
  std::uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    begin_.wait(lock, [&] { return closing_ || loop_ != seen; });
    if (closing_) return;
    seen = loop_;
    lock.unlock();
    work();
    lock.lock();
    if (--working_ == 0) end_.notify_one();
  }
}

void Crew::work() {
  for (std::int64_t index = next_.fetch_add(1); index < count_; index = next_.fetch_add(1)) {
    (*body_)(index);
  }
}

}  // namespace kernelloop
