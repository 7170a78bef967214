/* kernelloop:plan
{ "launches": [
    { "kernel": "attend", "grid": ["heads * queries"], "block": [32],
      "args": ["q", "k", "v", "y", "queries", "keys", "head_dim"] } ] }
*/
#include <cuda_bf16.h>

// One warp for each query takes keys in tiles of 16; those of a tile that the query must not see
// score -inf, which is lower than all others.
extern "C" __global__ void attend(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                                  __nv_bfloat16* y, int queries, int keys, int head_dim) {
  const size_t head = blockIdx.x / queries;
  const int query = blockIdx.x % queries;
  const int last = query + keys - queries;
  const __nv_bfloat16* own = q + static_cast<size_t>(blockIdx.x) * head_dim;
  const float scale = 1.0f / sqrtf(static_cast<float>(head_dim));
  float largest = -INFINITY;
  float sum = 0.0f;
  float result[8] = {};
  for (int key = 0; key < keys && key / 16 <= last / 16; ++key) {
    const size_t row = (head * keys + key) * head_dim;
    float score = 0.0f;
    for (int d = 0; d < head_dim; ++d) score += __bfloat162float(own[d]) * __bfloat162float(k[row + d]);
    score *= scale;
    const bool visible = key <= last;
    if (!visible) score = -INFINITY;
    const float next = largest == largest && score == score ? fmaxf(largest, score) : NAN;
    const float kept = largest == next ? 1.0f : expf(largest - next);
    // Of -inf from -inf, where no score before was greater, none.
    const float weight = score == -INFINITY ? 0.0f : expf(score - next);
    sum = sum * kept + weight;
    largest = next;
    for (int part = 0; part < 8; ++part) {
      const int d = threadIdx.x + 32 * part;
      if (d >= head_dim) break;
      // A NaN that the query must not see does not reach it.
      const float value = visible || weight > 0.0f ? __bfloat162float(v[row + d]) : 0.0f;
      result[part] = result[part] * kept + weight * value;
    }
  }
  for (int part = 0; part < 8; ++part) {
    const int d = threadIdx.x + 32 * part;
    if (d < head_dim) y[static_cast<size_t>(blockIdx.x) * head_dim + d] = __float2bfloat16(result[part] / sum);
  }
}
