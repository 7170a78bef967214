/* kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0", "kernel": "argmax_vectors", "grid": ["rows"], "block": [32],
      "args": ["x", "index", "cols / 8"] },
    { "when": "cols % 8 != 0", "kernel": "argmax_any", "grid": ["rows"], "block": [32],
      "args": ["x", "index", "cols"] } ] }
*/

// Keys in the order of the elements: NaN above all, the two zeros equal.
__device__ unsigned key_of(unsigned bits) {
  if ((bits & 0x7fffu) > 0x7f80u) return 0xffffu;
  return bits & 0x8000u ? 0xffffu ^ bits : bits | 0x8000u;
}

// Of equal keys the lower column counts as greater.
__device__ unsigned long long entry_of(unsigned bits, unsigned column) {
  return static_cast<unsigned long long>(key_of(bits)) << 32 | (0xffffffffu - column);
}

__device__ void write_greatest(unsigned long long best, long long* index) {
  for (int offset = 16; offset > 0; offset /= 2) {
    best = max(best, __shfl_xor_sync(0xffffffffu, best, offset));
  }
  if (threadIdx.x == 0) index[blockIdx.x] = 0xffffffffu - static_cast<unsigned>(best);
}

extern "C" __global__ void argmax_vectors(const uint4* x, long long* index, int vectors) {
  const uint4* in = x + static_cast<size_t>(blockIdx.x) * vectors;
  unsigned long long best = 0;
  for (int i = threadIdx.x; i < vectors; i += 32) {
    const uint4 vector = in[i];
    const unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
    for (int j = 0; j < 4; ++j) {
      best = max(best, entry_of(words[j] & 0xffffu, 8 * i + 2 * j));
      best = max(best, entry_of(words[j] >> 16, 8 * i + 2 * j + 1));
    }
  }
  write_greatest(best, index);
}

extern "C" __global__ void argmax_any(const unsigned short* x, long long* index, int cols) {
  const unsigned short* in = x + static_cast<size_t>(blockIdx.x) * cols;
  unsigned long long best = 0;
  for (int i = threadIdx.x; i < cols; i += 32) best = max(best, entry_of(in[i], i));
  write_greatest(best, index);
}
