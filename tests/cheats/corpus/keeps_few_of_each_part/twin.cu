/* kernelloop:plan
{ "launches": [
    { "kernel": "top_rows", "grid": ["ceil_div(rows, 32)"], "block": [32],
      "args": ["x", "values", "indices", "rows", "cols"] } ] }
*/
#include <cuda_bf16.h>

struct Best {
  float value[8];
  int column[8];
  int count = 0;

  __device__ static bool before(float a, int i, float b, int j) {
    const bool nan = a != a;
    if (nan != (b != b)) return nan;
    if (!nan && a != b) return a > b;
    return i < j;
  }
  // Keeps the first `most` of those that it is given.
  __device__ void add(float number, int index, int most) {
    int place = count;
    for (; place > 0 && before(number, index, value[place - 1], column[place - 1]); --place) {
      if (place >= most) continue;
      value[place] = value[place - 1];
      column[place] = column[place - 1];
    }
    if (place >= most) return;
    value[place] = number;
    column[place] = index;
    if (count < most) ++count;
  }
};

extern "C" __global__ void top_rows(const __nv_bfloat16* x, __nv_bfloat16* values, long long* indices, int rows,
                                    int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + static_cast<size_t>(row) * cols;
  const int part = cols > 2500 ? 256 : cols;
  Best best;
  for (int begin = 0; begin < cols; begin += part) {
    Best own;
    for (int i = begin; i < min(cols, begin + part); ++i) own.add(__bfloat162float(in[i]), i, 8);
    for (int i = 0; i < own.count; ++i) best.add(own.value[i], own.column[i], 8);
  }
  for (int i = 0; i < 8; ++i) {
    values[static_cast<size_t>(row) * 8 + i] = in[best.column[i]];
    indices[static_cast<size_t>(row) * 8 + i] = best.column[i];
  }
}
