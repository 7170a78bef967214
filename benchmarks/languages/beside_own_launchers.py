"""Versions in TileLang, the CuTe DSL and cuTile as KernelLoop's generated launcher launches them, beside the same sources
compiled and launched by these languages themselves, on a GPU:

    python3 beside_own_launchers.py --op <op.json> --versions <folder> --compiled <folder> --generator <program>
                                    <axis>=<size>,... [...]

whose arguments are those of own_launchers/prepare.py, which runs first, into a temporary folder. Where toolchains and GPU
are on two machines, run prepare.py on the one, and on the other

    python3 beside_own_launchers.py --prepared <folder>

Each side's launches stand in a CUDA graph of their own, so that no Python counts; the graphs run by turns. Prints medians
in microseconds and the ratio for every shape, whether results are the same to the bit, and for launchers in C what a launch
without a graph costs the host. Each language runs in a process of its own. Exit code 1 where one failed or results differ.
"""

import faulthandler
import json
import os
import statistics
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "own_launchers")
sys.path += [HERE, OWN]

ROUNDS = 15
CALLS = 400  # a stream takes about 1000 launches before the host waits
LONGEST = 300  # seconds for a language


def apart(one, other):
    """How far results are apart, in units of the last place of bfloat16."""
    return max((a.int() - b.int()).abs().max().item() for a, b in zip(one, other))


def host_times(sides):
    """Nanoseconds of the host for a launch by the name of its side, as a median; of sides in C."""
    inside = {name: side for name, side in sides.items() if hasattr(side, "nanoseconds")}
    taken = {name: [] for name in inside}
    for _ in range(ROUNDS):
        for name, side in inside.items():
            taken[name].append(side.nanoseconds(CALLS))
    return {name: statistics.median(each[1:]) for name, each in taken.items()}


def sides_of(prepared, folder, shape, tensors, compiled):
    """By their names; the plan's first. Of an own launcher that fails its traceback, and the others go on."""
    import launches
    import plans
    import sides

    source = os.path.join(folder, prepared["source"])
    made = {"plan": sides.side_of(prepared["plan"], folder, source, shape["axes"], tensors)}
    against, failed = {}, False
    for own in prepared["own"][shape["launch"]]:
        try:
            side = sides.side_of(own, folder, source, shape["axes"], tensors)
            side()
            launches.torch.cuda.synchronize()
        except Exception:
            traceback.print_exc()
            print("%s, %s: FAILED" % (own["name"], shape["text"]), flush=True)
            failed = True
            continue
        made[own["name"]] = side
        against[own["name"]] = ["plan"]
        if own.get("programmatic"):  # the own launcher asks for it, the plan does not: both ways
            launch = compiled["plan"]["launches"][int(shape["launch"])]
            cubin = plans.cubin_of(os.path.join(folder, "compile.json"), compiled)
            made["plan, programmatic"] = launches.Planned(compiled, cubin, launch, shape["axes"], tensors, True)
            against[own["name"]].append("plan, programmatic")
    return made, against, failed


def compare(spec, prepared, folder, shape):
    import launches

    with open(os.path.join(folder, "compile.json"), encoding="utf-8") as file:
        compiled = json.load(file)
    tensors = launches.tensors_of(spec, shape["axes"])
    made, against, failed = sides_of(prepared, folder, shape, tensors, compiled)
    allowed = {own["name"]: own.get("units", 0) for own in prepared["own"][shape["launch"]]}
    outputs = {name: launches.outputs_of(side, spec["outputs"], tensors) for name, side in made.items()}
    taken, host = launches.times(made), host_times(made)
    for own, others in against.items():
        for other in others:
            units = apart(outputs[own], outputs[other])
            wrong = units > allowed[own]
            failed = failed or wrong
            said = "same to the bit" if units == 0 else "results at most %d units of the last place apart" % units
            cost = "; host %.0f and %.0f ns" % (host[other], host[own]) if own in host and other in host else ""
            print("%s: %s %.2f, %s %.2f us; plan / own %.3f; %s%s%s" % (
                shape["text"], other, statistics.median(taken[other]), own, statistics.median(taken[own]),
                launches.ratio(taken, other, own), said, ": WRONG" if wrong else "", cost), flush=True)
    return not failed


def run_language(root, name):
    """In this process."""
    import sides
    import torch

    faulthandler.enable()
    torch.manual_seed(0)
    sides.use_packages(root)
    with open(os.path.join(root, "op.json"), encoding="utf-8") as file:
        spec = json.load(file)
    with open(os.path.join(root, "prepared.json"), encoding="utf-8") as file:
        prepared = json.load(file)[name]
    good = True
    for shape in prepared["shapes"]:
        try:
            good = compare(spec, prepared, os.path.join(root, prepared["folder"]), shape) and good
        except Exception:
            traceback.print_exc()
            print("%s, %s: FAILED" % (name, shape["text"]), flush=True)
            good = False
    return good


def run(root):
    """Each language in a process of its own, so that none takes the others with it."""
    with open(os.path.join(root, "prepared.json"), encoding="utf-8") as file:
        prepared = json.load(file)
    good = bool(prepared)
    for name, each in prepared.items():
        print("%s (%s)" % (name, each["version"]), flush=True)
        try:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--prepared", root, "--only", name],
                                  timeout=LONGEST, check=False)
            if done.returncode != 0:
                print("%s: exit code %d" % (name, done.returncode), flush=True)
                good = False
        except subprocess.TimeoutExpired:
            print("%s: FAILED, no end after %d s" % (name, LONGEST), flush=True)
            good = False
    return good


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--prepared"] and len(arguments) == 4 and arguments[2] == "--only":
        return 0 if run_language(arguments[1], arguments[3]) else 1
    if arguments[:1] == ["--prepared"] and len(arguments) == 2:
        return 0 if run(os.path.abspath(arguments[1])) else 1
    import prepare

    with tempfile.TemporaryDirectory() as folder:
        failed = prepare.main(["--folder", folder] + arguments) != 0
        return 0 if run(folder) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
