/* What a baseline includes: an existing way to do an operator (a library's, yours), which versions
 * are measured against.
 *
 *     #include <kernelloop/baseline.h>
 *
 *     KERNELLOOP_BASELINE(softmax) {
 *       const auto* x = op.input<__nv_bfloat16>("x");
 *       auto* y = op.output<__nv_bfloat16>("y");
 *       launch_my_softmax(x, y, op.axis("rows"), op.axis("cols"), op.stream());
 *     }
 *
 * `op` is a `const kernelloop::Baseline&`. Tensors are row-major, in the dtypes of the op spec, and
 * lie where the device works: in device memory for a GPU, in host memory for the CPU device. All
 * work goes into `op.stream()`; nothing waits for it, and nothing is copied to or from the host.
 * The first call is not timed: handles, workspaces and plans are made there and kept (in a static
 * variable). The values of the inputs may be others in every call. Anything thrown is reported with
 * its message.
 *
 * One baseline in one MODULE library, which is trusted as the reference is. C++17 or later. What
 * crosses the library boundary is plain C, so the compiler need not be the one that built the
 * harness.
 */
#ifndef KERNELLOOP_BASELINE_H
#define KERNELLOOP_BASELINE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define KERNELLOOP_BASELINE_ABI_VERSION 1u

#ifdef __CUDACC__
#include <cuda_runtime_api.h>
#endif

extern "C" {

struct KernelLoopBaselineAxis {
  const char* name;
  std::int64_t value;
};

struct KernelLoopBaselineScalar {
  const char* name;
  double value;
};

struct KernelLoopBaselineTensor {
  const char* name;
  std::size_t rank;
  const std::int64_t* shape;
  std::size_t bytes;
  void* data;
  unsigned char is_output;
};

struct KernelLoopBaselineCall {
  std::uint32_t abi_version;
  std::size_t axis_count;
  const KernelLoopBaselineAxis* axes;
  std::size_t scalar_count;
  const KernelLoopBaselineScalar* scalars;
  std::size_t tensor_count;
  const KernelLoopBaselineTensor* tensors;
  void* stream;  /* a CUstream; null on the CPU device */
  char* message; /* of message_size bytes: why the call did not return 0, zero-terminated */
  std::size_t message_size;
};

struct KernelLoopBaselineModule {
  std::uint32_t abi_version;
  const char* name; /* of the operator */
  int (*run)(const KernelLoopBaselineCall* call);
};

} /* extern "C" */

namespace kernelloop {

// One call of a baseline: axes, scalars, tensors by their names in the op spec. Every accessor
// throws std::invalid_argument for a name that the spec does not have, and lists those it has.
class Baseline {
 public:
  explicit Baseline(const KernelLoopBaselineCall& call) : call_(call) {}

  std::int64_t axis(const std::string& name) const {
    return find("axis", name, call_.axes, call_.axis_count).value;
  }
  // Rounded to the scalar's dtype.
  double scalar(const std::string& name) const {
    return find("scalar input", name, call_.scalars, call_.scalar_count).value;
  }
  // The caller names the type that the spec's dtype is in its language.
  template <typename T>
  const T* input(const std::string& name) const {
    return static_cast<const T*>(tensor(name, false).data);
  }
  template <typename T>
  T* output(const std::string& name) const {
    return static_cast<T*>(tensor(name, true).data);
  }
  std::vector<std::int64_t> shape(const std::string& name) const {
    const KernelLoopBaselineTensor& found = find("tensor", name, call_.tensors, call_.tensor_count);
    return {found.shape, found.shape + found.rank};
  }
#ifdef __CUDACC__
  cudaStream_t stream() const { return static_cast<cudaStream_t>(call_.stream); }
#else
  void* stream() const { return call_.stream; }
#endif

 private:
  const KernelLoopBaselineTensor& tensor(const std::string& name, bool output) const {
    const char* kind = output ? "output" : "input";
    const KernelLoopBaselineTensor& found = find(kind, name, call_.tensors, call_.tensor_count);
    if ((found.is_output != 0) != output) {
      throw std::invalid_argument("'" + name + "' is no " + kind + " of the op");
    }
    return found;
  }

  template <typename T>
  static const T& find(const char* kind, const std::string& name, const T* entries,
                       std::size_t count) {
    std::string known;
    for (std::size_t index = 0; index < count; ++index) {
      if (name == entries[index].name) return entries[index];
      known += (known.empty() ? "" : ", ") + std::string(entries[index].name);
    }
    throw std::invalid_argument("no " + std::string(kind) + " named '" + name +
                                "'; the op spec has: " + (known.empty() ? "none" : known));
  }

  const KernelLoopBaselineCall& call_;
};

namespace detail {

inline int run_baseline(const KernelLoopBaselineCall* call, void (*body)(const Baseline&)) {
  try {
    body(Baseline(*call));
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

#define KERNELLOOP_BASELINE(op_name)                                                          \
  static void kernelloop_baseline_of_##op_name(const ::kernelloop::Baseline& op);             \
  extern "C" __attribute__((visibility("default"))) const KernelLoopBaselineModule*           \
  kernelloop_baseline_module(void) {                                                          \
    static const KernelLoopBaselineModule module = {                                          \
        KERNELLOOP_BASELINE_ABI_VERSION, #op_name, [](const KernelLoopBaselineCall* call) {   \
          return ::kernelloop::detail::run_baseline(call, &kernelloop_baseline_of_##op_name); \
        }};                                                                                   \
    return &module;                                                                           \
  }                                                                                           \
  static void kernelloop_baseline_of_##op_name([[maybe_unused]] const ::kernelloop::Baseline& op)

#endif
