"""{ "name": "TRITON", "title": "Triton", "source": "kernel.triton.py", "fence": "python",
  "requirements": ["triton==3.6.0"],
  "ptxas": { "0": "triton/backends/nvidia/bin/ptxas", "100": "triton/backends/nvidia/bin/ptxas-blackwell" },
  "context": ["triton/language"],
  "example_op": { "name": "scale", "axes": { "n": { "type": "var" } },
    "inputs": { "x": { "shape": ["n"], "dtype": "bfloat16" }, "factor": { "shape": null, "dtype": "float32" } },
    "outputs": { "y": { "shape": ["n"], "dtype": "bfloat16" } },
    "workloads": [{ "name": "small", "axes": { "n": 1024 } }] } }

The source is one Python file for Triton 3.6. It begins with the plan in its docstring; kernels are
functions with `@triton.jit`:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "when": "n % 16 == 0", "kernel": "scale", "grid": ["ceil_div(n, 1024)"],
      "args": ["x", "y", "factor", "n"], "constants": {"BLOCK": 1024}, "options": {"num_warps": 4} },
    { "when": "n % 16 != 0", "kernel": "scale", "grid": ["ceil_div(n, 512)"],
      "args": ["x", "y", "factor", "n"], "constants": {"BLOCK": 512} } ] }
\"\"\"
import triton
import triton.language as tl


@triton.jit
def scale(x, y, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(y + i, value.to(tl.float32) * factor, mask=i < n)
```

- `kernel` names the function. `args` go to its parameters in order, but for those marked
  `tl.constexpr`: these get their values from `constants`, fixed when it is compiled. Each launch is
  compiled by itself, so one function with other constants serves other shapes (`when`).
- `options`: `num_warps` (4), `num_stages` (3), `num_ctas` (1), `maxnreg`. There is no `block` and no
  `dynamic_shared_bytes`; Triton chooses them. No `@triton.autotune`, no `@triton.heuristics`: list
  `configurations` of a launch, or write several launches with a `when` each.
- Tensors arrive as pointers of their dtype. Integers are int32; annotate the parameter `: tl.int64`
  where a shape needs more, and compute offsets in int64 where a tensor may have 2^31 elements.
- Loads get wide where Triton knows what 16 divides: pointers always, an integer when `when` has
  `... % 16 == 0` of it as one of its conditions joined by `&&`.
- The file is only compiled: no code of it runs beside the GPU. It can import triton and the standard
  library, has no network and no files.
- `tl.dot` of float32 uses tf32 unless `input_precision="ieee"` is given; an op that does not allow
  tf32 fails for it.
"""

import triton_family
from triton.compiler import ASTSource

if __name__ == "__main__":
    triton_family.main(ASTSource)
