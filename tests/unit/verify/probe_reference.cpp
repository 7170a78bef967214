// A reference that does what its scalar `mode` says, right or wrong.
#include <kernelloop/reference.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

KERNELLOOP_REFERENCE(probe) {
  const auto x = op.input("x");
  const auto y = op.output("y");
  const std::int64_t rows = op.axis("rows");
  const std::int64_t cols = op.axis("cols");
  const auto write_all = [&] {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 2.0 * x[i];
  };
  switch (static_cast<int>(op.scalar("mode"))) {
    case 0:
      write_all();
      break;
    case 1:
      std::raise(SIGSEGV);
      break;
    case 2:
      throw std::runtime_error("the tables are missing");
    case 3:
      for (std::atomic<int> turn{0};; ++turn) {
      }
    case 4:
      for (std::size_t i = 0; i + 1 < y.size(); ++i) y[i] = x[i];
      break;
    case 5:
      write_all();
      y[1 * cols + 2] = std::sqrt(-1.0 - x[0] * x[0]);
      break;
    case 6:
      op.axis("columns");
      break;
    case 7:
      op.input("y");
      break;
    case 8:
      write_all();
      for (double& magnitude : op.magnitude("y")) magnitude += 5.0;
      break;
    case 9:
      op.parallel_for(rows, [&](std::int64_t row) {
        for (std::int64_t i = 0; i < cols; ++i) y[row * cols + i] = static_cast<double>(row);
      });
      break;
    case 10:
      op.parallel_for(rows, [&](std::int64_t row) {
        if (row == 3) throw std::runtime_error("row 3 is odd");
      });
      break;
    case 11:
      std::exit(0);
    case 12:
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
      break;
    case 13:  // 3 x[0] and x[1] may cancel
      write_all();
      y[0] = 3.0 * x[0] + x[1];
      break;
    case 14:  // right for what the inputs may hold, and for nothing near it
      for (const double value : x) {
        if (value != std::round(value)) throw std::runtime_error("no integer");
      }
      write_all();
      break;
    case 15:
      for (int i = 0; i < 1024; ++i) {
        static const std::string k_mebibyte(std::size_t{1} << 20, 'x');
        std::fwrite(k_mebibyte.data(), 1, k_mebibyte.size(), stdout);
      }
      std::fputs("the end\n", stdout);
      write_all();
      break;
    case 16:
      std::fputs("row 3 looks odd\n", stderr);
      std::raise(SIGSEGV);
      break;
    case 17: {
      static int calls = 0;
      ++calls;
      for (double& value : y) value = calls;
      break;
    }
    case 18:
      write_all();
      std::thread([] {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      }).detach();
      break;
    case 19:  // what is far behind the end
      write_all();
      *const_cast<volatile double*>(y.data() + (std::size_t{1} << 36)) = 1.0;
      break;
    case 21:  // what differs from the mean
      for (std::size_t i = 0; i < y.size(); ++i) {
        double mean = 0.0;
        for (const double value : x) mean += value;
        y[i] = x[i] - mean / static_cast<double>(x.size());
      }
      break;
    case 22:
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::floor(x[i]);
      break;
    case 23:
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::log1p(std::exp(x[i]));
      break;
    case 24:
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = op.scalar("alpha") * op.input("gain")[i % op.input("gain").size()] * x[i];
      }
      break;
    default:
      throw 12;
  }
}
