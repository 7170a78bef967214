// A child that loads a library, forked while other threads are at work on the loader.
#include "support/loader_lock.hpp"
#include "verify/contained_call.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <thread>

namespace kernelloop {
namespace {

int look(dl_phdr_info* /*information*/, std::size_t /*size*/, void* /*data*/) { return 0; }

TEST(ContainedCall, LoadsALibraryWhileThreadsListAndLoadOthers) {
  std::atomic<bool> done = false;
  std::thread lists([&] {
    while (!done) {
      const std::lock_guard<std::mutex> lock(loader_mutex());
      ::dl_iterate_phdr(look, nullptr);
    }
  });
  std::thread loads([&] {
    while (!done) {
      const std::lock_guard<std::mutex> lock(loader_mutex());
      if (void* const library = ::dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL)) {
        ::dlclose(library);
      }
    }
  });
  std::string problem;
  for (int i = 0; i < 60 && problem.empty(); ++i) {
    problem = contained_call(
        [] {
          return ::dlopen(KERNELLOOP_TEST_SOFTMAX, RTLD_NOW | RTLD_LOCAL) == nullptr
                     ? std::string(::dlerror())
                     : std::string();
        },
        std::chrono::seconds(60));
  }
  done = true;
  lists.join();
  loads.join();
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace kernelloop
