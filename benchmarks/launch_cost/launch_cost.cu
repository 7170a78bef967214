// What a call of a generated launcher costs beside a plain <<<>>> launch of the same kernel.
//
//   launch_cost                        host time per call, per captured call, per replayed node
//   launch_cost --first-call-captured  is a first call during a stream capture legal, and right?
//
// Plain and generated batches alternate, and the ratios are medians over pairs, so that a drift of
// the machine hits both.
#include "touch_rows.cu"
#include "touch_rows.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int k_calls = 400;  // a stream takes about 1000 launches before the host waits
constexpr int k_pairs = 200;
constexpr int k_warm_up = 10;
constexpr std::int64_t k_rows = 1;
constexpr std::int64_t k_cols = 32;

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "launch_cost: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

struct Buffers {
  Buffers() {
    require(cudaMalloc(&x, k_rows * k_cols * sizeof(float)), "cudaMalloc");
    require(cudaMalloc(&y, k_rows * k_cols * sizeof(float)), "cudaMalloc");
    require(cudaMemset(x, 0x3F, k_rows * k_cols * sizeof(float)), "cudaMemset");
    require(cudaMemset(y, 0, k_rows * k_cols * sizeof(float)), "cudaMemset");
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  bool copied() const {
    std::vector<char> left(k_rows * k_cols * sizeof(float));
    std::vector<char> right(left.size());
    require(cudaMemcpy(left.data(), x, left.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(right.data(), y, right.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return left == right;
  }
  float* x = nullptr;
  float* y = nullptr;
  cudaStream_t stream = nullptr;
};

void plain_call(const Buffers& buffers) {
  touch_rows<<<k_rows, 32, k_cols * sizeof(float), buffers.stream>>>(
      buffers.x, buffers.y, static_cast<int>(k_rows), static_cast<int>(k_cols));
}

void generated_call(const Buffers& buffers) {
  const cudaError_t status =
      kernelloop::ops::touch_rows(buffers.x, buffers.y, k_rows, k_cols, buffers.stream);
  if (status != cudaSuccess) require(status, "touch_rows");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using Call = void (*)(const Buffers&);

// Nanoseconds of host time per call. The stream is empty before and drained after.
double host_time(const Buffers& buffers, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < k_calls; ++i) call(buffers);
  const auto end = std::chrono::steady_clock::now();
  require(cudaGetLastError(), "launch");
  require(cudaStreamSynchronize(buffers.stream), "cudaStreamSynchronize");
  return std::chrono::duration<double, std::nano>(end - begin).count() / k_calls;
}

// The same while the stream is captured; the graph comes out in `graph`.
double capture_time(const Buffers& buffers, Call call, cudaGraph_t& graph) {
  require(cudaStreamBeginCapture(buffers.stream, cudaStreamCaptureModeGlobal), "begin capture");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < k_calls; ++i) call(buffers);
  const auto end = std::chrono::steady_clock::now();
  require(cudaStreamEndCapture(buffers.stream, &graph), "end capture");
  return std::chrono::duration<double, std::nano>(end - begin).count() / k_calls;
}

// Nanoseconds of device time per node of a graph that was just captured.
double replay_time(const Buffers& buffers, cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  float milliseconds = 0;
  for (int round = 0; round < 3; ++round) {
    require(cudaEventRecord(begin, buffers.stream), "cudaEventRecord");
    require(cudaGraphLaunch(executable, buffers.stream), "cudaGraphLaunch");
    require(cudaEventRecord(end, buffers.stream), "cudaEventRecord");
    require(cudaEventSynchronize(end), "cudaEventSynchronize");
    require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  }
  require(cudaEventDestroy(begin), "cudaEventDestroy");
  require(cudaEventDestroy(end), "cudaEventDestroy");
  require(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  return milliseconds * 1e6 / k_calls;
}

struct Paired {
  void add(double plain_ns, double generated_ns) {
    plain.push_back(plain_ns);
    generated.push_back(generated_ns);
    ratios.push_back(generated_ns / plain_ns);
  }
  void print(const char* what) const {
    std::printf("%-34s %9.0f ns %9.0f ns %8.3f\n", what, median(plain), median(generated),
                median(ratios));
  }
  std::vector<double> plain;
  std::vector<double> generated;
  std::vector<double> ratios;
};

void compare(const Buffers& buffers) {
  Paired calls;
  Paired captured;
  Paired replayed;
  for (int pair = -k_warm_up; pair < k_pairs; ++pair) {
    // Each goes first in every other pair.
    double plain = 0;
    double generated = 0;
    if (pair % 2 == 0) plain = host_time(buffers, plain_call);
    generated = host_time(buffers, generated_call);
    if (pair % 2 != 0) plain = host_time(buffers, plain_call);
    if (pair >= 0) calls.add(plain, generated);
  }
  for (int pair = -2; pair < k_pairs / 5; ++pair) {
    cudaGraph_t plain_graph = nullptr;
    cudaGraph_t generated_graph = nullptr;
    const double plain = capture_time(buffers, plain_call, plain_graph);
    const double generated = capture_time(buffers, generated_call, generated_graph);
    const double plain_node = replay_time(buffers, plain_graph);
    const double generated_node = replay_time(buffers, generated_graph);
    if (pair >= 0) {
      captured.add(plain, generated);
      replayed.add(plain_node, generated_node);
    }
    require(cudaGraphDestroy(plain_graph), "cudaGraphDestroy");
    require(cudaGraphDestroy(generated_graph), "cudaGraphDestroy");
  }
  std::printf("%-34s %12s %12s %8s\n", "", "<<<>>>", "generated", "ratio");
  calls.print("host time of a call");
  captured.print("host time of a captured call");
  replayed.print("device time of a replayed node");
}

// Nothing was loaded before: the launcher has to load while the stream is captured.
int first_call_captured() {
  const Buffers buffers;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require(cudaStreamBeginCapture(buffers.stream, cudaStreamCaptureModeGlobal), "begin capture");
  const cudaError_t status =
      kernelloop::ops::touch_rows(buffers.x, buffers.y, k_rows, k_cols, buffers.stream);
  std::printf("first call during a capture: %s\n", cudaGetErrorString(status));
  require(cudaStreamEndCapture(buffers.stream, &graph), "end capture");
  require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  require(cudaGraphLaunch(executable, buffers.stream), "cudaGraphLaunch");
  require(cudaStreamSynchronize(buffers.stream), "cudaStreamSynchronize");
  std::printf("replayed result: %s\n", buffers.copied() ? "right" : "WRONG");
  return status == cudaSuccess && buffers.copied() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::printf("%s, %s\n", properties.name, kernelloop::ops::touch_rows_version());
  if (argc > 1 && std::strcmp(argv[1], "--first-call-captured") == 0) {
    return first_call_captured();
  }
  const Buffers buffers;
  const auto begin = std::chrono::steady_clock::now();
  require(kernelloop::ops::touch_rows_prepare(), "touch_rows_prepare");
  const std::chrono::duration<double, std::milli> load = std::chrono::steady_clock::now() - begin;
  std::printf("prepare: %.2f ms\n", load.count());
  generated_call(buffers);
  require(cudaStreamSynchronize(buffers.stream), "cudaStreamSynchronize");
  if (!buffers.copied()) {
    std::fprintf(stderr, "launch_cost: the generated launcher gave a wrong result\n");
    return 1;
  }
  plain_call(buffers);
  require(cudaStreamSynchronize(buffers.stream), "cudaStreamSynchronize");
  compare(buffers);
  return 0;
}
