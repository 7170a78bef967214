"""kernelloop:plan
{ "launches": [
    { "when": "k % 16 == 0 && n % 8 == 0", "kernel": "gemm_tma", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 128, "BK": 64, "STAGES": 4}, "options": {"num_warps": 8} },
    { "when": "k % 16 != 0 || n % 8 != 0", "kernel": "gemm_any", "grid": ["ceil_div(m, 64) * ceil_div(n, 64)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 64, "BN": 64, "BK": 32}, "options": {"num_warps": 4} } ] }
"""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def gemm_tma(a, b, c, m, n, k, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, STAGES: gl.constexpr):
    rows = (m + BM - 1) // BM
    tile = gl.program_id(0)
    first_row = tile % rows * BM
    first_col = tile // rows * BN
    left_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.bfloat16)
    right_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BN, BK], gl.bfloat16)
    a_map = tma.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK], left_layout)
    b_map = tma.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK], right_layout)
    left = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BM, BK], left_layout)
    right = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BN, BK], right_layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
    fence_async_shared()
    steps = (k + BK - 1) // BK
    for slot in gl.static_range(STAGES - 1):
        if slot < steps:
            mbarrier.expect(filled.index(slot), (BM + BN) * BK * 2)
            tma.async_copy_global_to_shared(a_map, [first_row, slot * BK], filled.index(slot), left.index(slot))
            tma.async_copy_global_to_shared(b_map, [first_col, slot * BK], filled.index(slot), right.index(slot))
    sums_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    sums = gl.zeros([BM, BN], gl.float32, sums_layout)
    for step in range(steps):
        stage = step % STAGES
        mbarrier.wait(filled.index(stage), step // STAGES % 2)
        sums = hopper.warpgroup_mma(left.index(stage), right.index(stage).permute((1, 0)), sums, is_async=True)
        sums = hopper.warpgroup_mma_wait(0, deps=[sums])
        gl.thread_barrier()
        later = step + STAGES - 1
        if later < steps:
            free = later % STAGES
            mbarrier.expect(filled.index(free), (BM + BN) * BK * 2)
            tma.async_copy_global_to_shared(a_map, [first_row, later * BK], filled.index(free), left.index(free))
            tma.async_copy_global_to_shared(b_map, [first_col, later * BK], filled.index(free), right.index(free))
    row = first_row + gl.arange(0, BM, layout=gl.SliceLayout(1, sums_layout))
    col = first_col + gl.arange(0, BN, layout=gl.SliceLayout(0, sums_layout))
    at = c + row[:, None].to(gl.int64) * n + col[None, :]
    gl.store(at, sums.to(gl.bfloat16), mask=(row[:, None] < m) & (col[None, :] < n))


@gluon.jit
def gemm_any(a, b, c, m, n, k, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    rows = (m + BM - 1) // BM
    tile = gl.program_id(0)
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [gl.num_warps(), 1], [1, 0])
    sums_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    left_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.bfloat16)
    right_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BN, BK], gl.bfloat16)
    left = gl.allocate_shared_memory(gl.bfloat16, [BM, BK], left_layout)
    right = gl.allocate_shared_memory(gl.bfloat16, [BN, BK], right_layout)
    line = tile % rows * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, layout))
    other = tile // rows * BN + gl.arange(0, BN, layout=gl.SliceLayout(1, layout))
    term = gl.arange(0, BK, layout=gl.SliceLayout(0, layout))
    sums = gl.zeros([BM, BN], gl.float32, sums_layout)
    for start in range(0, k, BK):
        at = start + term
        x = gl.load(a + line[:, None].to(gl.int64) * k + at[None, :], mask=(line[:, None] < m) & (at[None, :] < k), other=0.0)
        y = gl.load(b + other[:, None].to(gl.int64) * k + at[None, :], mask=(other[:, None] < n) & (at[None, :] < k), other=0.0)
        gl.thread_barrier()
        left.store(x)
        right.store(y)
        fence_async_shared()
        gl.thread_barrier()
        sums = hopper.warpgroup_mma(left, right.permute((1, 0)), sums, is_async=True)
        sums = hopper.warpgroup_mma_wait(0, deps=[sums])
    row = tile % rows * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, sums_layout))
    col = tile // rows * BN + gl.arange(0, BN, layout=gl.SliceLayout(0, sums_layout))
    at = c + row[:, None].to(gl.int64) * n + col[None, :]
    gl.store(at, sums.to(gl.bfloat16), mask=(row[:, None] < m) & (col[None, :] < n))
