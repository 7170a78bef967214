"""Fills the cache of cuTile's own launcher for the launches and shapes in a job (prepare.py), and leaves a `tileiras` that
answers for the compiler where it is not installed. Runs in cuTile's environment, needs no GPU and no driver.
"""

import json
import os
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import cutile_source

AGAIN = "KERNELLOOP_WITHOUT_DRIVER"
TYPES = {"bfloat16": "<V2", "float16": "<f2", "float32": "<f4"}
COMPILER = """#!/bin/sh
# Answers for the compiler that filled the cache beside this file: its version, and yes to the probe for features.
case "$1" in
  --version) cat "$(dirname "$0")/version.txt" ;;
  *probe*) ;;
  *) echo "error: the prepared cache does not hold this kernel: prepare this shape too, or install cuda-tile[tileiras]" >&2
     exit 1 ;;
esac
"""


class Array:
    """A tensor of PyTorch as far as cuTile looks at it when it compiles: type, sizes, strides, alignment."""

    def __init__(self, shape, dtype, number):
        self.__cuda_array_interface__ = {"shape": tuple(shape), "typestr": TYPES[dtype], "strides": None, "version": 3,
                                         "data": ((number + 1) << 40, False)}


def without_driver(folder):
    """This program once more, with a library in the place of the driver's."""
    library = os.path.join(folder, "no_driver")
    os.makedirs(library, exist_ok=True)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_driver.c")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", os.path.join(library, "libcuda.so.1"), source],
                   check=True)
    os.environ.update({AGAIN: "1", "LD_LIBRARY_PATH": library})
    os.execv(sys.executable, [sys.executable] + sys.argv)


def fill(job, module, launch, shape, wide):
    from cuda.tile import _cext, _compile
    from cuda.tile.compilation import KernelSignature

    kernel = cutile_source.kernel_of(module, launch, wide)
    arguments = [constant if name is None else Array(shape["tensors"][name], job["tensors"][name], i) if name in job["tensors"]
                 else shape["axes"][name] for i, (name, constant) in
                 enumerate(cutile_source.arguments_of(kernel, launch))]
    # The launcher chooses among these by rules of its own.
    for convention in ("cutile_python_v1", "cutile_python_v2"):
        signature = KernelSignature.from_kernel_args(kernel, arguments, getattr(_cext.CallingConvention, convention)())
        _compile.compile_tile(kernel._annotated_function, (signature,), "sm_" + job["architecture"].rstrip("af"),
                              kernel._compiler_options)
        print(signature.symbol)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    if AGAIN not in os.environ:
        without_driver(job["folder"])
    os.environ["CUDA_TILE_CACHE_DIR"] = os.path.join(job["folder"], "cache")
    from cuda.tile import _compile

    module = cutile_source.module_of(job["source"])
    sides = {}
    for shape in job["shapes"]:
        launch = job["launches"][shape["launch"]]
        # By itself cuTile makes other code than KernelLoop has (cutile_source.py), which may round otherwise.
        sides[shape["launch"]] = [
            {"name": name, "kind": "cutile", "launch": launch, "wide": wide, "units": units, "cache": "cache", "bin": "bin"}
            for name, wide, units in (("cuTile", [], 1), ("cuTile with sizes of 64 bits", list(job["tensors"]), 0))]
        for side in sides[shape["launch"]]:
            fill(job, module, launch, shape, side["wide"])
    folder = os.path.join(job["folder"], "bin")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "version.txt"), "w", encoding="utf-8") as file:
        file.write(_compile._get_compiler_version_string())
    with open(os.path.join(folder, "tileiras"), "w", encoding="utf-8") as file:
        file.write(COMPILER)
    os.chmod(os.path.join(folder, "tileiras"), 0o755)
    with open(os.path.join(job["folder"], "sides.json"), "w", encoding="utf-8") as file:
        json.dump(sides, file, indent=2)


if __name__ == "__main__":
    main()
