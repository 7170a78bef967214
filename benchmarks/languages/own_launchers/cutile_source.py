"""How cuTile gets a version's source, where it is prepared as where it runs. It keeps compiled kernels by what it compiles,
which names the file; so the name must be the same on both machines."""

import dataclasses
import inspect
import linecache
import types

NAME = "kernel.cutile.py"


def module_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    linecache.cache[NAME] = (len(text), None, text.splitlines(True), NAME)  # inspect finds the source there
    module = types.ModuleType("version")
    exec(compile(text, NAME, "exec"), vars(module))
    return module


def with_wide_sizes(kernel, names):
    """The kernel, told that sizes and strides of the parameters `names` take 64 bits. KernelLoop compiles with such sizes;
    by itself cuTile takes 32 bits where they suffice, which makes other code."""
    import cuda.tile

    plain = kernel._pyfunc
    function = types.FunctionType(plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
    function.__module__, function.__qualname__ = plain.__module__, plain.__qualname__
    function.__annotations__ = {**plain.__annotations__, **{name: cuda.tile.IndexedWithInt64 for name in names}}
    return cuda.tile.kernel(function, **dataclasses.asdict(kernel._compiler_options))


def kernel_of(module, launch, wide=()):
    """`wide`: names of tensors in `args`."""
    kernel = getattr(module, launch["kernel"])
    parameters = [name for name in inspect.signature(kernel._pyfunc).parameters if name not in launch.get("constants", {})]
    named = [name for name, argument in zip(parameters, launch["args"]) if argument in wide]
    kernel = with_wide_sizes(kernel, named) if named else kernel
    return kernel.replace_hints(**launch["options"]) if launch.get("options") else kernel


def arguments_of(kernel, launch):
    """In the order of the kernel's parameters: ("x", None), or (None, 1024) for a constant."""
    constants, left = launch.get("constants", {}), list(launch["args"])
    return [(None, constants[name]) if name in constants else (left.pop(0), None)
            for name in inspect.signature(kernel._pyfunc).parameters]
