"""kernelloop:plan
{ "launches": [
    { "when": "k % 16 == 0 && n % 16 == 0", "kernel": "gemm", "grid": ["ceil_div(m, 128) * ceil_div(n, 128)"],
      "args": ["a", "b", "c"], "constants": {"TM": 128, "TN": 128, "TK": 64} },
    { "when": "k % 16 != 0 || n % 16 != 0", "kernel": "gemm", "grid": ["ceil_div(m, 64) * ceil_div(n, 64)"],
      "args": ["a", "b", "c"], "constants": {"TM": 64, "TN": 64, "TK": 32} } ] }
"""
import cuda.tile as ct


@ct.kernel
def gemm(a, b, c, TM: ct.Constant[int], TN: ct.Constant[int], TK: ct.Constant[int]):
    rows = ct.num_tiles(c, axis=0, shape=(TM, TN))
    i = ct.bid(0) % rows
    j = ct.bid(0) // rows
    sums = ct.full((TM, TN), 0, dtype=ct.float32)
    for step in range(ct.num_tiles(a, axis=1, shape=(TM, TK))):
        x = ct.load(a, index=(i, step), shape=(TM, TK), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(j, step), shape=(TN, TK), padding_mode=ct.PaddingMode.ZERO)
        sums = ct.mma(x, ct.transpose(y), sums)
    ct.store(c, index=(i, j), tile=ct.astype(sums, c.dtype))
