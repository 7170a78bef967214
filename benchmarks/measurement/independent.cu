// Times the busy kernel as a well-known kind of benchmark does, with nothing of ours: a blocking
// kernel holds the stream, L2 is overwritten before each sample, an event before and after the
// launch, the median of many.
//
//   independent_times <elements> <rounds>...    a line "<rounds> <median in us>" for each
#include "busy.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int k_samples = 201;
constexpr int k_warm_up = 5;

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "independent_times: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

__global__ void block(const volatile int* released) {
  while (*released == 0) {
  }
}

class Bench {
 public:
  explicit Bench(int n) : n_(n), host_(static_cast<std::size_t>(n)) {
    unsigned int state = 7;
    for (float& value : host_) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<float>(state >> 8) * 0x1p-24f;
    }
    int l2 = 0;
    require(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
    flush_bytes_ = static_cast<std::size_t>(l2);
    require(cudaMalloc(&x_, bytes()), "cudaMalloc");
    require(cudaMalloc(&y_, bytes()), "cudaMalloc");
    require(cudaMalloc(&flush_, flush_bytes_), "cudaMalloc");
    require(cudaMallocHost(&released_, sizeof(int)), "cudaMallocHost");
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    require(cudaEventCreate(&begin_), "cudaEventCreate");
    require(cudaEventCreate(&end_), "cudaEventCreate");
    require(cudaMemcpy(x_, host_.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  double median_us(int rounds) {
    std::vector<double> samples;
    for (int i = -k_warm_up; i < k_samples; ++i) {
      const double us = sample_us(rounds);
      if (i >= 0) samples.push_back(us);
    }
    std::nth_element(samples.begin(), samples.begin() + k_samples / 2, samples.end());
    return samples[k_samples / 2];
  }

 private:
  std::size_t bytes() const { return host_.size() * sizeof(float); }

  double sample_us(int rounds) {
    require(cudaMemsetAsync(flush_, 0, flush_bytes_, stream_), "cudaMemsetAsync");
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    *static_cast<volatile int*>(released_) = 0;
    block<<<1, 1, 0, stream_>>>(released_);
    require(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    busy<<<(n_ + k_busy_threads - 1) / k_busy_threads, k_busy_threads, 0, stream_>>>(x_, y_, n_,
                                                                                     rounds);
    require(cudaEventRecord(end_, stream_), "cudaEventRecord");
    *static_cast<volatile int*>(released_) = 1;
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1000.0 * milliseconds;
  }

  int n_;
  std::vector<float> host_;
  std::size_t flush_bytes_ = 0;
  float* x_ = nullptr;
  float* y_ = nullptr;
  char* flush_ = nullptr;
  int* released_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: independent_times <elements> <rounds>...\n");
    return 2;
  }
  Bench bench(std::atoi(arguments[1]));
  for (int i = 2; i < count; ++i) {
    const int rounds = std::atoi(arguments[i]);
    std::printf("%d %.4f\n", rounds, bench.median_us(rounds));
  }
  return 0;
}
