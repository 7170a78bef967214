"""How cuTile gets a version's source, where it is prepared as where it runs. It keeps compiled kernels by what it compiles,
which names the file; so the name must be the same on both machines."""

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


def kernel_of(module, launch):
    kernel = getattr(module, launch["kernel"])
    return kernel.replace_hints(**launch["options"]) if launch.get("options") else kernel


def arguments_of(kernel, launch):
    """In the order of the kernel's parameters: ("x", None), or (None, 1024) for a constant."""
    import inspect

    constants, left = launch.get("constants", {}), list(launch["args"])
    return [(None, constants[name]) if name in constants else (left.pop(0), None)
            for name in inspect.signature(kernel._pyfunc).parameters]
