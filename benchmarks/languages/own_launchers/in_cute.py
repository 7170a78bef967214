"""Makes the CuTe DSL's own launchers of the launches in a job (prepare.py). Runs in the DSL's environment, needs no GPU.

The kernels get a host function as users of the DSL write it, which is exported as an object for C and linked with the DSL's
runtime.
"""

import inspect
import json
import os
import re
import sys

FOLDERS = [os.path.join(os.path.dirname(os.path.abspath(__file__)), part) for part in ("", "../../../tools/languages/adapters")]
sys.path += FOLDERS

import libraries

BLOCK = ("threads", "threads_y", "threads_z")
ALIGNED = 16


def size_text(expression):
    """An expression of a plan as the DSL has it."""
    return re.sub(r"(?<!/)/(?!/)", "//", expression).replace("ceil_div", "cute.ceil_div")


def host_text(cute_adapter, launch, tensors, axes, function):
    """The module with the host function, and the names of its arguments before the stream."""
    takes, values = cute_adapter.split_parameters(
        function, {"function": launch["kernel"], "constants": launch.get("constants", {}),
                   "arguments": [{"kind": "plain"} for _ in launch["args"]]})
    declared, made, passed = {}, [], []
    for argument, (name, annotation) in zip(launch["args"], takes):
        kind = ({"kind": "pointer", "dtype": tensors[argument], "divisible_by_16": True} if argument in tensors
                else {"kind": "integer", "dtype": "int32"})
        declared[argument], value = cute_adapter.argument_texts(kind, name, annotation)
        made.append(value)
        passed.append("%s=%s" % (name, argument))
    grid = [size_text(size) for size in launch["grid"]]
    for axis in axes:
        if axis not in declared and re.search(r"\b%s\b" % axis, " ".join(grid)):
            declared[axis] = "cutlass.Int32"
            made.append("cutlass.Int32(1)")
    options = launch.get("options", {})
    block = [options.get(name, 1 if name != "threads" else 128) for name in BLOCK]
    passed += ["%s=%r" % pair for pair in values.items()]
    text = "\n".join([
        "import cuda.bindings.driver as driver", "import cutlass", "import cutlass.cute as cute",
        "from cutlass.cute.runtime import nullptr", "", "kernel = None", "", "", "@cute.jit",
        "def host(%s, stream: driver.CUstream):" % ", ".join("%s: %s" % pair for pair in declared.items()),
        "    kernel(%s).launch(grid=[%s], block=%r, stream=stream)" % (
            ", ".join(passed), ", ".join(grid + ["1"] * (3 - len(grid))), block), "", "",
        "def arguments():", "    return [%s, driver.CUstream(0)]" % ", ".join(made), ""])
    return text, list(declared)


def glue(name, header, arguments):
    declared = re.search(r"cute_dsl_%s_wrapper\(%s_Kernel_Module_t \*module, (.*?), cudaStream_t stream\)" % (name, name),
                         header).group(1)
    passed = ["at<void*>(values, %d)" % i if "*" in parameter else "static_cast<%s>(at<long long>(values, %d))" % (
        parameter.split()[0], i) for i, parameter in enumerate(declared.split(", "))]
    return "\n".join([
        '#include "host_time.hpp"', '#include "%s.h"' % name, "", "namespace {", "struct Loaded {",
        "  Loaded() { %s_Kernel_Module_Load(&module); }" % name, "  %s_Kernel_Module_t module{};" % name, "};",
        "}  // namespace", "", 'extern "C" int launch(void** values) {', "  static Loaded loaded;",
        "  return cute_dsl_%s_wrapper(&loaded.module, %s, at<cudaStream_t>(values, %d));" % (
            name, ", ".join(passed), len(arguments)), "}", ""])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    os.chdir(job["folder"])
    import cute_adapter  # sets the environment that the DSL reads
    os.environ["CUTE_DSL_ARCH"] = "sm_" + job["architecture"]  # without it there is no host code
    import cutlass
    import cutlass.cute as cute

    module = cute_adapter.load(job["source"])
    packages = os.path.dirname(os.path.dirname(os.path.dirname(inspect.getfile(cutlass))))
    runtime = os.path.join(packages, "cu13", "lib", "libcuda_dialect_runtime_static.a")
    sides = {}
    for number, launch in job["launches"].items():
        name = "cute_%s" % number
        function = cute_adapter.function_of(module, launch["kernel"])
        text, arguments = host_text(cute_adapter, launch, job["tensors"], job["axes"], function)
        with open("host_%s.py" % number, "w", encoding="utf-8") as file:
            file.write(text)
        host = cute_adapter.load_file("host", os.path.abspath("host_%s.py" % number))
        host.kernel = function
        made = cute.compile(host.host, *host.arguments(), options="--gpu-arch sm_" + job["architecture"])
        made.export_to_c(job["folder"], name, name)
        with open(name + ".h", encoding="utf-8") as file:
            header = file.read()
        library = libraries.make(job["folder"], "launch_" + name, glue(name, header, arguments),
                                 [os.path.abspath(name + ".o"), runtime], job["cuda"])
        sides[number] = [{"name": "CuTe DSL", "kind": "library", "library": library, "arguments": arguments}]
    with open("sides.json", "w", encoding="utf-8") as file:
        json.dump(sides, file, indent=2)


if __name__ == "__main__":
    main()
