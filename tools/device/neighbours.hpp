// Processes of others that compute on a GPU while something is timed on it. The lock keeps our own
// steps away; who does not know of it is seen only by asking the driver.
#pragma once

#include "device/roof.hpp"
#include "device/timing.hpp"

#include <functional>
#include <vector>

namespace kernelloop {

class Neighbours {
 public:
  // The ids of processes that are not ours and compute on the GPU now.
  using Look = std::function<std::vector<unsigned>()>;
  explicit Neighbours(Look look) : look_(std::move(look)) {}

  // Has `take` time one set of samples, and looks before and after it, never meanwhile: asking
  // could disturb it. When somebody was there the samples are marked as `foreign` and a second set
  // is taken, unless that did not help before: who stays is not waited for. Of one variant the
  // result holds both sets; of several, whose samples are pairs, the second alone. A result with
  // something wrong in it comes back as it is.
  TimeResult time(const std::function<TimeResult()>& take);

  // The same for one value: the first that was measured without company, or else the second, marked
  // as `foreign`.
  RoofValue measure(const std::function<RoofValue()>& take);

 private:
  // Whether somebody was there before or after `take`.
  bool accompanied(const std::function<void()>& take) const;
  // One set, and whether somebody was there.
  bool take_set(const std::function<TimeResult()>& take, TimeResult& result) const;

  Look look_;
  bool stay_ = false;
};

}  // namespace kernelloop
