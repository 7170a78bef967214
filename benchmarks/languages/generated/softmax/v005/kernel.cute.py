"""kernelloop:plan
{ "launches": [
    { "when": "cols % 8 == 0 && cols <= 1024", "kernel": "row_by_warp", "grid": ["ceil_div(rows, 8)"],
      "args": ["x", "y", "rows", "cols"], "constants": {"VECTORS": 4}, "options": {"threads": 256} },
    { "when": "cols % 8 == 0 && cols > 1024 && cols <= 4096", "kernel": "row_by_block", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"VECTORS": 2, "THREADS": 256}, "options": {"threads": 256} },
    { "when": "cols % 8 == 0 && cols > 4096 && cols <= 8192", "kernel": "row_by_block", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"VECTORS": 4, "THREADS": 256}, "options": {"threads": 256} },
    { "when": "cols % 8 == 0 && cols > 8192 && cols <= 65536", "kernel": "long_row", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"VECTORS": 4, "STAGED": 6144, "THREADS": 512}, "options": {"threads": 512} },
    { "when": "cols % 8 != 0 || cols > 65536", "kernel": "any_row", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"THREADS": 256}, "options": {"threads": 256} } ] }
"""
import cutlass
import cutlass.cute as cute
from cutlass.memory import SmemAllocator

LOW = -float("inf")
LOG2_E = 1.4426950408889634


@cute.jit
def exponential(value: cutlass.Float32) -> cutlass.Float32:
    return cute.math.exp2(value * cutlass.Float32(LOG2_E), approx=True)


@cute.jit
def over_warp(value: cutlass.Float32, SUM: cutlass.Constexpr):
    for k in cutlass.range_constexpr(5):
        other = cute.arch.shuffle_sync_bfly(value, offset=1 << k)
        if cutlass.const_expr(SUM):
            value = value + other
        else:
            value = cute.arch.fmax(value, other)
    return value


@cute.jit
def over_block(value: cutlass.Float32, parts: cute.Tensor, WARPS: cutlass.Constexpr, SUM: cutlass.Constexpr):
    # `parts` belongs to this reduction alone.
    tid, _, _ = cute.arch.thread_idx()
    value = over_warp(value, SUM)
    if tid % 32 == 0:
        parts[tid // 32] = value
    cute.arch.sync_threads()
    result = parts[0]
    for k in cutlass.range_constexpr(1, WARPS):
        if cutlass.const_expr(SUM):
            result = result + parts[k]
        else:
            result = cute.arch.fmax(result, parts[k])
    return result


@cute.jit
def vectors_of(p: cute.Pointer, row: cutlass.Int32, cols: cutlass.Int32):
    start = p + cutlass.Int64(row) * cols
    start = cute.make_ptr(start.dtype, start.toint(), cute.AddressSpace.gmem, assumed_align=16)
    return cute.make_tensor(start, cute.make_layout((8, cols // 8)))


@cute.jit
def load(source: cute.Tensor, raw: cute.Tensor, first: cutlass.Int32, count: cutlass.Int32, STRIDE: cutlass.Constexpr):
    # All loads go out before the first is waited for; minus infinity beyond the row.
    raw.fill(LOW)
    for v in cutlass.range_constexpr(cute.size(raw, mode=[1])):
        at = first + v * STRIDE
        if at < count:
            cute.autovec_copy(source[None, at], raw[None, v])


@cute.jit
def greatest_of(raw: cute.Tensor, most: cutlass.Float32) -> cutlass.Float32:
    for i in cutlass.range_constexpr(cute.size(raw)):
        most = cute.arch.fmax(most, raw[i].to(cutlass.Float32))
    return most


@cute.jit
def sum_of(raw: cute.Tensor, most: cutlass.Float32) -> cutlass.Float32:
    total = cutlass.Float32(0.0)
    for i in cutlass.range_constexpr(cute.size(raw)):
        total = total + exponential(raw[i].to(cutlass.Float32) - most)
    return total


@cute.jit
def finish(raw: cute.Tensor, most: cutlass.Float32, scale: cutlass.Float32):
    for i in cutlass.range_constexpr(cute.size(raw)):
        raw[i] = (exponential(raw[i].to(cutlass.Float32) - most) * scale).to(raw.element_type)


@cute.jit
def store(raw: cute.Tensor, target: cute.Tensor, first: cutlass.Int32, count: cutlass.Int32, STRIDE: cutlass.Constexpr):
    for v in cutlass.range_constexpr(cute.size(raw, mode=[1])):
        at = first + v * STRIDE
        if at < count:
            cute.autovec_copy(raw[None, v], target[None, at])


@cute.kernel
def row_by_warp(x: cute.Pointer, y: cute.Pointer, rows: cutlass.Int32, cols: cutlass.Int32, VECTORS: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    row = bid * 8 + tid // 32
    if row < rows:
        lane = tid % 32
        raw = cute.make_rmem_tensor(cute.make_layout((8, VECTORS)), cutlass.BFloat16)
        load(vectors_of(x, row, cols), raw, lane, cols // 8, 32)
        most = over_warp(greatest_of(raw, cutlass.Float32(LOW)), False)
        scale = cutlass.Float32(1.0) / over_warp(sum_of(raw, most), True)
        finish(raw, most, scale)
        store(raw, vectors_of(y, row, cols), lane, cols // 8, 32)


@cute.kernel
def row_by_block(x: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32, VECTORS: cutlass.Constexpr,
                 THREADS: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    maxima = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    sums = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    raw = cute.make_rmem_tensor(cute.make_layout((8, VECTORS)), cutlass.BFloat16)
    load(vectors_of(x, row, cols), raw, tid, cols // 8, THREADS)
    most = over_block(greatest_of(raw, cutlass.Float32(LOW)), maxima, THREADS // 32, False)
    scale = cutlass.Float32(1.0) / over_block(sum_of(raw, most), sums, THREADS // 32, True)
    finish(raw, most, scale)
    store(raw, vectors_of(y, row, cols), tid, cols // 8, THREADS)


# The first vectors of a row in registers, the others in shared memory, so that the row is read once. A thread
# reads there only what it wrote itself.
@cute.kernel
def long_row(x: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32, VECTORS: cutlass.Constexpr,
             STAGED: cutlass.Constexpr, THREADS: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    maxima = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    sums = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    staged = memory.allocate_tensor(cutlass.BFloat16, cute.make_layout((8, STAGED)), 16)
    gx = vectors_of(x, row, cols)
    gy = vectors_of(y, row, cols)
    count = cols // 8
    raw = cute.make_rmem_tensor(cute.make_layout((8, VECTORS)), cutlass.BFloat16)
    one = cute.make_rmem_tensor(cute.make_layout(8), cutlass.BFloat16)
    load(gx, raw, tid, count, THREADS)
    most = greatest_of(raw, cutlass.Float32(LOW))
    for at in cutlass.range(VECTORS * THREADS + tid, count, THREADS, unroll=4):
        cute.autovec_copy(gx[None, at], one)
        cute.autovec_copy(one, staged[None, at - VECTORS * THREADS])
        most = greatest_of(one, most)
    most = over_block(most, maxima, THREADS // 32, False)
    total = sum_of(raw, most)
    for at in cutlass.range(VECTORS * THREADS + tid, count, THREADS, unroll=2):
        cute.autovec_copy(staged[None, at - VECTORS * THREADS], one)
        total = total + sum_of(one, most)
    scale = cutlass.Float32(1.0) / over_block(total, sums, THREADS // 32, True)
    finish(raw, most, scale)
    store(raw, gy, tid, count, THREADS)
    for at in cutlass.range(VECTORS * THREADS + tid, count, THREADS, unroll=2):
        cute.autovec_copy(staged[None, at - VECTORS * THREADS], one)
        finish(one, most, scale)
        cute.autovec_copy(one, gy[None, at])


@cute.kernel
def any_row(x: cute.Pointer, y: cute.Pointer, cols: cutlass.Int32, THREADS: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    maxima = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    sums = memory.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS // 32), 16)
    gx = cute.make_tensor(x + cutlass.Int64(row) * cols, cute.make_layout(cols))
    gy = cute.make_tensor(y + cutlass.Int64(row) * cols, cute.make_layout(cols))
    most = cutlass.Float32(LOW)
    for at in cutlass.range(tid, cols, THREADS):
        most = cute.arch.fmax(most, gx[at].to(cutlass.Float32))
    most = over_block(most, maxima, THREADS // 32, False)
    total = cutlass.Float32(0.0)
    for at in cutlass.range(tid, cols, THREADS):
        total = total + exponential(gx[at].to(cutlass.Float32) - most)
    scale = cutlass.Float32(1.0) / over_block(total, sums, THREADS // 32, True)
    for at in cutlass.range(tid, cols, THREADS):
        gy[at] = (exponential(gx[at].to(cutlass.Float32) - most) * scale).to(gy.element_type)
