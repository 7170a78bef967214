"""Versions in Triton as their plans launch them, beside the same source compiled and launched by Triton itself, on a GPU:

    python3 beside_triton.py <op.json> <compile.json> <kernel.triton.py> <axis>=<size>,...  [<axis>=<size>,... ...]

compile.json is what the build made of the version (its cubin and its plan). Each side's launches stand in a CUDA graph of
their own, so that no Python counts; the graphs run by turns. Prints medians in microseconds and their ratio for every
shape. Tensors are bfloat16 with random values; results of both sides must be the same to the bit. Exit code 1 where they
are not.
"""

import importlib.util
import json
import statistics
import sys

import torch

import launches
import plans


def by_triton(module, written, axes, tensors):
    """The same launch as the version's source writes it."""
    function = getattr(module, written["kernel"])
    grid = tuple(plans.value(size, axes) for size in written["grid"])
    arguments = [tensors[one] if one in tensors else plans.value(one, axes) for one in written["args"]]
    named = {**written.get("constants", {}), **written.get("options", {})}
    return lambda: function[grid](*arguments, **named)


def main():
    spec, compiled = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
    source = importlib.util.spec_from_file_location("version", sys.argv[3])
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    written = plans.written_launches(module.__doc__)
    same = True
    for shape in sys.argv[4:]:
        axes = plans.axes_of(shape)
        tensors = launches.tensors_of(spec, axes)
        number, launch = plans.launch_for(compiled["plan"]["launches"], axes)
        planned = launches.Planned(compiled, plans.cubin_of(sys.argv[2], compiled), launch, axes, tensors)
        sides = {"plan": planned, "Triton": by_triton(module, written[number], axes, tensors)}
        outputs = [launches.outputs_of(side, spec["outputs"], tensors) for side in sides.values()]
        equal = all(torch.equal(a, b) for a, b in zip(*outputs))
        same = same and equal
        taken = launches.times(sides)
        print("%s: plan %.2f, Triton %.2f us; plan / Triton %.3f%s"
              % (shape, *(statistics.median(each) for each in taken.values()), launches.ratio(taken, "plan", "Triton"),
                 "" if equal else "; DIFFERENT RESULTS"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
