"""{ "name": "TRITON", "title": "Triton", "source": "kernel.triton.py", "fence": "python",
  "requirements": ["triton==3.6.0"],
  "ptxas": "triton/backends/nvidia/bin/ptxas" }

The source is one Python file for Triton 3.6. It begins with the plan in its docstring; kernels are
functions with `@triton.jit`:

```python
\"\"\"kernelloop:plan
{ "launches": [
    { "when": "cols <= 1024 && cols % 16 == 0", "kernel": "softmax_rows", "grid": ["rows"],
      "args": ["x", "y", "cols"], "constants": {"BLOCK": 1024}, "options": {"num_warps": 4} } ] }
\"\"\"
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, y, cols, BLOCK: tl.constexpr):
    ...
```

- `kernel` names the function. `args` go to its parameters in order, but for those marked
  `tl.constexpr`: these get their values from `constants`, fixed when it is compiled. Each launch is
  compiled by itself, so one function with other constants serves other shapes (`when`).
- `options`: `num_warps` (4), `num_stages` (3), `num_ctas` (1), `maxnreg`. There is no `block` and no
  `dynamic_shared_bytes`; Triton chooses them. No `@triton.autotune`, no `@triton.heuristics`: write
  one configuration, or several launches with a `when` each.
- Tensors arrive as pointers of their dtype. Integers are int32; annotate the parameter `: tl.int64`
  where a shape needs more, and compute offsets in int64 where a tensor may have 2^31 elements.
- Loads get wide where Triton knows what 16 divides: pointers always, an integer when `when` has
  `... % 16 == 0` of it as one of its conditions joined by `&&`.
- The file is only compiled: no code of it runs beside the GPU. It can import triton and the standard
  library, has no network and no files.
- `tl.dot` of float32 uses tf32 unless `input_precision="ieee"` is given; an op that does not allow
  tf32 fails for it.
"""

import importlib.util
import re

import protocol
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.errors import CompilationError
from triton.runtime.jit import get_jit_fn_file_line

OPTIONS = {"num_warps": int, "num_stages": int, "num_ctas": int, "maxnreg": int}
TYPES = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16",
    "float8_e4m3": "fp8e4nv", "float8_e5m2": "fp8e5", "int64": "i64", "int32": "i32", "int8": "i8",
    "uint8": "u8", "bool": "i1",
}


class Fixed:
    """All that compile-time code asks of a driver: the target."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def get_active_torch_device(self):
        return None


def load(path):
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    triton.runtime.driver.set_active(Fixed(GPUTarget("cuda", 90, 32)))
    spec.loader.exec_module(module)
    return module


def function_of(module, name):
    functions = {key: value for key, value in vars(module).items()
                 if isinstance(value, triton.JITFunction)}
    if name in functions:
        return functions[name]
    found = vars(module).get(name)
    if found is not None and hasattr(found, "fn"):
        raise protocol.Rejected(
            "%s is wrapped by @triton.%s; write one configuration (constants and options of a launch) "
            "in its place" % (name, type(found).__name__.lower()))
    raise protocol.Rejected("there is no @triton.jit function %s; there are: %s"
                            % (name, ", ".join(sorted(functions)) or "none"))


def line_of(function):
    """Of its `def`, below what decorates it."""
    return get_jit_fn_file_line(function)[1]


def type_of(argument, parameter):
    if argument["kind"] == "pointer":
        # A bool is a byte in memory.
        return "*" + ("u8" if argument["dtype"] == "bool" else TYPES[argument["dtype"]])
    if argument["kind"] == "scalar":
        return TYPES[argument["dtype"]]
    return "i64" if "int64" in str(parameter.annotation) else "i32"


def signature_of(function, launch):
    """Types, constants and hints by parameter."""
    constants = dict(launch["constants"])
    arguments = list(launch["arguments"])
    signature, values, hints = {}, {}, {}
    for position, parameter in enumerate(function.params):
        if parameter.is_constexpr:
            signature[parameter.name] = "constexpr"
            if parameter.name in constants:
                values[parameter.name] = constants.pop(parameter.name)
            elif parameter.has_default:
                values[parameter.name] = parameter.default
            else:
                raise protocol.Rejected("%s needs a value for %s: tl.constexpr; set it in `constants`"
                                        % (launch["function"], parameter.name),
                                        line_of(function))
            continue
        if not arguments:
            break
        argument = arguments.pop(0)
        signature[parameter.name] = type_of(argument, parameter)
        if argument["divisible_by_16"]:
            hints[(position,)] = [["tt.divisibility", 16]]
    takes = sum(not p.is_constexpr for p in function.params)
    if takes != len(launch["arguments"]):
        raise protocol.Rejected(
            "%s takes %d arguments beside its constants, the plan passes %d; make `args` match its "
            "parameters" % (launch["function"], takes, len(launch["arguments"])),
            line_of(function))
    if constants:
        raise protocol.Rejected("%s has no tl.constexpr parameter %s"
                                % (launch["function"], ", ".join(sorted(constants))),
                                line_of(function))
    return signature, values, hints


def options_of(launch):
    for name, value in launch["options"].items():
        if name not in OPTIONS:
            raise protocol.Rejected("unknown option `%s`; there are: %s" % (name, ", ".join(OPTIONS)))
        if not isinstance(value, int) or isinstance(value, bool):
            raise protocol.Rejected("option `%s` must be an integer" % name)
    return launch["options"]


def compilation_problem(error, function):
    line = 0
    if error.node is not None and hasattr(error.node, "lineno"):
        line = line_of(function) + error.node.lineno - 1
    cause = error.__cause__
    text = getattr(error, "error_message", None) or (str(cause) if cause else str(error))
    return protocol.Rejected(text, line)


def build(module, launch, architecture):
    function = function_of(module, launch["function"])
    signature, values, hints = signature_of(function, launch)
    options = options_of(launch)
    target = GPUTarget("cuda", int(re.match(r"\d+", architecture).group()), 32)
    triton.runtime.driver.set_active(Fixed(target))
    try:
        kernel = triton.compile(ASTSource(function, signature=signature, constexprs=values, attrs=hints),
                                target=target, options=options)
    except CompilationError as error:
        raise compilation_problem(error, function) from error
    meta = kernel.metadata
    ctas = meta.num_ctas
    return protocol.Built(
        kernel.asm["ptx"], meta.name, [32 * meta.num_warps, 1, 1], meta.shared,
        [ctas, 1, 1] if ctas > 1 else None,
        getattr(meta, "launch_cooperative_grid", False), getattr(meta, "launch_pdl", False),
        [(ctas * meta.global_scratch_size, meta.global_scratch_align),
         (ctas * meta.profile_scratch_size, meta.profile_scratch_align)],
        {"ttir": str(kernel.asm["ttir"]), "ttgir": str(kernel.asm["ttgir"])})


if __name__ == "__main__":
    protocol.main("Triton " + triton.__version__, load, build)
