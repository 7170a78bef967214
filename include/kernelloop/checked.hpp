// 64-bit integers that remember when an expression went wrong. Used by generated launchers; needs
// C++17 and nothing else.
#pragma once

#include <cstdint>
#include <limits>

namespace kernelloop::detail {

// A value, and where to note that an operation on it overflowed or divided by zero. After a fault
// the value means nothing, so a caller evaluates everything it needs and asks the flag once.
class Checked {
 public:
  // Implicit on purpose: generated expressions mix axes and literals.
  constexpr Checked(std::int64_t value) noexcept : value_(value) {}
  constexpr Checked(std::int64_t value, bool* failed) noexcept : value_(value), failed_(failed) {}

  [[nodiscard]] constexpr std::int64_t value() const noexcept { return value_; }
  constexpr void fail() const noexcept {
    if (failed_ != nullptr) *failed_ = true;
  }

  friend constexpr Checked operator+(Checked a, Checked b) noexcept {
    Checked result = joined(a, b);
    if (__builtin_add_overflow(a.value_, b.value_, &result.value_)) result.fail();
    return result;
  }
  friend constexpr Checked operator-(Checked a, Checked b) noexcept {
    Checked result = joined(a, b);
    if (__builtin_sub_overflow(a.value_, b.value_, &result.value_)) result.fail();
    return result;
  }
  friend constexpr Checked operator-(Checked a) noexcept { return Checked(0) - a; }
  friend constexpr Checked operator*(Checked a, Checked b) noexcept {
    Checked result = joined(a, b);
    if (__builtin_mul_overflow(a.value_, b.value_, &result.value_)) result.fail();
    return result;
  }
  friend constexpr Checked operator/(Checked a, Checked b) noexcept {
    Checked result = joined(a, b);
    if (!divisible(a, b)) {
      result.fail();
      return result;
    }
    result.value_ = a.value_ / b.value_;
    return result;
  }
  friend constexpr Checked operator%(Checked a, Checked b) noexcept {
    Checked result = joined(a, b);
    if (!divisible(a, b)) {
      result.fail();
      return result;
    }
    result.value_ = a.value_ % b.value_;
    return result;
  }
  friend constexpr bool operator==(Checked a, Checked b) noexcept { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Checked a, Checked b) noexcept { return a.value_ != b.value_; }
  friend constexpr bool operator<(Checked a, Checked b) noexcept { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Checked a, Checked b) noexcept { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Checked a, Checked b) noexcept { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Checked a, Checked b) noexcept { return a.value_ >= b.value_; }

 private:
  static constexpr Checked joined(Checked a, Checked b) noexcept {
    return Checked(0, a.failed_ != nullptr ? a.failed_ : b.failed_);
  }
  static constexpr bool divisible(Checked a, Checked b) noexcept {
    return b.value_ != 0 &&
           !(a.value_ == std::numeric_limits<std::int64_t>::min() && b.value_ == -1);
  }

  std::int64_t value_ = 0;
  bool* failed_ = nullptr;
};

// The functions of the expression language.
constexpr Checked ceil_div(Checked a, Checked b) noexcept {
  const Checked quotient = a / b;
  if (b.value() <= 0) {
    quotient.fail();
    return quotient;
  }
  return a.value() % b.value() > 0 ? quotient + Checked(1) : quotient;
}
constexpr Checked min(Checked a, Checked b) noexcept { return b < a ? b : a; }
constexpr Checked max(Checked a, Checked b) noexcept { return a < b ? b : a; }

}  // namespace kernelloop::detail
