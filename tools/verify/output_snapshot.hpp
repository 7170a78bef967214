// A copy of a run's outputs, to hold those of another run against.
#pragma once

#include "device/worker_client.hpp"
#include "spec/op_spec.hpp"
#include "support/memory_block.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernelloop {

class OutputSnapshot {
 public:
  // Copies the outputs that the arena holds now. `spec` must outlive the snapshot; `axes` are
  // resolved.
  OutputSnapshot(const OpSpec& spec, const Bindings& axes, const TensorArena& arena);

  struct Difference {
    std::string output;
    std::string index;  // "[3, 17]"
    double before = 0.0;
    double now = 0.0;
  };
  // The first element that the arena holds otherwise now, bit for bit, outputs in spec order.
  [[nodiscard]] std::optional<Difference> first_difference(const TensorArena& arena) const;

 private:
  struct Copy {
    const Tensor* tensor;
    std::vector<std::int64_t> shape;
    MemoryBlock bytes;
  };
  std::vector<Copy> copies_;
};

}  // namespace kernelloop
