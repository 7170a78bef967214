"""Sides (launches.py) of a prepared folder (prepare.py): what launches a version once on PyTorch's current stream."""

import ctypes
import os
import shutil
import sys
import tempfile

import torch


class Library:
    """A launch that is a function of C (host_time.hpp)."""

    def __init__(self, side, folder, axes, tensors):
        self.library = ctypes.CDLL(os.path.join(folder, side["library"]))
        self.library.nanoseconds.restype = ctypes.c_double
        self.values = [ctypes.c_uint64(tensors[name].data_ptr()) if name in tensors else ctypes.c_int64(axes[name])
                       for name in side["arguments"]] + [ctypes.c_void_p()]
        self.pointers = (ctypes.c_void_p * len(self.values))(*[ctypes.addressof(one) for one in self.values])

    def on_stream(self):
        self.values[-1].value = torch.cuda.current_stream().cuda_stream

    def __call__(self):
        self.on_stream()
        code = self.library.launch(self.pointers)
        if code != 0:
            raise RuntimeError("the launch says %d" % code)

    def nanoseconds(self, count):
        """Of the host for a launch, without a graph."""
        self.on_stream()
        torch.cuda.synchronize()
        took = self.library.nanoseconds(self.pointers, count)
        torch.cuda.synchronize()
        if took < 0:
            raise RuntimeError("a launch failed")
        return took


class TvmFfi:
    """A function that TileLang compiled for TVM's runtime, called as its Python does."""

    loaded = []

    def __init__(self, side, folder, axes, tensors):
        os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"  # tensors are converted here, once
        import tvm_ffi

        self.ffi = tvm_ffi
        if not self.loaded:
            self.loaded += [ctypes.CDLL(os.path.join(folder, name), ctypes.RTLD_GLOBAL) for name in side["runtime"]]
        self.module = tvm_ffi.load_module(os.path.join(folder, side["library"]))
        self.function = self.module[side["function"]]
        self.arguments = [tvm_ffi.from_dlpack(tensors[name]) if name in tensors else axes[name] for name in side["arguments"]]
        self.device = tvm_ffi.device("cuda", torch.cuda.current_device())

    def __call__(self):
        with self.ffi.use_raw_stream(self.device, torch.cuda.current_stream().cuda_stream):
            self.function(*self.arguments)


class CuTile:
    """cuda.tile.launch of a version's source. What was compiled before is found in the prepared cache."""

    cache = None

    def __init__(self, side, folder, axes, tensors, source):
        if CuTile.cache is None:  # a copy, for reading it writes the time
            CuTile.cache = tempfile.TemporaryDirectory()
            shutil.copytree(os.path.join(folder, side["cache"]), CuTile.cache.name, dirs_exist_ok=True)
            os.environ["CUDA_TILE_CACHE_DIR"] = CuTile.cache.name
            os.environ["PATH"] = os.path.join(folder, side["bin"]) + os.pathsep + os.environ.get("PATH", "")
        import cuda.tile
        import cutile_source
        import plans

        self.tile = cuda.tile
        launch = side["launch"]
        self.kernel = cutile_source.kernel_of(cutile_source.module_of(source), launch, side["wide"])
        self.arguments = tuple(constant if name is None else tensors[name] if name in tensors else plans.value(name, axes)
                               for name, constant in cutile_source.arguments_of(self.kernel, launch))
        self.grid = tuple(plans.value(size, axes) for size in launch["grid"])

    def __call__(self):
        self.tile.launch(torch.cuda.current_stream(), self.grid, self.kernel, self.arguments)


def use_packages(folder):
    """Packages that were prepared, before others of their name."""
    packages = os.path.join(folder, "python")
    if not os.path.isdir(packages):
        return
    sys.path.insert(0, packages)
    within = os.path.join(packages, "cuda")
    try:
        import cuda
    except ImportError:
        return
    if os.path.isdir(within) and within not in list(cuda.__path__):
        cuda.__path__.append(within)  # a package of CUDA's that is no namespace


def side_of(side, folder, source, axes, tensors):
    if side["kind"] == "tvm_ffi":
        return TvmFfi(side, folder, axes, tensors)
    if side["kind"] == "cutile":
        return CuTile(side, folder, axes, tensors, source)
    return Library(side, folder, axes, tensors)
