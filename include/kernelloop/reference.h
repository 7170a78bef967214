/* What a reference includes: the slow and obviously right version of an operator, in double.
 *
 *     #include <kernelloop/reference.h>
 *
 *     KERNELLOOP_REFERENCE(softmax) {
 *       const std::int64_t rows = op.axis("rows"), cols = op.axis("cols");
 *       auto x = op.input("x");
 *       auto y = op.output("y");
 *       op.parallel_for(rows, [&](std::int64_t row) { ... y[row * cols + i] = ...; });
 *     }
 *
 * `op` is a `const kernelloop::Reference&`. Tensors are row-major. Inputs arrive as double and are
 * already rounded to the dtype that the op spec declares; integers too, which double holds exactly
 * up to 2^53 (the harness draws none beyond). Outputs are not rounded: the harness does that.
 * Every element of every output must be written. Anything thrown is reported with its message.
 * Each call is made in a process of its own, which loads the library for it: nothing that one call
 * leaves behind is there in the next.
 *
 * One reference in one MODULE library. C++17 or later, no library needed. What crosses the library
 * boundary is plain C, so the compiler need not be the one that built the harness.
 */
#ifndef KERNELLOOP_REFERENCE_H
#define KERNELLOOP_REFERENCE_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#define KERNELLOOP_REFERENCE_ABI_VERSION 1u

extern "C" {

struct KernelLoopReferenceAxis {
  const char* name;
  std::int64_t value;
};

struct KernelLoopReferenceScalar {
  const char* name;
  double value;
};

struct KernelLoopReferenceTensor {
  const char* name;
  std::size_t rank;
  const std::int64_t* shape;
  std::int64_t count;             /* elements */
  const double* input;            /* null for outputs */
  double* output;                 /* null for inputs */
  double* magnitude;              /* outputs: `count` zeros */
  unsigned char* magnitude_given; /* outputs: set to 1 by whoever writes `magnitude` */
};

struct KernelLoopReferenceCall {
  std::uint32_t abi_version;
  std::uint32_t threads; /* worth using, at least 1 */
  std::size_t axis_count;
  const KernelLoopReferenceAxis* axes;
  std::size_t scalar_count;
  const KernelLoopReferenceScalar* scalars;
  std::size_t tensor_count;
  const KernelLoopReferenceTensor* tensors;
  char* message; /* of message_size bytes: why the call did not return 0, zero-terminated */
  std::size_t message_size;
};

struct KernelLoopReferenceModule {
  std::uint32_t abi_version;
  const char* name; /* of the operator */
  int (*run)(const KernelLoopReferenceCall* call);
};

} /* extern "C" */

namespace kernelloop {

// A tensor's elements, row-major: what std::span would be in C++20.
template <typename T>
class TensorView {
 public:
  TensorView(T* data, std::size_t size) : data_(data), size_(size) {}

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  T* begin() const noexcept { return data_; }
  T* end() const noexcept { return data_ + size_; }
  template <typename Index>
  T& operator[](Index index) const noexcept {
    return data_[index];
  }

 private:
  T* data_;
  std::size_t size_;
};

namespace detail {

// Calls body(index) for 0 <= index < count on up to `threads` threads, in no given order. The first
// exception stops the rest and comes out of this call.
template <typename Body>
void parallel_for(std::int64_t count, std::size_t threads, const Body& body) {
  const auto wanted = static_cast<std::int64_t>(std::max<std::size_t>(threads, 1));
  const std::int64_t workers = std::min(wanted, count);
  if (workers <= 1) {
    for (std::int64_t index = 0; index < count; ++index) body(index);
    return;
  }
  const std::int64_t step = std::max<std::int64_t>(1, count / (workers * 8));
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::int64_t begin = next.fetch_add(step); begin < count; begin = next.fetch_add(step)) {
        const std::int64_t end = std::min(count, begin + step);
        for (std::int64_t index = begin; index < end; ++index) body(index);
      }
    } catch (...) {
      next.store(count);
      const std::lock_guard<std::mutex> lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(workers - 1));
  try {
    for (std::int64_t helper = 1; helper < workers; ++helper) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail

// One call of a reference: axes, scalars, inputs and outputs by their names in the op spec. Every
// accessor throws std::invalid_argument for a name that the spec does not have, and lists those it
// has.
class Reference {
 public:
  explicit Reference(const KernelLoopReferenceCall& call) : call_(call) {}

  std::int64_t axis(const std::string& name) const {
    return find("axis", name, call_.axes, call_.axis_count, any<KernelLoopReferenceAxis>).value;
  }

  double scalar(const std::string& name) const {
    return find("scalar input", name, call_.scalars, call_.scalar_count,
                any<KernelLoopReferenceScalar>)
        .value;
  }

  TensorView<const double> input(const std::string& name) const {
    const KernelLoopReferenceTensor& tensor = input_tensor(name);
    return {tensor.input, static_cast<std::size_t>(tensor.count)};
  }

  TensorView<double> output(const std::string& name) const {
    const KernelLoopReferenceTensor& tensor = output_tensor(name);
    return {tensor.output, static_cast<std::size_t>(tensor.count)};
  }

  // Optional: for each element of output `name`, the sum of the absolute values of the terms that
  // were added up (for a product of matrices, sum_k |a_ik * b_kj|). With it the harness bounds the
  // rounding error of each element; without it, it estimates from the outputs' own scale and from
  // how they follow the inputs.
  //
  // Partial results are terms of what is made of them, as large as they enter it: log(1 + t) has a
  // term of 1 however small t is, x - (m + log(s)) has |x|, |m| and those of log(s). Where nothing
  // cancels in any right kernel, say |result|: then the smallest is judged at its own scale.
  TensorView<double> magnitude(const std::string& name) const {
    const KernelLoopReferenceTensor& tensor = output_tensor(name);
    *tensor.magnitude_given = 1;
    return {tensor.magnitude, static_cast<std::size_t>(tensor.count)};
  }

  // Calls body(index) for 0 <= index < count, spread over the cores, in no given order.
  template <typename Body>
  void parallel_for(std::int64_t count, const Body& body) const {
    detail::parallel_for(count, call_.threads, body);
  }

 private:
  template <typename T>
  static bool any(const T&) {
    return true;
  }
  static bool is_input(const KernelLoopReferenceTensor& tensor) { return tensor.input != nullptr; }
  static bool is_output(const KernelLoopReferenceTensor& tensor) {
    return tensor.output != nullptr;
  }

  const KernelLoopReferenceTensor& input_tensor(const std::string& name) const {
    return find("input", name, call_.tensors, call_.tensor_count, is_input);
  }
  const KernelLoopReferenceTensor& output_tensor(const std::string& name) const {
    return find("output", name, call_.tensors, call_.tensor_count, is_output);
  }

  template <typename T>
  static const T& find(const char* kind, const std::string& name, const T* entries,
                       std::size_t count, bool (*eligible)(const T&)) {
    std::string known;
    for (std::size_t index = 0; index < count; ++index) {
      if (!eligible(entries[index])) continue;
      if (name == entries[index].name) return entries[index];
      known += (known.empty() ? "" : ", ") + std::string(entries[index].name);
    }
    throw std::invalid_argument("no " + std::string(kind) + " named '" + name +
                                "'; the op spec has: " + (known.empty() ? "none" : known));
  }

  const KernelLoopReferenceCall& call_;
};

namespace detail {

inline int run_reference(const KernelLoopReferenceCall* call, void (*body)(const Reference&)) {
  try {
    body(Reference(*call));
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(call->message, call->message_size, "%s", error.what());
  } catch (...) {
    std::snprintf(call->message, call->message_size, "threw something that is no std::exception");
  }
  return 1;
}

}  // namespace detail
}  // namespace kernelloop

#define KERNELLOOP_REFERENCE(op_name)                                                           \
  static void kernelloop_reference_of_##op_name(const ::kernelloop::Reference& op);             \
  extern "C" __attribute__((visibility("default"))) const KernelLoopReferenceModule*            \
  kernelloop_reference_module(void) {                                                           \
    static const KernelLoopReferenceModule module = {                                           \
        KERNELLOOP_REFERENCE_ABI_VERSION, #op_name, [](const KernelLoopReferenceCall* call) {   \
          return ::kernelloop::detail::run_reference(call, &kernelloop_reference_of_##op_name); \
        }};                                                                                     \
    return &module;                                                                             \
  }                                                                                             \
  static void kernelloop_reference_of_##op_name([[maybe_unused]] const ::kernelloop::Reference& op)

#endif
