"""What the programs beside this one share: launches of a plan, and times of launches that stand in CUDA graphs.

A side is something that can be called and then launches its work once on PyTorch's current stream. Sides that are compared
write the same outputs, and their graphs run by turns, so that a drift of the machine hits both.
"""

import ctypes
import statistics

import torch

from plans import value

ROUNDS = 15
DRIVER = ctypes.CDLL("libcuda.so.1")
DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
PROGRAMMATIC = 6  # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION


class Attribute(ctypes.Structure):
    """CUlaunchAttribute: what it is, and 64 bytes of value."""

    _fields_ = [("kind", ctypes.c_uint32), ("padding", ctypes.c_uint32), ("value", ctypes.c_uint32 * 16)]


class Configuration(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("sizes", ctypes.c_uint32 * 6), ("shared", ctypes.c_uint32), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint32)]


def check(code):
    if code != 0:
        raise RuntimeError("the driver says %d" % code)


def tensors_of(spec, axes):
    made = {}
    for kind in ("inputs", "outputs"):
        for name, tensor in spec[kind].items():
            shape = [value(str(size), axes) for size in tensor["shape"]]
            made[name] = torch.randn(shape, device="cuda").to(torch.bfloat16)
    return made


class Planned:
    """A launch of the plan, by the driver. `programmatic`: with programmatic dependent launch, whatever the plan says."""

    def __init__(self, compiled, cubin, launch, axes, tensors, programmatic=False):
        if launch.get("cluster") or launch["cooperative"] or any(isinstance(one, dict) for one in launch["args"]):
            raise RuntimeError("clusters, cooperative launches and tensor maps are not launched here")
        with open(cubin, "rb") as file:
            image = file.read()
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(DRIVER.cuModuleLoadData(ctypes.byref(self.module), image))
        check(DRIVER.cuModuleGetFunction(ctypes.byref(self.function), self.module, launch["kernel"].encode()))
        shared = value(launch["dynamic_shared_bytes"], axes)
        check(DRIVER.cuFuncSetAttribute(self.function, DYNAMIC_SHARED_BYTES, shared))
        sizes = [value(size, axes) for size in launch["grid"] + launch["block"]]
        self.attribute = Attribute(PROGRAMMATIC, 0, (ctypes.c_uint32 * 16)(1))
        self.configuration = Configuration((ctypes.c_uint32 * 6)(*sizes), shared, None, ctypes.pointer(self.attribute),
                                           int(programmatic or launch["programmatic_dependent_launch"]))
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
        self.configuration.stream = torch.cuda.current_stream().cuda_stream
        check(DRIVER.cuLaunchKernelEx(ctypes.byref(self.configuration), self.function, self.pointers, None))


def outputs_of(side, names, tensors):
    """What a side writes, bit by bit. Operators that are compared give numbers for such inputs: NaN was not written."""
    for name in names:
        tensors[name].fill_(float("nan"))
    side()
    torch.cuda.synchronize()
    for name in names:
        if tensors[name].isnan().any():
            raise RuntimeError("%s was not written, or holds NaN" % name)
    return [tensors[name].view(torch.int16).clone() for name in names]


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


def times(sides):
    """Microseconds of one launch by the name of its side, in each of the rounds; a first round warms up and is left out."""
    once = microseconds(graph_of(next(iter(sides.values())), 3), 3)
    count = max(10, min(400, int(20000 / once)))
    graphs = {name: graph_of(side, count) for name, side in sides.items()}
    taken = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            taken[name].append(microseconds(graph, count))
    return {name: each[1:] for name, each in taken.items()}


def ratio(taken, one, other):
    """Of one side to another: the median over rounds."""
    return statistics.median(a / b for a, b in zip(taken[one], taken[other]))
