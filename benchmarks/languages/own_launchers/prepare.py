"""Makes what beside_own_launchers.py runs: launchers of TileLang, the CuTe DSL and cuTile themselves, and the launcher that
KernelLoop generates, for versions in these languages. Needs their toolchains, a C++ compiler and a CUDA toolkit, no GPU:

    python3 prepare.py --op <op.json> --versions <folder> --compiled <folder> --generator <program> --folder <folder>
                       [--python 3.12] [--cuda /usr/local/cuda] [--architecture 90a] <axis>=<size>,... [...]

--versions holds v001, v002, ... with their sources (origin.json names the language); --compiled what a build made of them;
--generator is the build target `launch_cost_generate`; --python the version of the Python that will run
beside_own_launchers.py. Toolchains are found as the build finds them. A language that fails is left out, and said.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.dirname(HERE)]

import libraries
import plans

# What each needs: a toolchain, the program that runs in it, and packages of the Python that launches.
LANGUAGES = {
    "TILELANG": {"toolchain": "tilelang", "program": "in_tilelang.py", "packages": ["apache-tvm-ffi"],
                 "files": ["tvm_ffi", "typing_extensions.py"]},
    "CUTE": {"toolchain": "nvidia-cutlass-dsl", "program": "in_cute.py", "packages": [], "files": []},
    "CUTILE": {"toolchain": "cuda-tile", "program": "in_cutile.py", "packages": ["cuda-tile"],
               "files": ["cuda/tile", "cutile_cache", "typing_extensions.py"]},
}
LANGUAGE_OF = {each["toolchain"]: name.lower() for name, each in LANGUAGES.items()}
NOT_RUN = ("include", "share", "__pycache__")


def toolchain_of(name):
    """The Python of a toolchain's environment."""
    variable = "KERNELLOOP_%s_PYTHON" % name.upper().replace("-", "_")
    if os.environ.get(variable):
        return os.environ[variable]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    found = glob.glob(os.path.join(cache, "kernelloop/toolchains", name + "-*", "bin/python"))
    if not found:
        raise RuntimeError("there is no toolchain %s: run `kernelloop toolchain install %s`, or set %s"
                           % (name, LANGUAGE_OF[name], variable))
    return max(found, key=os.path.getmtime)


def output_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def packages_for(python, language, wanted, folder):
    """The toolchain's packages that launching takes, for the Python `wanted`: its own files where that is its version,
    else from PyPI in the same version."""
    if not language["packages"]:
        return
    told = output_of([python, "-c", "import sys, sysconfig; print('%d.%d' % sys.version_info[:2]); "
                      "print(sysconfig.get_paths()['purelib'])"]).splitlines()
    source = told[1]
    if told[0] != wanted:
        source = os.path.join(folder, "downloaded")
        versions = [package + "==" + output_of([python, "-c", "import importlib.metadata as m; print(m.version('%s'))" % package])
                    for package in language["packages"]]
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", source, "--upgrade",
                        "--python-version", wanted, "--only-binary", ":all:", *versions], check=True)
        shutil.copy(os.path.join(told[1], "typing_extensions.py"), source)
    for name in language["files"]:
        target = os.path.join(folder, "python", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(os.path.join(source, name)):
            shutil.copytree(os.path.join(source, name), target, ignore=shutil.ignore_patterns(*NOT_RUN), dirs_exist_ok=True)
        else:
            shutil.copy(os.path.join(source, name), target)
    if source != told[1]:
        shutil.rmtree(source)


def plan_library(options, spec, folder):
    """The launcher that KernelLoop generates for a version, as a library of C."""
    subprocess.run([options.generator, options.op, os.path.join(folder, "compile.json"), folder], check=True)
    tensors = [*((name, "const __nv_bfloat16*") for name in spec["inputs"]), *((name, "__nv_bfloat16*") for name in spec["outputs"])]
    names = [name for name, _ in tensors] + list(spec["axes"])
    passed = ["at<%s>(values, %d)" % (kind, i) for i, (_, kind) in enumerate(tensors)]
    passed += ["at<std::int64_t>(values, %d)" % (len(tensors) + i) for i in range(len(spec["axes"]))]
    text = "\n".join(['#include "host_time.hpp"', '#include "%s.h"' % spec["name"], "", 'extern "C" int launch(void** values) {',
                      "  return kernelloop::ops::%s(%s, at<cudaStream_t>(values, %d));" % (
                          spec["name"], ", ".join(passed), len(names)), "}", ""])
    library = libraries.make(folder, "plan", text, [os.path.join(folder, spec["name"] + ".cpp")], options.cuda)
    return {"name": "plan", "kind": "library", "library": library, "arguments": names}


def shapes_of(options, spec, compiled):
    """What each shape is: its text, its axes, its tensors' sizes, the number of the plan's launch."""
    shapes = []
    for text in options.shapes:
        axes = plans.axes_of(text)
        tensors = {name: [plans.value(str(size), axes) for size in tensor["shape"]]
                   for kind in ("inputs", "outputs") for name, tensor in spec[kind].items()}
        number, _ = plans.launch_for(compiled["plan"]["launches"], axes)
        shapes.append({"text": text, "axes": axes, "tensors": tensors, "launch": str(number)})
    return shapes


def prepare(options, spec, version, name):
    language = LANGUAGES[name]
    folder = os.path.join(options.folder, name.lower())
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    [source] = glob.glob(os.path.join(options.versions, version, "kernel.*"))
    shutil.copy(source, folder)
    build = os.path.join(options.compiled, version, "compile.json")
    with open(build, encoding="utf-8") as file:
        compiled = json.load(file)
    cubin = os.path.join(folder, "kernel.cubin")
    shutil.copy(plans.cubin_of(build, compiled), cubin)
    compiled["artifacts"]["cuda"].update({"cubin": cubin, "cubins": {options.architecture: cubin}})
    with open(os.path.join(folder, "compile.json"), "w", encoding="utf-8") as file:
        json.dump(compiled, file)
    with open(source, encoding="utf-8") as file:
        written = plans.written_launches(file.read())
    shapes = shapes_of(options, spec, compiled)
    job = {"source": os.path.join(folder, os.path.basename(source)), "folder": folder, "cuda": options.cuda,
           "architecture": options.architecture, "shapes": shapes, "axes": list(spec["axes"]),
           "tensors": {tensor: each["dtype"] for kind in ("inputs", "outputs") for tensor, each in spec[kind].items()},
           "launches": {shape["launch"]: written[int(shape["launch"])] for shape in shapes}}
    path = os.path.join(folder, "job.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(job, file)
    plan = plan_library(options, spec, folder)
    python = toolchain_of(language["toolchain"])
    subprocess.run([python, os.path.join(HERE, language["program"]), path], check=True)
    packages_for(python, language, options.python, options.folder)
    with open(os.path.join(folder, "sides.json"), encoding="utf-8") as file:
        sides = json.load(file)
    return {"folder": name.lower(), "version": version, "source": os.path.basename(source), "plan": plan, "shapes": shapes,
            "own": sides}


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name in ("op", "versions", "compiled", "generator", "folder"):
        parser.add_argument("--" + name, required=True, type=os.path.abspath)
    parser.add_argument("--python", default="%d.%d" % sys.version_info[:2])
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--architecture", default="90a")
    parser.add_argument("shapes", nargs="+")
    return parser.parse_args(arguments)


def main(arguments):
    options = parsed(arguments)
    os.makedirs(options.folder, exist_ok=True)
    with open(options.op, encoding="utf-8") as file:
        spec = json.load(file)
    shutil.copy(options.op, os.path.join(options.folder, "op.json"))
    prepared, failed = {}, []
    for origin in sorted(glob.glob(os.path.join(options.versions, "v*", "origin.json"))):
        with open(origin, encoding="utf-8") as file:
            name = json.load(file)["language"]
        if name not in LANGUAGES:
            continue
        try:
            prepared[name] = prepare(options, spec, os.path.basename(os.path.dirname(origin)), name)
        except Exception:  # one language does not hold up the others
            traceback.print_exc()
            failed.append(name)
    with open(os.path.join(options.folder, "prepared.json"), "w", encoding="utf-8") as file:
        json.dump(prepared, file, indent=2)
    print("prepared: %s%s" % (", ".join(prepared) or "nothing", "; FAILED: " + ", ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
