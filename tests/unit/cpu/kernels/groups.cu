// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void groups(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quad = cg::tiled_partition<4>(warp);
  const int t = block.thread_rank();
  const int n = block.size();
  __shared__ int shared[128];
  shared[t] = t;
  block.sync();
  int* o = out;
  o[t] = shared[n - 1 - t];
  o += n;
  o[t] = warp.meta_group_rank() * 100 + quad.meta_group_rank() * 10 + quad.thread_rank();
  o += n;
  o[t] = cg::reduce(warp, t, cg::plus<int>());
  o += n;
  o[t] = cg::reduce(quad, t, cg::greater<int>()) - cg::reduce(quad, t, cg::less<int>());
  o += n;
  o[t] = quad.shfl(t, 2) + quad.shfl_down(t, 1) + quad.shfl_up(t, 1) + quad.shfl_xor(t, 3);
  o += n;
  o[t] = cg::inclusive_scan(quad, 1) * 10 + cg::exclusive_scan(quad, 1);
  o += n;
  o[t] = quad.ballot(t % 2) * 10 + quad.any(t % 4 == 3) + quad.all(t % 4 == 3) + warp.num_threads();
  o += n;
  if (t % 3 == 0) {
    const auto active = cg::coalesced_threads();
    o[t] = active.size() * 100 + active.thread_rank();
    cg::sync(active);
  }
  cg::sync(block);
}
