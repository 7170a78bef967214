#include "verify/climb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace kernelloop {
namespace {

// Large cases and those under a tool take the memory or the device for themselves.
bool wants_to_be_alone(const CasePlan& plan) {
  return plan.tool.has_value() || plan.repetition.has_value();
}

class Lanes {
 public:
  Lanes(std::span<const CasePlan> cases, CaseQueue& queue, const CaseRunner& runner,
        bool keep_going)
      : cases_(cases),
        queue_(queue),
        runner_(runner),
        keep_going_(keep_going),
        end_(cases.size()),
        outcomes_(cases.size()) {}

  void run(std::size_t lanes) {
    std::vector<std::thread> others;
    for (std::size_t lane = 1; lane < lanes; ++lane) others.emplace_back([this] { work(); });
    work();
    for (std::thread& other : others) other.join();
  }

  // In their order, up to the one that ends the rung: what other lanes did beyond it does not
  // count.
  std::vector<CaseVerdict> verdicts() && {
    std::vector<CaseVerdict> verdicts;
    for (Outcome& outcome : outcomes_) {
      if (outcome.error) std::rethrow_exception(outcome.error);
      if (!outcome.verdict) break;
      verdicts.push_back(std::move(*outcome.verdict));
      if (ends_rung(verdicts.back())) break;
    }
    return verdicts;
  }

 private:
  struct Outcome {
    std::optional<CaseVerdict> verdict;  // or
    std::exception_ptr error;
  };

  // What could not be looked at hides nothing of what comes after it.
  [[nodiscard]] bool ends_rung(const CaseVerdict& verdict) const {
    return !keep_going_ && verdict.status != Verdict::passed && verdict.status != Verdict::skipped;
  }

  void work() {
    std::unique_ptr<CaseData> data;
    while (const std::optional<std::size_t> number = next(data)) {
      Outcome outcome;
      try {
        outcome.verdict = runner_.run(cases_[*number], *data);
      } catch (...) {
        outcome.error = std::current_exception();
      }
      store(*number, std::move(outcome));
    }
    if (data) queue_.give_back(std::move(data));
  }

  // The queue hands out one after the other, however long that takes; meanwhile results are stored.
  std::optional<std::size_t> next(std::unique_ptr<CaseData>& data) {
    const std::lock_guard taking(taking_);
    const std::size_t number = next_;
    {
      const std::lock_guard lock(mutex_);
      if (number >= end_) return std::nullopt;
    }
    ++next_;
    try {
      data = queue_.take(std::move(data));
      return number;
    } catch (...) {
      store(number, {std::nullopt, std::current_exception()});
      return std::nullopt;
    }
  }

  void store(std::size_t number, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome.error || ends_rung(*outcome.verdict)) end_ = std::min(end_, number + 1);
    outcomes_[number] = std::move(outcome);
  }

  std::span<const CasePlan> cases_;
  CaseQueue& queue_;
  const CaseRunner& runner_;
  bool keep_going_;

  std::mutex taking_;  // of `next_`
  std::size_t next_ = 0;

  std::mutex mutex_;  // of what follows
  std::size_t end_;   // of the cases that are wanted
  std::vector<Outcome> outcomes_;
};

}  // namespace

RungVerdict climb_rung(const Rung& rung, std::span<const CasePlan> cases, CaseQueue& queue,
                       const CaseRunner& runner, const ClimbOptions& options) {
  RungVerdict verdict{rung.name, Verdict::passed, "", {}, {}};
  if (cases.empty()) return {rung.name, Verdict::skipped, rung.without_cases, {}, {}};
  Lanes lanes(cases, queue, runner, options.keep_going);
  lanes.run(std::ranges::any_of(cases, wants_to_be_alone) ? 1 : options.lanes);
  verdict.cases = std::move(lanes).verdicts();
  for (const CaseVerdict& result : verdict.cases) {
    if (result.status == Verdict::passed) continue;
    if (verdict.status == Verdict::passed || result.status == Verdict::failed) {
      if (verdict.status != Verdict::failed) {
        verdict.reason = fmt::format("{}: {}", result.name, failure_text(result));
      }
      verdict.status = result.status;
    }
  }
  return verdict;
}

}  // namespace kernelloop
