"""Versions in Triton as their plans launch them, beside the same source compiled and launched by Triton itself, on a GPU:

    python3 beside_triton.py <op.json> <compile.json> <kernel.triton.py> <axis>=<size>,...  [<axis>=<size>,... ...]

compile.json is what the build made of the version (its cubin and its plan). Each side's launches stand in a CUDA graph of
their own, so that no Python counts; the graphs run by turns. Prints medians in microseconds and their ratio for every
shape. Tensors are bfloat16 with random values; results of both sides must be the same to the bit. Exit code 1 where they
are not.
"""

import ctypes
import importlib.util
import json
import re
import statistics
import sys

import torch

ROUNDS = 15
FUNCTIONS = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}
DRIVER = ctypes.CDLL("libcuda.so.1")
DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def check(code):
    if code != 0:
        sys.exit("the driver says %d" % code)


def value(expression, axes):
    """Of an expression of a plan, without `?:` and `!`."""
    text = expression.replace("&&", " and ").replace("||", " or ")
    return int(eval(re.sub(r"(?<!/)/(?!/)", "//", text), dict(FUNCTIONS), dict(axes)))


def tensors_of(spec, axes):
    made = {}
    for kind in ("inputs", "outputs"):
        for name, tensor in spec[kind].items():
            shape = [value(str(size), axes) for size in tensor["shape"]]
            made[name] = torch.randn(shape, device="cuda").to(torch.bfloat16)
    return made


def launch_for(plan, axes):
    for number, launch in enumerate(plan["launches"]):
        if "when" not in launch or value(launch["when"], axes):
            return number, launch
    sys.exit("the plan has no launch for %s" % axes)


class Planned:
    """A launch of the plan, by the driver."""

    def __init__(self, compiled, launch, axes, tensors):
        cubin = open(compiled["artifacts"]["cuda"]["cubin"], "rb").read()
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(DRIVER.cuModuleLoadData(ctypes.byref(self.module), cubin))
        check(DRIVER.cuModuleGetFunction(ctypes.byref(self.function), self.module, launch["kernel"].encode()))
        self.shared = value(launch["dynamic_shared_bytes"], axes)
        check(DRIVER.cuFuncSetAttribute(self.function, DYNAMIC_SHARED_BYTES, self.shared))
        self.sizes = [value(size, axes) for size in launch["grid"] + launch["block"]]
        kernel = next(one for one in compiled["kernels"] if one["name"] == launch["kernel"])
        self.values = []
        for argument, parameter in zip(launch["args"], kernel["parameters"]):
            if argument in tensors:
                self.values.append(ctypes.c_uint64(tensors[argument].data_ptr()))
            else:
                kind = ctypes.c_int32 if parameter["size"] == 4 else ctypes.c_uint64
                self.values.append(kind(value(argument, axes)))
        self.pointers = (ctypes.c_void_p * len(self.values))(*[ctypes.addressof(one) for one in self.values])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(DRIVER.cuLaunchKernel(self.function, *self.sizes, self.shared, stream, self.pointers, None))


def by_triton(module, written, axes, tensors):
    """The same launch as the version's source writes it."""
    function = getattr(module, written["kernel"])
    grid = tuple(value(size, axes) for size in written["grid"])
    arguments = [tensors[one] if one in tensors else value(one, axes) for one in written["args"]]
    named = {**written.get("constants", {}), **written.get("options", {})}
    return lambda: function[grid](*arguments, **named)


def graph_of(launch, count):
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            launch()
    return graph


def microseconds(graph, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count * 1e3


def main():
    spec, compiled = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
    source = importlib.util.spec_from_file_location("version", sys.argv[3])
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    written = json.loads(module.__doc__.split("kernelloop:plan", 1)[1])
    same = True
    for shape in sys.argv[4:]:
        axes = {name: int(size) for name, size in (one.split("=") for one in shape.split(","))}
        tensors = tensors_of(spec, axes)
        number, launch = launch_for(compiled["plan"], axes)
        sides = {"plan": Planned(compiled, launch, axes, tensors),
                 "Triton": by_triton(module, written["launches"][number], axes, tensors)}
        outputs = {}
        for name, side in sides.items():
            for output in spec["outputs"]:
                tensors[output].fill_(float("nan"))
            side()
            torch.cuda.synchronize()
            outputs[name] = [tensors[output].view(torch.int16).clone() for output in spec["outputs"]]
        equal = all(torch.equal(a, b) for a, b in zip(*outputs.values()))
        same = same and equal
        once = microseconds(graph_of(sides["plan"], 3), 3)
        count = max(10, min(400, int(20000 / once)))
        graphs = {name: graph_of(side, count) for name, side in sides.items()}
        taken = {name: [] for name in graphs}
        for _ in range(ROUNDS):
            for name, graph in graphs.items():
                taken[name].append(microseconds(graph, count))
        medians = {name: statistics.median(values[1:]) for name, values in taken.items()}
        ratio = statistics.median(a / b for a, b in list(zip(taken["plan"], taken["Triton"]))[1:])
        print("%s: plan %.2f, Triton %.2f us; plan / Triton %.3f%s"
              % (shape, medians["plan"], medians["Triton"], ratio, "" if equal else "; DIFFERENT RESULTS"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
