"""{ "name": "GLUON", "title": "Gluon", "source": "kernel.gluon.py", "fence": "python",
  "requirements": ["triton==3.6.0"],
  "ptxas": { "0": "triton/backends/nvidia/bin/ptxas", "100": "triton/backends/nvidia/bin/ptxas-blackwell" },
  "context": ["triton/experimental/gluon", "triton/language"],
  "example_op": { "name": "scale", "axes": { "n": { "type": "var" } },
    "inputs": { "x": { "shape": ["n"], "dtype": "bfloat16" }, "factor": { "shape": null, "dtype": "float32" } },
    "outputs": { "y": { "shape": ["n"], "dtype": "bfloat16" } },
    "workloads": [{ "name": "small", "axes": { "n": 1024 } }] } }

The source is one Python file for Gluon, the lower level of Triton 3.6: layouts, shared memory and
asynchronous copies are yours to choose. It begins with the plan in its docstring; kernels are
functions with `@gluon.jit`:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "when": "n % 16 == 0", "kernel": "scale", "grid": ["ceil_div(n, 2048)"],
      "args": ["x", "y", "factor", "n"], "constants": {"BLOCK": 2048}, "options": {"num_warps": 4} } ] }
\"\"\"
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def scale(x, y, factor, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([8], [32], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + i, mask=i < n)
    gl.store(y + i, (value.to(gl.float32) * factor).to(value.dtype), mask=i < n)
```

- `kernel` names the function. `args` go to its parameters in order, but for those marked
  `gl.constexpr`: these get their values from `constants`, fixed when it is compiled. Each launch is
  compiled by itself, so one function with other constants serves other shapes (`when`).
- `options`: `num_warps` (4), `num_ctas` (1), `maxnreg`. There is no `block` and no
  `dynamic_shared_bytes`; the compiler chooses them. No autotuning: list
  `configurations` of a launch, or write several launches with a `when` each.
- Every tensor has a layout, which you choose: `gl.BlockedLayout(size_per_thread, threads_per_warp,
  warps_per_cta, order)`, `gl.SliceLayout(dim, parent)`; `gl.convert_layout` goes through shared memory.
- Tensors arrive as pointers of their dtype. Integers are int32; annotate the parameter `: gl.int64`
  where a shape needs more, and compute offsets in int64 where a tensor may have 2^31 elements.
- Loads get wide where the compiler knows what 16 divides: pointers always, an integer when `when`
  has `... % 16 == 0` of it as one of its conditions joined by `&&`.
- The file is only compiled: no code of it runs beside the GPU. It can import triton and the standard
  library, has no network and no files.
"""

import triton_family
from triton.experimental.gluon._runtime import GluonASTSource

if __name__ == "__main__":
    triton_family.main(GluonASTSource)
