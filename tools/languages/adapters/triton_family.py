"""What the adapters of Triton and of the languages built on it share."""

import importlib.util
import re

import protocol
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler.errors import CompilationError
from triton.runtime.jit import get_jit_fn_file_line

OPTIONS = {"num_warps": int, "num_stages": int, "num_ctas": int, "maxnreg": int}
POWERS_OF_TWO = ("num_warps", "num_ctas")
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


def stop_at_ptx():
    """The build assembles the PTX of all launches itself, and says with lines what ptxas says of it."""
    CUDABackend.make_cubin = lambda self, ptx, *others: b""


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
            "%s is wrapped by @triton.%s; leave that away and list its configurations in the plan: "
            "`configurations` of the launch, each with `constants`, `options` and `grid`"
            % (name, type(found).__name__.lower()))
    raise protocol.Rejected("there is no jit function %s; there are: %s"
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
        if name in POWERS_OF_TWO and (value < 1 or value & (value - 1)):
            raise protocol.Rejected("option `%s` is %d; it must be a power of 2" % (name, value))
    return launch["options"]


def innermost(error):
    """An error in a function that another one calls is wrapped once for each call on the way."""
    while isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    return error


def compilation_problem(error, function, module):
    cause = innermost(error)
    functions = [value for value in vars(module).values() if isinstance(value, triton.JITFunction)]
    owner = next((found for found in functions if found.src == cause.src), None)
    if owner is None:  # of the language's own library
        cause, owner = error, function
    line = 0
    if cause.node is not None and hasattr(cause.node, "lineno"):
        line = line_of(owner) + cause.node.lineno - 1
    text = cause.error_message or str(cause.__cause__ or cause)
    # The code of a function that is being compiled is not there yet.
    missing = re.match(r"KeyError\('[\w.]*?(\w+?)__", text)
    if missing and isinstance(vars(module).get(missing.group(1)), triton.JITFunction):
        text = "%s calls itself; this language compiles no recursion" % missing.group(1)
    return protocol.Rejected(text, line)


def build(make_source, module, launch, architecture):
    function = function_of(module, launch["function"])
    signature, values, hints = signature_of(function, launch)
    options = options_of(launch)
    target = GPUTarget("cuda", int(re.match(r"\d+", architecture).group()), 32)
    triton.runtime.driver.set_active(Fixed(target))
    try:
        kernel = triton.compile(make_source(function, signature=signature, constexprs=values, attrs=hints),
                                target=target, options=options)
    except CompilationError as error:
        raise compilation_problem(error, function, module) from error
    meta = kernel.metadata
    ctas = meta.num_ctas
    return protocol.Built(
        kernel.asm["ptx"], meta.name, [32 * meta.num_warps, 1, 1], meta.shared,
        [ctas, 1, 1] if ctas > 1 else None,
        getattr(meta, "launch_cooperative_grid", False), getattr(meta, "launch_pdl", False),
        [(ctas * meta.global_scratch_size, meta.global_scratch_align),
         (ctas * meta.profile_scratch_size, meta.profile_scratch_align)],
        {stage: str(kernel.asm[stage]) for stage in ("ttir", "ttgir") if stage in kernel.asm})


def main(make_source):
    """`make_source` is the class of a language's sources, as triton.compile takes them."""
    stop_at_ptx()
    protocol.main(load, lambda module, launch, architecture: build(make_source, module, launch, architecture))
