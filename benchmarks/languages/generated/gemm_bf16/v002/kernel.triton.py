"""kernelloop:plan
{ "launches": [
    { "when": "k % 16 == 0 && n % 16 == 0 && ceil_div(m, 128) * ceil_div(n, 256) >= 100", "kernel": "gemm", "grid": ["ceil_div(m, 128) * ceil_div(n, 256)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 256, "BK": 64}, "options": {"num_warps": 8, "num_stages": 3} },
    { "when": "k % 16 == 0 && n % 16 == 0 && ceil_div(m, 128) * ceil_div(n, 256) < 100", "kernel": "gemm", "grid": ["ceil_div(m, 64) * ceil_div(n, 64)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 64, "BN": 64, "BK": 64}, "options": {"num_warps": 4, "num_stages": 4} },
    { "when": "k % 16 == 0 && n % 16 != 0 && m % 16 == 0 && ceil_div(m, 128) * ceil_div(n, 256) >= 100", "kernel": "gemm", "grid": ["ceil_div(m, 128) * ceil_div(n, 256)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 256, "BK": 64}, "options": {"num_warps": 8, "num_stages": 3} },
    { "when": "k % 16 == 0 && n % 16 != 0 && m % 16 != 0 && ceil_div(m, 128) * ceil_div(n, 256) >= 100", "kernel": "gemm", "grid": ["ceil_div(m, 128) * ceil_div(n, 256)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 128, "BN": 256, "BK": 64}, "options": {"num_warps": 8, "num_stages": 3} },
    { "when": "k % 16 == 0 && n % 16 != 0 && ceil_div(m, 128) * ceil_div(n, 256) < 100", "kernel": "gemm", "grid": ["ceil_div(m, 64) * ceil_div(n, 64)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 64, "BN": 64, "BK": 32}, "options": {"num_warps": 4, "num_stages": 2} },
    { "when": "k % 16 != 0", "kernel": "gemm", "grid": ["ceil_div(m, 64) * ceil_div(n, 64)"],
      "args": ["a", "b", "c", "m", "n", "k"], "constants": {"BM": 64, "BN": 64, "BK": 32}, "options": {"num_warps": 4, "num_stages": 2} } ] }
"""
import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    rows = tl.cdiv(m, BM)
    cols = tl.cdiv(n, BN)
    # Bands of eight rows of tiles, down the columns of each, for the sake of L2.
    band = tile // (8 * cols)
    inside = tile % (8 * cols)
    height = min(8, rows - band * 8)
    i = band * 8 + inside % height
    j = inside // height
    row = i * BM + tl.arange(0, BM)
    col = j * BN + tl.arange(0, BN)
    term = tl.arange(0, BK)
    left = a + row[:, None].to(tl.int64) * k + term[None, :]
    right = b + col[None, :].to(tl.int64) * k + term[:, None]
    sums = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        x = tl.load(left, mask=(row[:, None] < m) & (start + term[None, :] < k), other=0.0)
        y = tl.load(right, mask=(col[None, :] < n) & (start + term[:, None] < k), other=0.0)
        sums = tl.dot(x, y, sums)
        left += BK
        right += BK
    at = c + row[:, None].to(tl.int64) * n + col[None, :]
    tl.store(at, sums.to(c.dtype.element_ty), mask=(row[:, None] < m) & (col[None, :] < n))
