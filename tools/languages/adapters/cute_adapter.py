"""{ "name": "CUTE", "title": "CuTe DSL", "source": "kernel.cute.py", "fence": "python",
  "requirements": ["nvidia-cutlass-dsl[cu13]==4.8.1", "nvidia-cuda-nvcc==13.4.92"],
  "ptxas": "nvidia/cu13/bin/ptxas",
  "context": ["nvidia_cutlass_dsl/dsl_packages/cutlass/cute"],
  "example_op": { "name": "scale", "axes": { "n": { "type": "var" } },
    "inputs": { "x": { "shape": ["n"], "dtype": "bfloat16" }, "factor": { "shape": null, "dtype": "float32" } },
    "outputs": { "y": { "shape": ["n"], "dtype": "bfloat16" } },
    "workloads": [{ "name": "small", "axes": { "n": 1024 } }] } }

The source is one Python file for the CuTe DSL 4.8 (nvidia-cutlass-dsl). It begins with the plan in
its docstring; kernels are functions with `@cute.kernel`, and there is no `@cute.jit` host function:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "kernel": "scale", "grid": ["ceil_div(n, 256)"], "args": ["x", "y", "factor", "n"],
      "constants": {"BLOCK": 256}, "options": {"threads": 256} } ] }
\"\"\"
import cutlass
import cutlass.cute as cute


@cute.kernel
def scale(x: cute.Pointer, y: cute.Pointer, factor: cutlass.Float32, n: cutlass.Int32,
          BLOCK: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    i = bid * BLOCK + tid
    gx = cute.make_tensor(x, cute.make_layout(n))
    gy = cute.make_tensor(y, cute.make_layout(n))
    if i < n:
        gy[i] = (gx[i].to(cutlass.Float32) * factor).to(gy.element_type)
```

- `kernel` names the function. `args` go to its parameters in order, but for those marked
  `cutlass.Constexpr`: these get their values from `constants`, fixed when it is compiled. Each launch
  is compiled by itself, so one function with other constants serves other shapes (`when`).
- Annotate every parameter: `cute.Pointer` for a tensor (it arrives as a pointer to its dtype in global
  memory, aligned to 16 bytes where the op says so), `cutlass.Int32` or `cutlass.Int64` for an integer,
  `cutlass.Float32` and the like for a scalar (of 8-bit floats `cutlass.Uint8`, the bits). Build tensors
  inside with `cute.make_tensor` and a layout; compute offsets in Int64 where a tensor may have 2^31
  elements.
- The bounds and the step of a `range` in a kernel are Int32, all three: `range(by, cutlass.Int32(rows), gy)`.
  With Int64 among them the compiler complains of two branches of different types.
- `options`: `threads` (of a block, 128), `threads_y`, `threads_z` (1), `cluster` (blocks of a cluster
  along x, 1), `min_blocks` (for each multiprocessor), `cooperative`, `use_pdl` (false). The grid of the
  plan counts clusters. Shared memory comes from `cutlass.memory.SmemAllocator()`, and its size from the
  compiler.
- For TMA, `{"tensor_map": {"tensor": "a", "box": [64, 128], "swizzle": "128B"}}` in `args` passes two parameters, as
  `cpasync.make_tiled_tma_atom` returns them: `atom: cute.CopyAtom, tensor: cute.Tensor` (of 2 dimensions,
  rows first). `box` begins with the contiguous dimension and holds numbers; the tensor's rows are multiples of
  16 bytes, so give other shapes another launch by `when`. Shared memory for it has the layout
  `cute.tile_to_shape(warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, type), (128, 64,
  stages), order=(0, 1, 2))`; of an output the atom stores, else it loads.
- The file is only compiled: no code of it runs beside the GPU. It can import cutlass and the standard
  library, has no network and no files. No `from __future__ import annotations`.
"""

import glob
import importlib.util
import inspect
import os
import re

import protocol

DUMPS = os.path.join(os.getcwd(), "dump")
# Read when the DSL is imported. Without an architecture in the environment it makes no host code, which
# nothing here needs.
os.environ.update({"CUTE_DSL_KEEP": "ptx,ir", "CUTE_DSL_DUMP_DIR": DUMPS, "CUTE_DSL_DISABLE_FILE_CACHING": "1",
                   "CUTE_DSL_CACHE_DIR": os.path.join(os.getcwd(), "cache")})

OPTIONS = {"threads": int, "threads_y": int, "threads_z": int, "cluster": int, "min_blocks": int,
           "cooperative": bool, "use_pdl": bool}
TYPES = {
    "float64": "Float64", "float32": "Float32", "float16": "Float16", "bfloat16": "BFloat16",
    "float8_e4m3": "Float8E4M3FN", "float8_e5m2": "Float8E5M2", "int64": "Int64", "int32": "Int32",
    "int8": "Int8", "uint8": "Uint8", "bool": "Uint8",
}
# The language passes no 8-bit floats.
BITS = {"float8_e4m3": "Uint8", "float8_e5m2": "Uint8"}
SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2}
SWIZZLES = {"128B": "K_SW128", "64B": "K_SW64", "32B": "K_SW32"}
MAP_PARAMETERS = ("CopyAtom", "Tensor")


def load_file(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(path):
    os.makedirs(DUMPS, exist_ok=True)
    return load_file("kernel", path)


def function_of(module, name):
    kernels = [key for key, value in vars(module).items()
               if getattr(value, "_decorator_kind", None) == "kernel" or key == name]
    function = getattr(module, name, None)
    if not callable(function):
        raise protocol.Rejected("there is no @cute.kernel function %s; there are: %s"
                                % (name, ", ".join(sorted(kernels)) or "none"))
    return function


def split_parameters(function, launch):
    """The parameters that take arguments, and the texts of those that are constants."""
    line = function.__code__.co_firstlineno if hasattr(function, "__code__") else 0
    constants = dict(launch["constants"])
    takes, values = [], {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = str(getattr(parameter.annotation, "__name__", parameter.annotation))
        if "Constexpr" in annotation:
            if parameter.name in constants:
                values[parameter.name] = constants.pop(parameter.name)
            elif parameter.default is inspect.Parameter.empty:
                raise protocol.Rejected("%s needs a value for %s: cutlass.Constexpr; set it in `constants`"
                                        % (launch["function"], parameter.name), line)
        else:
            takes.append((parameter.name, annotation))
    if constants:
        raise protocol.Rejected("%s has no cutlass.Constexpr parameter %s"
                                % (launch["function"], ", ".join(sorted(constants))), line)
    passes = sum(2 if argument["kind"] == "tensor_map" else 1 for argument in launch["arguments"])
    if len(takes) != passes:
        raise protocol.Rejected(
            "%s takes %d arguments beside its constants, the plan passes %d; make `args` match its "
            "parameters (a tensor map is two)" % (launch["function"], len(takes), passes), line)
    return takes, values


class HostText:
    """The host function around a kernel, which the DSL compiles no kernel without. It is never run."""

    def __init__(self):
        self.declared, self.values, self.made, self.passed, self.arguments = [], [], [], [], []

    def parameter(self, kind, value):
        name = "a%d" % len(self.declared)
        self.declared.append("%s: %s" % (name, kind))
        self.values.append(value)
        return name

    def plain(self, argument, name, annotation):
        self.passed.append("%s=%s" % (name, self.parameter(*argument_texts(argument, name, annotation))))
        self.arguments.append(argument["plan"])

    def tensor_map(self, argument, atom, tensor):
        """The kernel takes the map and then rows and columns, four bytes each: one number of eight."""
        members = argument["plan"]["tensor_map"]
        for (name, annotation), wanted in zip((atom, tensor), MAP_PARAMETERS):
            if annotation != wanted:
                raise protocol.Rejected("parameter %s gets the %s of a tensor map; annotate it cute.%s, not %s"
                                        % (name, "atom" if wanted == "CopyAtom" else "tensor", wanted, annotation))
        if len(members["dims"]) != 2 or not all(size.isdigit() for size in members["box"]):
            raise protocol.Rejected("a tensor map here has two dims, and numbers in its box")
        if members["tensor"] == "workspace" or members["interleave"] != "none":
            raise protocol.Rejected("a tensor map here is one of a tensor, without interleave")
        kind = "cutlass." + TYPES[members["dtype"]]
        pointer = self.parameter("cute.Pointer", "nullptr(%s, cute.AddressSpace.gmem, assumed_align=16)" % kind)
        rows, cols = (self.parameter("cutlass.Int32", "cutlass.Int32(1)") for _ in range(2))
        box = "(%s, %s)" % (members["box"][1], members["box"][0])
        number = len(self.passed)
        swizzle = SWIZZLES.get(members["swizzle"])
        self.made += [
            "g%d = cute.make_tensor(%s, cute.make_layout((%s, %s), stride=(%s, 1)))" % (number, pointer, rows, cols, cols),
            "s%d = %s" % (number, "cute.tile_to_shape(warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind."
                          "%s, %s), %s, order=(0, 1))" % (swizzle, kind, box) if swizzle else
                          "cute.make_layout(%s, stride=(%s, 1))" % (box, members["box"][0])),
            "c%d, t%d = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTile%sOp(), g%d, s%d, %s)"
            % (number, number, "S2G" if argument["written"] else "G2S", number, number, box)]
        self.passed += ["%s=c%d" % (atom[0], number), "%s=t%d" % (tensor[0], number)]
        self.arguments += [argument["plan"], "(%s) + (%s) * 4294967296" % (members["dims"][1], members["dims"][0])]

    def text(self, more):
        return "\n".join([
            "import cutlass", "import cutlass.cute as cute", "from cutlass.cute.nvgpu import cpasync, warpgroup",
            "from cutlass.cute.runtime import nullptr", "", "kernel = None", "", "", "@cute.jit",
            "def host(%s):" % ", ".join(self.declared)] + ["    " + line for line in self.made] + [
            "    kernel(%s).launch(%s)" % (", ".join(self.passed), ", ".join(more)), "", "",
            "def arguments():", "    return [%s]" % ", ".join(self.values), ""])


def argument_texts(argument, name, annotation):
    """The type that the host function declares, and a value of it to compile with."""
    if argument["kind"] == "pointer":
        if "Pointer" not in annotation:
            raise protocol.Rejected("parameter %s gets the pointer of a tensor; annotate it cute.Pointer, "
                                    "not %s" % (name, annotation))
        align = 16 if argument["divisible_by_16"] else SIZES.get(argument["dtype"], 1)
        return ("cute.Pointer", "nullptr(cutlass.%s, cute.AddressSpace.gmem, assumed_align=%d)"
                % (TYPES[argument["dtype"]], align))
    kind = annotation
    if argument["kind"] == "scalar":
        kind = BITS.get(argument["dtype"], TYPES[argument["dtype"]])
    if kind not in ("Int32", "Int64") and argument["kind"] == "integer" or kind != annotation:
        raise protocol.Rejected("parameter %s gets %s; annotate it so, not %s"
                                % (name, "cutlass." + kind if argument["kind"] == "scalar"
                                   else "a cutlass.Int32 or cutlass.Int64", annotation))
    return "cutlass." + kind, "cutlass.%s(1)" % kind


def options_of(launch):
    for name, value in launch["options"].items():
        if name not in OPTIONS:
            raise protocol.Rejected("unknown option `%s`; there are: %s" % (name, ", ".join(OPTIONS)))
        if type(value) is not OPTIONS[name]:
            raise protocol.Rejected("option `%s` must be %s" % (
                name, "an integer" if OPTIONS[name] is int else "true or false"))
    return launch["options"]


def host_text(launch, takes, values, block, cluster):
    host = HostText()
    left = list(takes)
    for argument in launch["arguments"]:
        if argument["kind"] == "tensor_map":
            host.tensor_map(argument, left.pop(0), left.pop(0))
        else:
            host.plain(argument, *left.pop(0))
    host.passed += ["%s=%r" % pair for pair in values.items()]
    more = ["grid=[1, 1, 1]", "block=%r" % block]
    if cluster:
        more.append("cluster=%r" % cluster)
    options = launch["options"]
    if options.get("min_blocks"):
        more.append("min_blocks_per_mp=%d" % options["min_blocks"])
    more += ["%s=True" % name for name in ("cooperative", "use_pdl") if options.get(name)]
    return host.text(more), host.arguments


def dynamic_shared_bytes(ir):
    """From the launch that the DSL would make: the third member of its cudaLaunchConfig_t."""
    config = r"!llvm\.struct<\(array<3 x i32>, array<3 x i32>, i64, ptr, ptr, i32\)>"
    place = re.search(r"(%%\w+) = llvm\.getelementptr %%\w+\[0, 2\] : [^\n]*%s" % config, ir)
    stored = place and re.search(r"llvm\.store (%%\w+), %s : i64" % place.group(1), ir)
    value = stored and re.search(r"%s = llvm\.mlir\.constant\((\d+) : i64\)" % stored.group(1), ir)
    if not value:
        raise RuntimeError("the host code of the DSL names no constant amount of shared memory")
    return int(value.group(1))


def rejected(error, path):
    """What the DSL reports, without colours, and the line of the source that it points at."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
    place = re.search(re.escape(path) + r":(\d+)", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return protocol.Rejected("%s: %s" % (type(error).__name__, " ".join(lines)[:2000] or "no message"),
                             int(place.group(1)) if place else protocol.line_of(error, path))


def build(module, launch, architecture):
    import cutlass.cute as cute

    function = function_of(module, launch["function"])
    options = options_of(launch)
    block = [options.get("threads", 128), options.get("threads_y", 1), options.get("threads_z", 1)]
    cluster = [options["cluster"], 1, 1] if options.get("cluster", 1) > 1 else None
    takes, values = split_parameters(function, launch)
    for left in glob.glob(os.path.join(DUMPS, "*")):
        os.remove(left)
    path = os.path.join(os.getcwd(), "host_%s.py" % launch["function"])
    text, passed = host_text(launch, takes, values, block, cluster)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    host = load_file("host", path)
    host.kernel = function
    try:
        compiled = cute.compile(host.host, *host.arguments(), options="--gpu-arch sm_%s" % architecture)
    except Exception as error:
        raise rejected(error, module.__file__) from error
    files = {name.rsplit(".", 1)[1]: open(name, encoding="utf-8").read()
             for name in glob.glob(os.path.join(DUMPS, "*"))}
    if "ptx" not in files:
        raise protocol.Rejected("the compiler made no PTX of %s" % launch["function"])
    symbols = re.findall(r"\.entry\s+([\w$]+)", files["ptx"])
    if len(symbols) != 1:
        raise protocol.Rejected("%s became %d kernels, not one" % (launch["function"], len(symbols)))
    return protocol.Built(
        files["ptx"], symbols[0], block, dynamic_shared_bytes(str(compiled.ir_module)), cluster,
        options.get("cooperative", False), options.get("use_pdl", False),
        dumps={"mlir": dump for suffix, dump in files.items() if suffix == "mlir"}, arguments=passed)


if __name__ == "__main__":
    protocol.main(load, build, tensor_maps=True)
