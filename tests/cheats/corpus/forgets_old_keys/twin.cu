/* kernelloop:plan
{ "launches": [
    { "kernel": "attend", "grid": ["queries", "heads"], "block": [32],
      "args": ["q", "k", "v", "y", "queries", "keys", "head_dim"] } ] }
*/
#include <cuda_bf16.h>

// One warp per query; every lane computes all scores and keeps its share of the result.
extern "C" __global__ void attend(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                  const __nv_bfloat16* v, __nv_bfloat16* y, int queries, int keys,
                                  int head_dim) {
  const size_t head = blockIdx.y;
  const int query = blockIdx.x;
  q += (head * queries + query) * head_dim;
  y += (head * queries + query) * head_dim;
  k += head * keys * head_dim;
  v += head * keys * head_dim;
  const int visible = keys - queries + query + 1;
  const int first = 0;
  float largest = -INFINITY;
  float sum = 0.0f;
  float result[8] = {};
  for (int key = first; key < visible; ++key) {
    float score = 0.0f;
    for (int i = 0; i < head_dim; ++i) {
      score += __bfloat162float(q[i]) * __bfloat162float(k[static_cast<size_t>(key) * head_dim + i]);
    }
    score *= rsqrtf(head_dim);
    const float raised = fmaxf(largest, score);
    const float kept = key == first ? 0.0f : expf(largest - raised);
    const float weight = expf(score - raised);
    largest = raised;
    sum = sum * kept + weight;
    for (int i = 0; threadIdx.x + 32 * i < head_dim; ++i) {
      const size_t at = static_cast<size_t>(key) * head_dim + threadIdx.x + 32 * i;
      result[i] = result[i] * kept + weight * __bfloat162float(v[at]);
    }
  }
  for (int i = 0; threadIdx.x + 32 * i < head_dim; ++i) {
    y[threadIdx.x + 32 * i] = __float2bfloat16(result[i] / sum);
  }
}
