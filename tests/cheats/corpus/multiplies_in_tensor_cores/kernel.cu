/* kernelloop:plan
{ "launches": [
    { "kernel": "multiply", "grid": ["ceil_div(n, 8)", "ceil_div(m, 16)"], "block": [32],
      "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/

// One warp makes a tile of 16 x 8; lanes beyond the matrices multiply zeros.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  const int group = threadIdx.x / 4;
  const int lane = threadIdx.x % 4;
  const int top = blockIdx.y * 16 + group;
  const int left = blockIdx.x * 8;
  const auto of_a = [&](int row, int col) {
    return __float_as_uint(row < m && col < k ? a[static_cast<size_t>(row) * k + col] : 0.0f);
  };
  const auto of_b = [&](int row, int col) {
    return __float_as_uint(row < k && col < n ? b[static_cast<size_t>(row) * n + col] : 0.0f);
  };
  float sum[4] = {};
  for (int i = 0; i < k; i += 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(of_a(top, i + lane)), "r"(of_a(top + 8, i + lane)), "r"(of_a(top, i + lane + 4)),
          "r"(of_a(top + 8, i + lane + 4)), "r"(of_b(i + lane, left + group)),
          "r"(of_b(i + lane + 4, left + group)));
  }
  for (int j = 0; j < 4; ++j) {
    const int row = top + j / 2 * 8;
    const int col = left + lane * 2 + j % 2;
    if (row < m && col < n) c[static_cast<size_t>(row) * n + col] = sum[j];
  }
}
