"""Makes TileLang's own launchers of the launches in a job (prepare.py). Runs in TileLang's environment, needs no GPU.

TileLang has two: `tvm_ffi`, its default, whose host code runs in TVM's runtime, and `cython`, a C function around `<<<>>>`'s
counterpart. The latter asks for programmatic dependent launch whatever the kernel is.
"""

import importlib.util
import json
import os
import re
import shutil
import sys

FOLDERS = [os.path.join(os.path.dirname(os.path.abspath(__file__)), part) for part in ("", "../../../tools/languages/adapters")]
sys.path += FOLDERS
os.environ["TILELANG_DISABLE_CACHE"] = "1"

import libraries

RUNTIME = ("libstub_cuda.so", "libstub_cudart.so", "libstub_hip.so", "libstub_ascendcl.so", "libtvm_runtime.so")


class NotLoaded:
    """In the place of a library that TileLang compiled and would load, which takes a driver."""

    def __init__(self):
        self.get_last_error = type("Function", (), {})()

    def init(self):
        return 0


def compiled(function, launch, architecture, backend):
    import tilelang
    import tilelang_adapter
    from tilelang.jit.adapter.libgen import LibraryGenerator

    LibraryGenerator.load_lib = lambda self, lib_path=None: NotLoaded()
    return tilelang.compile(function, target={"kind": "cuda", "arch": "sm_" + architecture}, execution_backend=backend,
                            pass_configs=tilelang_adapter.configuration({"options": launch.get("options", {})}) or None)


def by_cython(job, number, launch, function):
    kernel = compiled(function, launch, job["architecture"], "cython")
    own = "own_%d.so" % number
    shutil.copy(kernel.adapter.lib_generator.libpath, os.path.join(job["folder"], own))
    declared = re.search(r"int call\((.*?), cudaStream_t", kernel.adapter.lib_code or kernel.get_host_source()).group(1)
    left, arguments, types = list(launch["args"]), [], []
    for parameter in declared.split(", "):
        pointer = "*" in parameter
        arguments.append(left.pop(0) if pointer else parameter.split()[-1])
        types.append("void*" if pointer else "int")
    passed = ["at<void*>(values, %d)" % i if kind == "void*" else "static_cast<int>(at<long long>(values, %d))" % i
              for i, kind in enumerate(types)]
    text = "\n".join([
        '#include "host_time.hpp"', "", "#include <cuda_runtime_api.h>", "",
        'extern "C" int init();', 'extern "C" int call(%s, cudaStream_t);' % ", ".join(types), "",
        'extern "C" int launch(void** values) {', "  static const int failed = init();",
        "  return failed != 0 ? failed : call(%s, at<cudaStream_t>(values, %d));" % (", ".join(passed), len(types)), "}", ""])
    library = libraries.make(job["folder"], "cython_%d" % number, text, [], job["cuda"], needed=[own])
    return {"name": "TileLang (cython)", "kind": "library", "library": library, "arguments": arguments,
            "programmatic": True}


def by_ffi(job, number, launch, function):
    import tvm

    kernel = compiled(function, launch, job["architecture"], "tvm_ffi")
    library = "ffi_%d.so" % number
    tvm.runtime.Executable(kernel.adapter.rt_mod).export_library(os.path.join(job["folder"], library))
    return {"name": "TileLang (tvm_ffi)", "kind": "tvm_ffi", "library": library, "arguments": launch["args"],
            "function": str(kernel.prim_func.attrs["global_symbol"]), "runtime": list(RUNTIME)}


def main():
    import tilelang

    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    spec = importlib.util.spec_from_file_location("kernel", job["source"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in RUNTIME:
        shutil.copy(os.path.join(os.path.dirname(tilelang.__file__), "lib", name), job["folder"])
    sides = {}
    for number, launch in job["launches"].items():
        function = getattr(module, launch["kernel"])(**launch.get("constants", {}))
        sides[number] = [by_ffi(job, int(number), launch, function), by_cython(job, int(number), launch, function)]
    with open(os.path.join(job["folder"], "sides.json"), "w", encoding="utf-8") as file:
        json.dump(sides, file, indent=2)


if __name__ == "__main__":
    main()
