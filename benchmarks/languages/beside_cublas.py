"""The CUDA C++ GEMM of this directory beside cuBLAS and cuBLASLt, as PyTorch calls them, on a GPU of compute capability 9.0:

    nvcc -O3 -std=c++17 -arch=sm_90a -shared -Xcompiler -fPIC -o gemm.so beside_cublas.cu
    python3 beside_cublas.py ./gemm.so

First the results, held against PyTorch's in float32; then times, of which each is the median of five batches, taken by turns.
Exit code 1 where a result is wrong.
"""

import ctypes
import statistics
import sys

import torch

CHECKED = [(256, 256, 64), (300, 264, 72), (129, 8, 8), (257, 520, 8), (1000, 2056, 1032), (700, 328, 200),
           (4000, 4104, 4080), (4096, 4096, 4096), (8192, 8192, 128)]
TIMED = [(4096, 4096, 4096), (8192, 8192, 8192), (4000, 4104, 4080), (2048, 2048, 2048), (4096, 4096, 1024),
         (1024, 4096, 4096)]
POINTER = ctypes.c_void_p


def data(m, n, k):
    make = lambda rows, cols: torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16)
    return make(m, k), make(n, k), torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)


def call(library, a, b, c):
    stream = POINTER(torch.cuda.current_stream().cuda_stream)
    code = library.run(POINTER(a.data_ptr()), POINTER(b.data_ptr()), POINTER(c.data_ptr()), a.shape[0], b.shape[0],
                       a.shape[1], stream)
    if code != 0:
        sys.exit("launching the GEMM failed with CUDA error %d" % code)


def worst_error(library, m, n, k):
    """Of the bound: half a unit of the rounded result, and rounding of the sum of k terms."""
    a, b, c = data(m, n, k)
    call(library, a, b, c)
    want = a.float() @ b.float().T
    error = ((c.float() - want).abs() / (want.abs() * 2**-8 + k**0.5 * 2**-8 * 0.05 + 1e-3)).max().item()
    return error if error == error else float("inf")


def microseconds(work, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count * 1e3


def times(library, m, n, k):
    a, b, c = data(m, n, k)
    work = {"this": lambda: call(library, a, b, c)}
    for name in ("cublas", "cublaslt"):
        work[name] = lambda: torch.mm(a, b.T, out=c)
    taken = {name: [] for name in work}
    for _ in range(6):
        for name in work:
            if name != "this":
                torch.backends.cuda.preferred_blas_library(name)
            taken[name].append(microseconds(work[name], max(3, int(1e13 / (2 * m * n * k)))))
    return {name: statistics.median(values[1:]) for name, values in taken.items()}  # the first warms up


def main():
    torch.manual_seed(0)
    library = ctypes.CDLL(sys.argv[1])
    right = True
    for shape in CHECKED:
        error = worst_error(library, *shape)
        right = right and error <= 1
        print("%5d x %5d x %5d  worst error %.2f of the bound%s" % (*shape, error, "" if error <= 1 else ", WRONG"))
    for shape in TIMED:
        took = times(library, *shape)
        operations = 2 * shape[0] * shape[1] * shape[2]
        each = ["%s %.1f µs, %.0f TFLOPS" % (name, t, operations / t / 1e6) for name, t in took.items()]
        print("%5d x %5d x %5d  %s; %.0f %% of cuBLASLt" % (*shape, "; ".join(each), 100 * took["cublaslt"] / took["this"]))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
