"""kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0 && ceil_div(m, 128) * ceil_div(n, 256) >= 100", "kernel": "gemm", "grid": ["ceil_div(m, 128)", "ceil_div(n, 256)"],
      "args": ["a", "b", "c"], "constants": {"BM": 128, "BN": 256, "BK": 64, "STAGES": 3, "PLAIN": false, "THREADS": 256} },
    { "when": "k % 8 == 0 && ceil_div(m, 128) * ceil_div(n, 256) < 100", "kernel": "gemm", "grid": ["ceil_div(m, 64)", "ceil_div(n, 64)"],
      "args": ["a", "b", "c"], "constants": {"BM": 64, "BN": 64, "BK": 64, "STAGES": 4, "PLAIN": false, "THREADS": 128} },
    { "when": "k % 8 != 0", "kernel": "gemm", "grid": ["ceil_div(m, 64)", "ceil_div(n, 64)"],
      "args": ["a", "b", "c"], "constants": {"BM": 64, "BN": 64, "BK": 32, "STAGES": 1, "PLAIN": true, "THREADS": 128} } ] }
"""
import tilelang.language as T


def gemm(BM, BN, BK, STAGES, PLAIN, THREADS):
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def main(A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((n, k), "bfloat16"),
             C: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(T.ceildiv(m, BM), T.ceildiv(n, BN), threads=THREADS) as (by, bx):
            left = T.alloc_shared((BM, BK), "bfloat16")
            right = T.alloc_shared((BN, BK), "bfloat16")
            sums = T.alloc_fragment((BM, BN), "float32")
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, BK), num_stages=STAGES):
                T.copy(A[by * BM, step * BK], left, disable_tma=PLAIN)
                T.copy(B[bx * BN, step * BK], right, disable_tma=PLAIN)
                T.gemm(left, right, sums, transpose_B=True)
            T.copy(sums, C[by * BM, bx * BN], disable_tma=True)

    return main
