"""{ "name": "CUTILE", "title": "cuTile", "source": "kernel.cutile.py", "fence": "python",
  "requirements": ["cuda-tile[tileiras]==1.7.0", "nvidia-cuda-tileiras==13.4.92",
                   "nvidia-cuda-nvcc==13.4.92"],
  "ptxas": "nvidia/cu13/bin/ptxas",
  "context": ["cuda/tile"],
  "example_op": { "name": "scale", "axes": { "n": { "type": "var" } },
    "inputs": { "x": { "shape": ["n"], "dtype": "bfloat16" }, "factor": { "shape": null, "dtype": "float32" } },
    "outputs": { "y": { "shape": ["n"], "dtype": "bfloat16" } },
    "workloads": [{ "name": "small", "axes": { "n": 1024 } }] } }

The source is one Python file for cuTile 1.7 (cuda.tile). It begins with the plan in its docstring;
kernels are functions with `@ct.kernel`:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "kernel": "scale", "grid": ["ceil_div(n, 1024)"], "args": ["x", "y", "factor"],
      "constants": {"BLOCK": 1024} } ] }
\"\"\"
import cuda.tile as ct


@ct.kernel
def scale(x, y, factor, BLOCK: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(BLOCK,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i,), tile=ct.astype(ct.astype(tile, ct.float32) * factor, y.dtype))
```

- `kernel` names the function. `args` go to its parameters in order, but for those marked
  `ct.Constant[int]`: these get their values from `constants`, fixed when it is compiled. Each launch is
  compiled by itself, so one function with other constants serves other shapes (`when`).
- A tensor arrives as an array of its whole shape, row-major (`x.shape`); its sizes are not passed again.
  An axis arrives as an integer, of 32 bits (of 64 with the option `long_integers`). There are no pointers: no workspace.
- `options`: `num_ctas` (1 to 16, for a cluster), `occupancy` (blocks for each multiprocessor),
  `num_worker_warps` (4 or 8), `opt_level` (3), `long_integers` (false). Without them, block
  and shared memory are the compiler's choice.
- Tile sizes are powers of two. Loads and stores beyond an array's edge are left out; what a load has
  there is undefined unless `padding_mode` says. The check of an edge puts a load into a branch of its own,
  which waits for it: where a tile always fits, `check_bounds=False` lets all loads go out at once. Loads get
  wide where the compiler knows what 16 divides: give such shapes a launch with `when` `... % 16 == 0`.
- The file is only compiled: no code of it runs beside the GPU. It can import cuda.tile and the standard
  library, has no network and no files.
"""

import ctypes
import importlib.util
import inspect
import io
import os
import re
import struct
import tempfile
import threading

import protocol

OPTIONS = {"num_ctas": int, "occupancy": int, "opt_level": int, "num_worker_warps": int, "long_integers": bool}
TYPES = {
    "float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "bfloat16",
    "float8_e4m3": "float8_e4m3fn", "float8_e5m2": "float8_e5m2", "int64": "int64", "int32": "int32",
    "int8": "int8", "uint8": "uint8", "bool": "bool_",
}
STATIC_SHARED = 48 * 1024
ATTEMPTS = 5

# Where the compiler puts its temporary files; nothing of an earlier run is taken from a cache.
FOLDER = tempfile.mkdtemp(dir=os.getcwd())
os.environ["TMPDIR"] = FOLDER
tempfile.tempdir = None
os.environ["CUDA_TILE_CACHE_DIR"] = ""


class PtxCapture:
    """The PTX that the compiler hands to its own assembler: a temporary file, which is read when it is
    closed, before the assembler has begun. The compiler has no option to keep it."""

    CLOSED = 8  # IN_CLOSE_WRITE

    def __init__(self, folder):
        self.folder = folder
        self.texts = {}
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.libc.inotify_init1(os.O_CLOEXEC)
        if self.descriptor < 0 or self.libc.inotify_add_watch(
                self.descriptor, os.fsencode(folder), self.CLOSED) < 0:
            raise OSError(ctypes.get_errno(), "inotify does not work here")
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            events = os.read(self.descriptor, 65536)
            at = 0
            while at < len(events):
                length = struct.unpack_from("iIII", events, at)[3]
                name = os.fsdecode(events[at + 16:at + 16 + length].rstrip(b"\0"))
                at += 16 + length
                if name.endswith(".ptx"):
                    self.keep(os.path.join(self.folder, name))

    def keep(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError:
            return  # gone already; build() tries again
        for symbol in re.findall(r"\.entry\s+([\w$]+)", text):
            self.texts[symbol] = text


CAPTURE = PtxCapture(FOLDER)


def load(path):
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options_of(launch):
    for name, value in launch["options"].items():
        if name not in OPTIONS:
            raise protocol.Rejected("unknown option `%s`; there are: %s" % (name, ", ".join(OPTIONS)))
        if type(value) is not OPTIONS[name]:
            raise protocol.Rejected("option `%s` must be %s" % (
                name, "an integer" if OPTIONS[name] is int else "true or false"))
    return launch["options"]


def array_of(ct, argument):
    from cuda.tile.compilation import ArrayConstraint
    rank = len(argument["sizes"])
    factor = [16 if size["divisible_by_16"] else 1 for size in argument["sizes"]]
    strides = [16 if stride["divisible_by_16"] else 1 for stride in argument["strides"]]
    if rank:
        strides[-1] = 1
    return ArrayConstraint(
        getattr(ct, TYPES[argument["dtype"]]), rank, index_dtype=ct.int64, stride_lower_bound_incl=0,
        alias_groups=[], may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1] * min(rank, 1), stride_divisible_by=strides,
        shape_divisible_by=factor, base_addr_divisible_by=16 if argument["divisible_by_16"] else 1)


def signature_of(function, launch):
    """What the compiler is told of each parameter, and what the kernel then takes, as a plan has it."""
    import cuda.tile as ct
    from cuda.tile.compilation import ScalarConstraint

    line = function._pyfunc.__code__.co_firstlineno
    constants = dict(launch["constants"])
    arguments = list(launch["arguments"])
    integer = ct.int64 if launch["options"].get("long_integers") else ct.int32
    constraints, passed = [], []
    for parameter in inspect.signature(function._pyfunc).parameters.values():
        if "ConstantAnnotation" in str(parameter.annotation):
            if parameter.name not in constants:
                raise protocol.Rejected("%s needs a value for %s: ct.Constant; set it in `constants`"
                                        % (launch["function"], parameter.name), line)
            constraints.append(constants.pop(parameter.name))
            continue
        if not arguments:
            constraints.append(None)  # counted below
            continue
        argument = arguments.pop(0)
        if argument["kind"] == "pointer":
            if "sizes" not in argument:
                raise protocol.Rejected("cuTile takes arrays, no pointers into the workspace; split the work "
                                        "so that no launch needs one", line)
            constraints.append(array_of(ct, argument))
            measures = argument["sizes"] + argument["strides"]
            passed += [argument["plan"]] + [measure["plan"] for measure in measures]
        else:
            scalar = argument["kind"] == "scalar"
            constraints.append(ScalarConstraint(getattr(ct, TYPES[argument["dtype"]]) if scalar else integer))
            passed.append(argument["plan"])
    takes = len(constraints) - (len(launch["constants"]) - len(constants))
    if takes != len(launch["arguments"]):
        raise protocol.Rejected(
            "%s takes %d arguments beside its constants, the plan passes %d; make `args` match its "
            "parameters" % (launch["function"], takes, len(launch["arguments"])), line)
    if constants:
        raise protocol.Rejected("%s has no ct.Constant parameter %s"
                                % (launch["function"], ", ".join(sorted(constants))), line)
    return constraints, passed


def plain(ptx):
    """PTX that any host can launch, the bytes of shared memory that it then asks for, and the tile IR that
    stands behind it. What marks it for the launcher of cuTile goes; more than 48 KiB must be dynamic."""
    ptx, _, tile_ir = ptx.partition(".nv_intermediate_source_section")
    ptx = re.sub(r"(?m)^\s*\.(?:language|loc_intermediate|blocksareclusters|pragma\s+.next knob)\b.*\n", "", ptx)
    # Names of inlined functions stand in the part that was cut off.
    ptx = re.sub(r"(?m)^(\s*\.loc(?:\s+\d+){3}),\s*function_name\b.*$", r"\1", ptx)
    ptx = re.sub(r"(?m)^\.visible \.global .*___NV_TILE_LAUNCH_META_DATA___.*\n", "", ptx)
    declared = re.findall(r"(?m)^\s*\.shared\s+\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[(\d+)\];$", ptx)
    if sum(int(size) for _, _, size in declared) <= STATIC_SHARED:
        return ptx, 0, tile_ir
    if len(declared) != 1:
        raise RuntimeError("%d variables in shared memory make more than 48 KiB" % len(declared))
    align, name, size = declared[0]
    ptx = re.sub(r"(?m)^\s*\.shared\s+\.align\s+\d+\s+\.b8\s+%s\[\d+\];\n" % re.escape(name), "", ptx)
    head = ".extern .shared .align %s .b8 %s[];\n" % (align, name)
    ptx = re.sub(r"(?m)^(\.visible \.entry)", lambda match: head + match.group(1), ptx, count=1)
    return ptx, int(size), tile_ir


def block_of(ptx):
    match = re.search(r"\.reqntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", ptx)
    if not match:
        raise RuntimeError("the PTX requires no size of a block")
    return [int(size or 1) for size in match.groups()]


def cluster_of(ptx):
    match = re.search(r"\.reqnctapercluster\s+(\d+)", ptx)
    return [int(match.group(1)), 1, 1] if match and int(match.group(1)) > 1 else None


def build(module, launch, architecture):
    import cuda.tile as ct
    from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel

    function = getattr(module, launch["function"], None)
    if not isinstance(function, ct.kernel):
        kernels = sorted(name for name, value in vars(module).items() if isinstance(value, ct.kernel))
        raise protocol.Rejected("there is no @ct.kernel function %s; there are: %s"
                                % (launch["function"], ", ".join(kernels) or "none"))
    hints = {name: value for name, value in options_of(launch).items() if name != "long_integers"}
    constraints, passed = signature_of(function, launch)
    symbol = launch["function"]
    CAPTURE.texts.pop(symbol, None)
    signature = KernelSignature(constraints, CallingConvention.cutile_python_v2(), symbol=symbol)
    for _ in range(ATTEMPTS):
        try:
            export_kernel(function.replace_hints(**hints) if hints else function, [signature], io.BytesIO(),
                          gpu_code="sm_" + re.match(r"\d+", architecture).group(), output_format="cubin")
        except Exception as error:
            place = re.search(re.escape(module.__file__) + r"\D+(\d+)", str(error))
            raise protocol.Rejected("%s: %s" % (type(error).__name__, str(error).strip()),
                                    int(place.group(1)) if place else protocol.line_of(error, module.__file__))
        if symbol in CAPTURE.texts:
            break
    else:
        raise RuntimeError("the compiler's PTX was never seen")
    ptx, shared, tile_ir = plain(CAPTURE.texts[symbol])
    return protocol.Built(ptx, symbol, block_of(ptx), shared, cluster_of(ptx), dumps={"tileir": tile_ir},
                          arguments=passed)


if __name__ == "__main__":
    protocol.main(load, build)
