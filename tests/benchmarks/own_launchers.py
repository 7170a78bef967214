"""What benchmarks/languages does without a GPU and without a toolchain: reading plans, writing host code, saying what is missing."""

import ctypes
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

LANGUAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "languages")
sys.path += [LANGUAGES, os.path.join(LANGUAGES, "own_launchers")]

import cutile_source
import in_cute
import libraries
import plans
import prepare

LAUNCHES = [{"when": "cols % 8 == 0 && cols <= 1024", "kernel": "short"}, {"when": "cols > 1024 || rows / 2 == 1", "kernel": "long"}]


class Plans(unittest.TestCase):
    def test_expressions(self):
        self.assertEqual(plans.value("ceil_div(rows, 8) + rows / 3 - min(rows, 4)", {"rows": 17}), 3 + 5 - 4)

    def test_the_first_launch_that_holds(self):
        self.assertEqual(plans.launch_for(LAUNCHES, plans.axes_of("rows=3,cols=1024"))[0], 0)
        self.assertEqual(plans.launch_for(LAUNCHES, plans.axes_of("rows=3,cols=1000000"))[0], 1)
        self.assertEqual(plans.launch_for(LAUNCHES, plans.axes_of("rows=3,cols=7"))[0], 1)

    def test_no_launch(self):
        with self.assertRaisesRegex(RuntimeError, r"the plan has no launch for \{'rows': 5, 'cols': 7\}"):
            plans.launch_for(LAUNCHES, {"rows": 5, "cols": 7})

    def test_the_plan_of_a_source(self):
        for version in ("v004", "v005", "v006"):
            folder = os.path.join(LANGUAGES, "generated", "softmax", version)
            [name] = [name for name in os.listdir(folder) if name.startswith("kernel.")]
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                launches = plans.written_launches(file.read())
            self.assertGreaterEqual(len(launches), 5)
            self.assertTrue(all(launch["args"][:2] == ["x", "y"] for launch in launches))

    def test_a_cubin_that_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            there = os.path.join(folder, "there.cubin")
            compiled = {"artifacts": {"cuda": {"cubin": there}}}
            self.assertEqual(plans.cubin_of("/moved/compile.json", compiled), "/moved/there.cubin")
            with open(there, "w", encoding="utf-8"):
                pass
            self.assertEqual(plans.cubin_of("/moved/compile.json", compiled), there)


class HostCode(unittest.TestCase):
    def test_sizes_of_the_dsl(self):
        self.assertEqual(in_cute.size_text("ceil_div(rows, 8) * (cols / 2)"), "cute.ceil_div(rows, 8) * (cols // 2)")

    def test_the_call_of_an_exported_function(self):
        header = "int32_t cute_dsl_k_wrapper(k_Kernel_Module_t *module, void *x, int32_t rows, cudaStream_t stream) {"
        self.assertIn("cute_dsl_k_wrapper(&loaded.module, at<void*>(values, 0), "
                      "static_cast<int32_t>(at<long long>(values, 1)), at<cudaStream_t>(values, 2));",
                      in_cute.glue("k", header, ["x", "rows"]))

    def test_arguments_of_cutile(self):
        def whole(x, BLOCK, y):
            del x, BLOCK, y

        self.assertEqual(cutile_source.arguments_of(types.SimpleNamespace(_pyfunc=whole),
                                                    {"args": ["in", "out"], "constants": {"BLOCK": 4}}),
                         [("in", None), (None, 4), ("out", None)])

    def test_a_library_that_does_not_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, r"broken\.cpp does not compile: [^$]*nonsense"):
                libraries.make(folder, "broken", "nonsense;", [], "/nowhere")

    def test_a_folder_of_libraries_that_moves(self):
        with tempfile.TemporaryDirectory() as folder:
            made, moved = os.path.join(folder, "made"), os.path.join(folder, "moved")
            os.makedirs(made)
            inner = libraries.make(made, "inner", 'extern "C" int seven() { return 7; }\n', [], None)
            outer = libraries.make(made, "outer", '#include "host_time.hpp"\nextern "C" int seven();\n'
                                   'extern "C" int launch(void** values) { return seven() - at<int>(values, 0); }\n', [], None,
                                   needed=[inner])
            os.rename(made, moved)
            library = ctypes.CDLL(os.path.join(moved, outer))
            library.nanoseconds.restype = ctypes.c_double
            for number, code in ((7, 0), (4, 3)):
                value = ctypes.c_int(number)
                values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
                self.assertEqual(library.launch(values), code)
                self.assertEqual(library.nanoseconds(values, 3) < 0, code != 0)


class Toolchains(unittest.TestCase):
    def test_the_variable_comes_first(self):
        with mock.patch.dict(os.environ, {"KERNELLOOP_CUDA_TILE_PYTHON": "/a/python"}):
            self.assertEqual(prepare.toolchain_of("cuda-tile"), "/a/python")

    def test_the_installed_one(self):
        with tempfile.TemporaryDirectory() as cache, mock.patch.dict(os.environ, {"XDG_CACHE_HOME": cache}):
            os.environ.pop("KERNELLOOP_TILELANG_PYTHON", None)
            python = os.path.join(cache, "kernelloop/toolchains/tilelang-0123456789ab/bin/python")
            os.makedirs(os.path.dirname(python))
            with open(python, "w", encoding="utf-8"):
                pass
            self.assertEqual(prepare.toolchain_of("tilelang"), python)

    def test_none(self):
        with tempfile.TemporaryDirectory() as cache, mock.patch.dict(os.environ, {"XDG_CACHE_HOME": cache}):
            os.environ.pop("KERNELLOOP_TILELANG_PYTHON", None)
            with self.assertRaisesRegex(RuntimeError, "there is no toolchain tilelang: run `kernelloop toolchain install "
                                        "tilelang`, or set KERNELLOOP_TILELANG_PYTHON"):
                prepare.toolchain_of("tilelang")


if __name__ == "__main__":
    unittest.main()
