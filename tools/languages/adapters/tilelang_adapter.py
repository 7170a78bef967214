"""{ "name": "TILELANG", "title": "TileLang", "source": "kernel.tilelang.py", "fence": "python",
  "requirements": ["tilelang==0.1.15", "torch==2.15.0", "nvidia-cuda-nvcc==13.2.86",
                   "nvidia-cuda-crt==13.2.86", "nvidia-nvvm==13.2.86"],
  "ptxas": "nvidia/cu13/bin/ptxas",
  "context": ["tilelang/language", "tilelang/src/tl_templates"],
  "example_op": { "name": "gemm", "axes": { "m": { "type": "var" }, "n": { "type": "var" }, "k": { "type": "var" } },
    "inputs": { "a": { "shape": ["m", "k"], "dtype": "bfloat16" }, "b": { "shape": ["n", "k"], "dtype": "bfloat16" } },
    "outputs": { "c": { "shape": ["m", "n"], "dtype": "bfloat16" } },
    "workloads": [{ "name": "small", "axes": { "m": 128, "n": 128, "k": 128 } }] } }

The source is one Python file for TileLang 0.1.15. It begins with the plan in its docstring; a kernel of
the plan is a Python function that returns a `@T.prim_func` with one `T.Kernel`:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "when": "k % 8 == 0", "kernel": "gemm", "grid": ["ceil_div(n, 128)", "ceil_div(m, 128)"],
      "args": ["a", "b", "c"], "constants": {"BM": 128, "BN": 128, "BK": 64, "STAGES": 3} } ] }
\"\"\"
import tilelang.language as T


def gemm(BM, BN, BK, STAGES):
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def main(A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((n, k), "bfloat16"),
             C: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(T.ceildiv(n, BN), T.ceildiv(m, BM), threads=256) as (bx, by):
            left = T.alloc_shared((BM, BK), "bfloat16")
            right = T.alloc_shared((BN, BK), "bfloat16")
            sums = T.alloc_fragment((BM, BN), "float32")
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, BK), num_stages=STAGES):
                T.copy(A[by * BM, step * BK], left)
                T.copy(B[bx * BN, step * BK], right)
                T.gemm(left, right, sums, transpose_B=True)
            T.copy(sums, C[by * BM, bx * BN])

    return main
```

- `args` go to the parameters of the prim_func in order: tensors, scalars (`T.float32`) and integers
  (`T.int32`). Sizes are not passed: `T.dynamic("m")` is the axis `m` of the operator, by its name.
  `constants` are the arguments of the Python function. Each launch is compiled by itself.
- What `T.Kernel` says of grid and threads holds; write the same `grid` into the plan.
- `options`: `disable_warp_specialized`, `disable_wgmma`, `enable_fast_math` (each true or false), as
  TileLang's pass configuration has them.
- Copies become TMA copies where they can; their tensor maps need rows that are multiples of 16 bytes,
  so give other shapes a launch of their own by `when`, with `T.copy(..., disable_tma=True)`.
- No `@tilelang.jit`, no autotuning (list `configurations` of a launch), no printing. Kernels of several `T.Kernel` are several launches.
- The file is only compiled: no code of it runs beside the GPU. It can import tilelang and the standard
  library, has no network and no files.
"""

import importlib.util
import os
import re
import subprocess
import sysconfig

import protocol

os.environ.update({"TILELANG_CACHE_DIR": os.path.join(os.getcwd(), "cache"), "TILELANG_DISABLE_CACHE": "1"})

OPTIONS = ("disable_warp_specialized", "disable_wgmma", "enable_fast_math")
PACKAGES = sysconfig.get_paths()["purelib"]
# CUtensorMapDataType, as a plan calls it.
MAP_TYPES = {0: "uint8", 1: "uint16", 3: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64",
             9: "bfloat16", 11: "tfloat32"}
INTERLEAVES = ("none", "16B", "32B")
SWIZZLES = ("none", "32B", "64B", "128B")
PROMOTIONS = ("none", "64B", "128B", "256B")
FILLS = ("zero", "nan")
OPERATORS = {"Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "/", "Div": "/", "FloorMod": "%", "Mod": "%",
             "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "==", "NE": "!=", "And": "&&", "Or": "||"}


def load(path):
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prim_func_of(module, launch):
    from tvm import tirx

    name = launch["function"]
    maker = getattr(module, name, None)
    if maker is None:
        raise protocol.Rejected("there is no function %s" % name)
    line = getattr(getattr(maker, "__code__", None), "co_firstlineno", 0)
    made = maker(**launch["constants"]) if callable(maker) and not isinstance(maker, tirx.PrimFunc) else maker
    if not isinstance(made, tirx.PrimFunc):
        raise protocol.Rejected("%s returns a %s; it must return a @T.prim_func"
                                % (name, type(made).__name__), line)
    if len(made.params) != len(launch["arguments"]):
        raise protocol.Rejected("the prim_func of %s takes %d parameters, the plan passes %d; make `args` match"
                                % (name, len(made.params), len(launch["arguments"])), line)
    return made


def configuration(launch):
    for name, value in launch["options"].items():
        if name not in OPTIONS:
            raise protocol.Rejected("unknown option `%s`; there are: %s" % (name, ", ".join(OPTIONS)))
        if not isinstance(value, bool):
            raise protocol.Rejected("option `%s` must be true or false" % name)
    return {"tl." + name: value for name, value in launch["options"].items()}


class Names:
    """Variables of TileLang's host code as a plan has them: tensors and scalars by the parameter that
    they belong to, sizes by their axis."""

    def __init__(self, function, launch, axes):
        self.axes = axes
        self.passed = {}
        for parameter, argument in zip(function.params, launch["arguments"]):
            buffer = function.buffer_map.get(parameter)
            pointer = argument["kind"] == "pointer"
            if pointer != (buffer is not None):
                raise protocol.Rejected("parameter %s of the prim_func %s" % (
                    parameter.name, "gets the pointer of a tensor; declare it T.Tensor" if pointer
                    else "is a T.Tensor, the plan passes a number"))
            self.passed[buffer.data.name if buffer else parameter.name] = argument["plan"]

    def argument(self, node):
        return self.passed.get(node.name, None) if type(node).__name__ == "Var" else None

    def text(self, node):
        """An integer of the host code as an expression of a plan."""
        kind = type(node).__name__
        if kind == "IntImm":
            return str(int(node.value))
        if kind == "Var":
            passed = self.passed.get(node.name)
            if isinstance(passed, str):
                return "(%s)" % passed
            if node.name in self.axes:
                return node.name
            raise protocol.Rejected("T.dynamic(\"%s\") names no axis of the operator; there are: %s"
                                    % (node.name, ", ".join(self.axes)))
        if kind == "Cast":
            return self.text(node.value)
        if kind in OPERATORS:
            return "(%s %s %s)" % (self.text(node.a), OPERATORS[kind], self.text(node.b))
        if kind in ("Min", "Max"):
            return "%s(%s, %s)" % (kind.lower(), self.text(node.a), self.text(node.b))
        if kind == "Select":
            return "(%s ? %s : %s)" % tuple(self.text(part) for part in
                                            (node.condition, node.true_value, node.false_value))
        if kind == "Call" and node.op.name.endswith("if_then_else"):
            return "(%s ? %s : %s)" % tuple(self.text(part) for part in node.args)
        if kind == "Call" and node.op.name.endswith("shift_right"):
            return "(%s / %d)" % (self.text(node.args[0]), 1 << int(node.args[1].value))
        if kind == "Call" and node.op.name.endswith("shift_left"):
            return "(%s * %d)" % (self.text(node.args[0]), 1 << int(node.args[1].value))
        raise protocol.Rejected("the size `%s` of a launch has no counterpart in a plan; write it with "
                                "+ - * // %% min and max" % node)


def tensor_map(names, arguments):
    """A call of __tvm_tensormap_create_tiled: descriptor, type, rank, address, then rank numbers each of
    dims, strides (the first an element's), box and element strides, and four modes."""
    kind, rank = int(arguments[1].value), int(arguments[2].value)
    tensor = names.argument(arguments[3])
    if tensor is None or kind not in MAP_TYPES:
        raise protocol.Rejected("TileLang wants a tensor map that a plan cannot describe; write "
                                "T.copy(..., disable_tma=True)")
    lists = [[names.text(node) for node in arguments[4 + i * rank:4 + (i + 1) * rank]] for i in range(4)]
    interleave, swizzle, promotion, fill = (int(node.value) for node in arguments[4 + 4 * rank:8 + 4 * rank])
    return {"tensor_map": {
        "tensor": tensor, "dtype": MAP_TYPES[kind], "dims": lists[0], "stride_bytes": lists[1][1:],
        "box": lists[2], "element_strides": lists[3], "interleave": INTERLEAVES[interleave],
        "swizzle": SWIZZLES[swizzle], "l2_promotion": PROMOTIONS[promotion], "oob_fill": FILLS[fill]}}


def packed_calls(module):
    """Calls of TileLang's host code by the name of what they call, in order."""
    from tvm import tirx

    calls = []

    def visit(node):
        if isinstance(node, tirx.Call) and str(getattr(node.op, "name", "")).endswith("tvm_call_packed"):
            calls.append((str(node.args[0].value), list(node.args[1:])))

    for function in module.functions.values():
        tirx.stmt_functor.post_order_visit(function.body, visit)
    return calls


def one_kernel(artifact, launch):
    kernels = {str(variable.name_hint): function for variable, function in artifact.device_mod.functions.items()}
    if len(kernels) != 1:
        raise protocol.Rejected("%s makes %d kernels; write a function, and a launch, for each"
                                % (launch["function"], len(kernels)))
    return kernels.popitem()


def sizes_of_launch(kernel, values, names):
    """Grid, block and dynamic shared memory from the last arguments of the call."""
    tags = [str(tag) for tag in kernel.attrs["tirx.kernel_launch_params"]]
    named = dict(zip(tags, values[len(kernel.params):]))
    grid = [names.text(named["blockIdx." + d]) if "blockIdx." + d in named else "1" for d in "xyz"]
    block = [int(named["threadIdx." + d].value) if "threadIdx." + d in named else 1 for d in "xyz"]
    shared = named.get("tirx.use_dyn_shared_memory")
    return grid, block, int(shared.value) if shared is not None else 0


def ptx_of(source, architecture):
    with open("tile.cu", "w", encoding="utf-8") as file:
        file.write(source)
    library = os.path.join(PACKAGES, "tilelang")
    command = [os.path.join(PACKAGES, "nvidia/cu13/bin/nvcc"), "-ptx", "-std=c++20", "-arch=sm_" + architecture,
               "-I" + os.path.join(library, "src"), "-I" + os.path.join(library, "3rdparty/cutlass/include"),
               "-I" + os.path.join(PACKAGES, "nvidia/cu13/include"), "-DENABLE_BF16", "-w", "-o", "tile.ptx",
               "tile.cu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise protocol.Rejected("nvcc does not take what TileLang made: " + " ".join(errors[:3]))
    with open("tile.ptx", encoding="utf-8") as file:
        return file.read()


def build(module, launch, architecture):
    import tilelang
    import tvm

    function = prim_func_of(module, launch)
    names = Names(function, launch, launch["axes"])
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_" + architecture})
    try:
        with tvm.transform.PassContext(opt_level=3, config=configuration(launch)), target:
            artifact = tilelang.lower(function, target=target)
    except protocol.Rejected:
        raise
    except Exception as error:
        lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
        raise protocol.Rejected("%s: %s" % (type(error).__name__, (lines or ["no message"])[-1]),
                                protocol.line_of(error, module.__file__)) from error
    name, kernel = one_kernel(artifact, launch)
    calls = packed_calls(artifact.host_mod)
    maps = {arguments[0].name: tensor_map(names, arguments) for called, arguments in calls
            if called == "__tvm_tensormap_create_tiled"}
    values = [arguments for called, arguments in calls if called == name]
    if len(values) != 1:
        raise protocol.Rejected("%s launches its kernel %d times; it must be once"
                                % (launch["function"], len(values)))
    grid, block, shared = sizes_of_launch(kernel, values[0], names)
    passed = []
    for node in values[0][:len(kernel.params)]:
        known = maps.get(getattr(node, "name", None)) or names.argument(node)
        passed.append(known if known is not None else names.text(node))
    cluster = kernel.attrs["cluster_dims"] if "cluster_dims" in kernel.attrs else None
    source = artifact.kernel_source
    return protocol.Built(
        ptx_of(source, architecture), name, block, shared,
        [int(size) for size in cluster] if cluster is not None else None,
        "use_cooperative_groups" in kernel.attrs, "has_cuda_pdl_sync" in kernel.attrs,
        dumps={"cu": source, "tir": str(artifact.device_mod)}, arguments=passed, grid=grid)


if __name__ == "__main__":
    protocol.main(load, build)
