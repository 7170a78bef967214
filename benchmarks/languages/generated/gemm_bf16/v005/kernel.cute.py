"""kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0 && n % 8 == 0 && ceil_div(m, 128) * ceil_div(n, 256) >= 100", "kernel": "gemm_tma", "grid": ["ceil_div(m, 128) * ceil_div(n, 256)"],
      "args": [{ "tensor_map": { "tensor": "a", "box": [64, 128], "swizzle": "128B", "l2_promotion": "128B" } },
               { "tensor_map": { "tensor": "b", "box": [64, 256], "swizzle": "128B", "l2_promotion": "128B" } },
               "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 256, "STAGES": 4, "PAIRS": 1}, "options": {"threads": 256} },
    { "when": "k % 8 == 0 && n % 8 == 0 && ceil_div(m, 128) * ceil_div(n, 256) < 100", "kernel": "gemm_tma", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"],
      "args": [{ "tensor_map": { "tensor": "a", "box": [64, 128], "swizzle": "128B", "l2_promotion": "128B" } },
               { "tensor_map": { "tensor": "b", "box": [64, 128], "swizzle": "128B", "l2_promotion": "128B" } },
               "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 128, "STAGES": 4, "PAIRS": 1}, "options": {"threads": 256} },
    { "when": "k % 8 == 0 && n % 8 != 0", "kernel": "gemm_tma", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"],
      "args": [{ "tensor_map": { "tensor": "a", "box": [64, 128], "swizzle": "128B", "l2_promotion": "128B" } },
               { "tensor_map": { "tensor": "b", "box": [64, 128], "swizzle": "128B", "l2_promotion": "128B" } },
               "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 128, "STAGES": 4, "PAIRS": 0}, "options": {"threads": 256} },
    { "when": "k % 8 != 0", "kernel": "gemm", "grid": ["ceil_div(m, 128) * ceil_div(n, 64)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"COLS": 64, "WIDE": 1}, "options": {"threads": 256} } ] }
"""
import cutlass
import cutlass.cute as cute
import cutlass.utils.hopper_helpers as hopper
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.memory import SmemAllocator
from cutlass.utils import LayoutEnum

ROWS = 128
TERMS = 64
THREADS = 256


@cute.jit
def fetch(source: cute.Tensor, held: cute.Tensor, first: cutlass.Int32, count: cutlass.Int32, start: cutlass.Int32,
          k: cutlass.Int32, WIDE: cutlass.Constexpr):
    # Vectors of this thread: lines of TERMS terms, zeros beyond the edges.
    tid, _, _ = cute.arch.thread_idx()
    for i in cutlass.range_constexpr(cute.size(held, mode=[1])):
        vector = i * THREADS + tid
        line = vector // (TERMS // 8)
        term = start + vector % (TERMS // 8) * 8
        for e in cutlass.range_constexpr(8):
            held[e, i] = source.element_type(0.0)
        if first + line < count:
            row = source[first + line, None]
            if cutlass.const_expr(WIDE == 8):
                if term < k:
                    cute.autovec_copy(cute.local_tile(row, (8,), (term // 8,)), held[None, i])
            else:
                for e in cutlass.range_constexpr(8):
                    if term + e < k:
                        held[e, i] = row[term + e]


@cute.jit
def put(held: cute.Tensor, stage: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    for i in cutlass.range_constexpr(cute.size(held, mode=[1])):
        vector = i * THREADS + tid
        place = cute.local_tile(stage, (1, 8), (vector // (TERMS // 8), vector % (TERMS // 8)))
        cute.autovec_copy(held[None, i], place[0, None])


@cute.jit
def rows_of(p: cute.Pointer, rows: cutlass.Int32, k: cutlass.Int32, WIDE: cutlass.Constexpr):
    stride = cutlass.Int64(k)
    if cutlass.const_expr(WIDE == 8):
        stride = cute.assume(stride, divby=8)
    return cute.make_tensor(p, cute.make_layout((rows, k), stride=(stride, 1)))


@cute.kernel
def gemm(a: cute.Pointer, b: cute.Pointer, c: cute.Pointer, m: cutlass.Int32, n: cutlass.Int32, k: cutlass.Int32,
         COLS: cutlass.Constexpr, WIDE: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    tile_rows = (m + ROWS - 1) // ROWS
    first_row = bid % tile_rows * ROWS
    first_col = bid // tile_rows * COLS
    ga = rows_of(a, m, k, WIDE)
    gb = rows_of(b, n, k, WIDE)
    gc = cute.make_tensor(c, cute.make_layout((m, n), stride=(cutlass.Int64(n), 1)))

    mma = hopper.make_trivial_tiled_mma(
        ga.element_type, gb.element_type, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K,
        cutlass.Float32, (2, 1, 1), (64, COLS))
    shape = (ROWS, COLS, TERMS)
    left_layout = hopper.make_smem_layout_a(LayoutEnum.ROW_MAJOR, shape, ga.element_type, 2)
    right_layout = hopper.make_smem_layout_b(LayoutEnum.ROW_MAJOR, shape, gb.element_type, 2)
    memory = SmemAllocator()
    left = memory.allocate_tensor(ga.element_type, left_layout.outer, 1024, left_layout.inner)
    right = memory.allocate_tensor(gb.element_type, right_layout.outer, 1024, right_layout.inner)
    thread = mma.get_slice(tid)
    terms_left = mma.make_fragment_A(thread.partition_A(left))
    terms_right = mma.make_fragment_B(thread.partition_B(right))
    sums = cute.make_rmem_tensor(mma.partition_shape_C((ROWS, COLS)), cutlass.Float32)
    sums.fill(0.0)
    held_left = cute.make_rmem_tensor(cute.make_layout((8, ROWS * TERMS // 8 // THREADS)), ga.element_type)
    held_right = cute.make_rmem_tensor(cute.make_layout((8, COLS * TERMS // 8 // THREADS)), gb.element_type)
    mma.set(warpgroup.Field.ACCUMULATE, True)

    steps = (k + TERMS - 1) // TERMS
    fetch(ga, held_left, first_row, m, 0, k, WIDE)
    fetch(gb, held_right, first_col, n, 0, k, WIDE)
    for step in cutlass.range(steps, unroll=1):
        now = step % 2
        put(held_left, left[None, None, now])
        put(held_right, right[None, None, now])
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()  # and the products before the last are done: each thread waited for them
        warpgroup.fence()
        for part in cutlass.range_constexpr(cute.size(terms_left, mode=[2])):
            cute.gemm(mma, sums, terms_left[None, None, part, now], terms_right[None, None, part, now], sums)
        warpgroup.commit_group()
        fetch(ga, held_left, first_row, m, (step + 1) * TERMS, k, WIDE)
        fetch(gb, held_right, first_col, n, (step + 1) * TERMS, k, WIDE)
        warpgroup.wait_group(0)

    places = thread.partition_C(cute.make_identity_tensor((ROWS, COLS)))
    for i in cutlass.range_constexpr(cute.size(sums)):
        row = first_row + places[i][0]
        col = first_col + places[i][1]
        if row < m:
            if col < n:
                gc[row, col] = sums[i].to(gc.element_type)


@cute.kernel
def gemm_tma(ta: cute.CopyAtom, a: cute.Tensor, tb: cute.CopyAtom, b: cute.Tensor, c: cute.Pointer,
             m: cutlass.Int32, n: cutlass.Int32, k: cutlass.Int32, BM: cutlass.Constexpr, BN: cutlass.Constexpr,
             STAGES: cutlass.Constexpr, PAIRS: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    tile_rows = (m + BM - 1) // BM
    i = bid % tile_rows
    j = bid // tile_rows
    kind = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.BFloat16)
    la = cute.tile_to_shape(kind, (BM, 64, STAGES), order=(0, 1, 2))
    lb = cute.tile_to_shape(kind, (BN, 64, STAGES), order=(0, 1, 2))
    memory = SmemAllocator()
    full = memory.allocate_array(cutlass.Int64, STAGES)
    left = memory.allocate_tensor(cutlass.BFloat16, la.outer, 1024, la.inner)
    right = memory.allocate_tensor(cutlass.BFloat16, lb.outer, 1024, lb.inner)
    if tid == 0:
        for s in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + s, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    ga = cute.local_tile(a, (BM, 64), (i, None))
    gb = cute.local_tile(b, (BN, 64), (j, None))
    sa, fa = cpasync.tma_partition(ta, 0, cute.make_layout(1), cute.group_modes(left, 0, 2), cute.group_modes(ga, 0, 2))
    sb, fb = cpasync.tma_partition(tb, 0, cute.make_layout(1), cute.group_modes(right, 0, 2), cute.group_modes(gb, 0, 2))
    steps = (k + 63) // 64
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp == 0:
        for s in cutlass.range_constexpr(STAGES - 1):
            if s < steps:
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive_and_expect_tx(full + s, (BM + BN) * 128)
                cute.copy(ta, fa[None, s], sa[None, s], tma_bar_ptr=full + s)
                cute.copy(tb, fb[None, s], sb[None, s], tma_bar_ptr=full + s)
    mma = hopper.make_trivial_tiled_mma(cutlass.BFloat16, cutlass.BFloat16, warpgroup.OperandMajorMode.K, warpgroup.OperandMajorMode.K, cutlass.Float32, (2, 1, 1), (64, BN))
    thread = mma.get_slice(tid)
    ra = mma.make_fragment_A(thread.partition_A(left))
    rb = mma.make_fragment_B(thread.partition_B(right))
    sums = cute.make_rmem_tensor(mma.partition_shape_C((BM, BN)), cutlass.Float32)
    sums.fill(0.0)
    mma.set(warpgroup.Field.ACCUMULATE, True)
    for step in cutlass.range(steps, unroll=1):
        now = step % STAGES
        cute.arch.mbarrier_wait(full + now, step // STAGES % 2)
        warpgroup.fence()
        for part in cutlass.range_constexpr(cute.size(ra, mode=[2])):
            cute.gemm(mma, sums, ra[None, None, part, now], rb[None, None, part, now], sums)
        warpgroup.commit_group()
        warpgroup.wait_group(1)  # these products go on; those of the step before have ended, so its stage is free
        cute.arch.sync_threads()
        later = step + STAGES - 1
        if warp == 0:
            if later < steps:
                free = later % STAGES
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive_and_expect_tx(full + free, (BM + BN) * 128)
                cute.copy(ta, fa[None, later], sa[None, free], tma_bar_ptr=full + free)
                cute.copy(tb, fb[None, later], sb[None, free], tma_bar_ptr=full + free)
    warpgroup.wait_group(0)
    places = thread.partition_C(cute.make_identity_tensor((BM, BN)))
    if cutlass.const_expr(PAIRS):
        pairs = cute.make_tensor(cute.recast_ptr(c, dtype=cutlass.Int32), cute.make_layout((m, n // 2), stride=(cutlass.Int64(n // 2), 1)))
        half = cute.make_rmem_tensor(cute.make_layout(2), cutlass.BFloat16)
        both = cute.recast_tensor(half, cutlass.Int32)
        for e in cutlass.range_constexpr(0, cute.size(sums), 2):
            row = i * BM + places[e][0]
            col = j * BN + places[e][1]
            half[0] = sums[e].to(cutlass.BFloat16)
            half[1] = sums[e + 1].to(cutlass.BFloat16)
            if row < m:
                if col < n:
                    pairs[row, col // 2] = both[0]
    else:
        gc = cute.make_tensor(c, cute.make_layout((m, n), stride=(cutlass.Int64(n), 1)))
        for e in cutlass.range_constexpr(cute.size(sums)):
            row = i * BM + places[e][0]
            col = j * BN + places[e][1]
            if row < m:
                if col < n:
                    gc[row, col] = sums[e].to(cutlass.BFloat16)
