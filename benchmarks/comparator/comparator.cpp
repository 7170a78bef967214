// How fast the comparator reads its tensors: `comparator cpu` in GB/s per core, `comparator gpu` in
// milliseconds for 1 GiB of bfloat16 that lies in device memory beside its double reference.
#include "comparator.hpp"

#include "support/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  using namespace kernelloop;
  try {
    const std::string_view part = argc == 2 ? argv[1] : "";
    if (part == "cpu") {
      benchmark::on_cpu();
      return 0;
    }
    if (part == "gpu") return benchmark::on_gpu();
    fail(ExitCode::usage, "usage: {} cpu|gpu", argv[0]);
  } catch (const Error& error) {
    fmt::print(stderr, "comparator: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "comparator: {}\n", error.what());
    return static_cast<int>(ExitCode::internal);
  }
}
