// Whole compiles of versions in CuTe DSL, cuTile and TileLang, with the real compilers where their
// toolchains are installed.
#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "support/error.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>

#include "languages/language.hpp"
#include "languages/toolchain.hpp"
#include "version_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

class LanguageTest : public VersionTest {
 protected:
  explicit LanguageTest(const char* language) : language_(language_named(language)) {}

  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    try {
      find_toolchain(language_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    request_.language = &language_;
    request_.source = request_.source.parent_path() / language_.source;
  }

  // Two launches of `scale`, the first where 16 divides n.
  Json compile_with(const std::string& args, const std::string& code) {
    return compile(
        "\"\"\"kernelloop:plan\n{ \"launches\": [\n"
        "  { \"when\": \"n % 16 == 0\", \"kernel\": \"scale\", \"args\": [" +
        args +
        "],\n    \"grid\": [\"ceil_div(n, 512)\"], \"constants\": {\"BLOCK\": 512} },\n"
        "  { \"when\": \"n % 16 != 0\", \"kernel\": \"scale\", \"args\": [" +
        args +
        "],\n    \"grid\": [\"ceil_div(n, 128)\"], \"constants\": {\"BLOCK\": 128} } ] "
        "}\n\"\"\"\n" +
        code);
  }

  void expect_built(const Json& compiled, const std::string& compiler) {
    ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
    EXPECT_EQ(compiled.at("toolchain").at("compiler"), compiler);
    ASSERT_EQ(compiled.at("plan").at("launches").size(), 2u);
    EXPECT_EQ(compiled.at("plan").at("launches").at(1).at("kernel"), "scale_1");
    EXPECT_EQ(compiled.at("artifacts").at("cuda").at("status"), "built");
    EXPECT_TRUE(is_written("kernel.cubin"));
  }

  void expect_reason(const Json& compiled, const std::string& text) {
    EXPECT_EQ(compiled.at("status"), "failed");
    EXPECT_THAT(compiled.at("reason").get<std::string>(), HasSubstr(text));
  }

 private:
  const Language& language_;
};

class Cute : public LanguageTest {
 protected:
  Cute() : LanguageTest("CUTE") {}
  static constexpr const char* k_args = R"("x", "y", "factor", "n")";
};

TEST_F(Cute, CompilesTheExampleOfItsGuide) { EXPECT_NO_THROW(try_compilers(request_)); }

TEST_F(Cute, BuildsAGoodVersion) {
  const Json compiled = compile_with(k_args, R"py(import cutlass
import cutlass.cute as cute
from cutlass.memory import SmemAllocator


@cute.kernel
def scale(x: cute.Pointer, y: cute.Pointer, factor: cutlass.Float32, n: cutlass.Int32,
          BLOCK: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    staged = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(BLOCK), 16)
    gx = cute.make_tensor(x, cute.make_layout(n))
    gy = cute.make_tensor(y, cute.make_layout(n))
    for part in cutlass.range_constexpr(BLOCK // 128):
        i = bid * BLOCK + part * 128 + tid
        if i < n:
            staged[part * 128 + tid] = gx[i] * factor
            gy[i] = staged[part * 128 + tid]
)py");
  expect_built(compiled, "CuTe DSL (nvidia-cutlass-dsl 4.8.1, nvidia-cuda-nvcc 13.4.92)");
  const Json& launches = compiled.at("plan").at("launches");
  EXPECT_EQ(launches.at(0).at("block").at(0), "128");
  EXPECT_EQ(launches.at(0).at("dynamic_shared_bytes"), "2048");
  EXPECT_EQ(launches.at(1).at("dynamic_shared_bytes"), "512");
  EXPECT_TRUE(is_written("kernel.ir.scale_0.mlir"));
}

TEST_F(Cute, TakesTensorMapsOfThePlan) {
  const std::string map =
      "{\"tensor_map\": {\"tensor\": \"x\", \"dims\": [64, \"ceil_div(n, 64)\"], "
      "\"box\": [32, 8], \"swizzle\": \"128B\"}}, ";
  const Json compiled = compile_with(map + R"("y", "factor")", R"py(import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.memory import SmemAllocator


@cute.kernel
def scale(atom: cute.CopyAtom, x: cute.Tensor, y: cute.Pointer, factor: cutlass.Float32,
          BLOCK: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    kind = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, cutlass.Float32)
    layout = cute.tile_to_shape(kind, (8, 32, 1), order=(0, 1, 2))
    memory = SmemAllocator()
    full = memory.allocate_array(cutlass.Int64, 1)
    held = memory.allocate_tensor(cutlass.Float32, layout.outer, 1024, layout.inner)
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    shared, tile = cpasync.tma_partition(
        atom, 0, cute.make_layout(1), cute.group_modes(held, 0, 2),
        cute.group_modes(cute.local_tile(x, (8, 32), (0, None)), 0, 2))
    if cute.arch.make_warp_uniform(cute.arch.warp_idx()) == 0:
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(full, 1024)
        cute.copy(atom, tile[None, 0], shared[None, 0], tma_bar_ptr=full)
    cute.arch.mbarrier_wait(full, 0)
    gy = cute.make_tensor(y, cute.make_layout(BLOCK))
    gy[tid] = held[tid // 32, tid % 32, 0] * factor
)py");
  expect_built(compiled, "CuTe DSL (nvidia-cutlass-dsl 4.8.1, nvidia-cuda-nvcc 13.4.92)");
  std::vector<int> sizes;
  for (const Json& parameter : compiled.at("kernels").at(0).at("parameters")) {
    sizes.push_back(parameter.at("size").get<int>());
  }
  EXPECT_THAT(sizes, testing::ElementsAre(128, 8, 8, 4));
  const Json& args = compiled.at("plan").at("launches").at(0).at("args");
  EXPECT_EQ(args.at(0).at("tensor_map").at("swizzle"), "128B");
  EXPECT_EQ(args.at(1), "(ceil_div(n, 64)) + (64) * 4294967296");
}

TEST_F(Cute, SaysWhatIsWrongAndWhere) {
  const std::string head = "import cutlass\nimport cutlass.cute as cute\n@cute.kernel\n";
  expect_reason(compile_with(k_args, head + "def other(x: cute.Pointer): pass\n"),
                "there is no @cute.kernel function scale; there are: other");
  expect_reason(
      compile_with(k_args, head + "def scale(x: cute.Pointer, BLOCK: cutlass.Constexpr): pass\n"),
      "scale takes 1 arguments beside its constants, the plan passes 4");
  const std::string signature =
      "def scale(x: cute.Pointer, y: cute.Pointer, f: cutlass.Float32, n: cutlass.Int32,\n"
      "          BLOCK: cutlass.Constexpr):\n";
  expect_reason(compile_with(k_args, head + signature + "    y[0] = missing\n"), "missing");
  expect_reason(
      compile_with(k_args,
                   head + "def scale(x: cutlass.Int32, y: cute.Pointer, f: "
                          "cutlass.Float32, n: cutlass.Int32, BLOCK: cutlass.Constexpr): pass\n"),
      "parameter x gets the pointer of a tensor; annotate it cute.Pointer");
}

TEST_F(Cute, AScalarOf8BitFloatsArrivesAsItsBits) {
  OpSpec narrow = *request_.spec;
  for (Tensor& tensor : narrow.inputs) {
    if (tensor.scalar) tensor.dtype = DType::float8_e4m3;
  }
  request_.spec = &narrow;
  const auto code = [](const std::string& type) {
    return "import cutlass\nimport cutlass.cute as cute\n@cute.kernel\n"
           "def scale(x: cute.Pointer, y: cute.Pointer, f: cutlass." +
           type +
           ", n: cutlass.Int32,\n          BLOCK: cutlass.Constexpr):\n"
           "    cute.make_tensor(y, cute.make_layout(1))[0] = f.to(cutlass.Float32)\n";
  };
  expect_reason(compile_with(k_args, code("Float8E4M3FN")),
                "parameter f gets cutlass.Uint8; annotate it so, not Float8E4M3FN");
  EXPECT_EQ(compile_with(k_args, code("Uint8")).at("status"), "compiled");
}

class Cutile : public LanguageTest {
 protected:
  Cutile() : LanguageTest("CUTILE") {}
  static constexpr const char* k_args = R"("x", "y", "factor")";
};

TEST_F(Cutile, CompilesTheExampleOfItsGuide) { EXPECT_NO_THROW(try_compilers(request_)); }

TEST_F(Cutile, BuildsAGoodVersion) {
  const Json compiled = compile_with(k_args, R"py(import cuda.tile as ct


@ct.kernel
def scale(x, y, factor, BLOCK: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(BLOCK,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i,), tile=tile * factor)
)py");
  expect_built(compiled,
               "cuTile (cuda-tile 1.7.0, nvidia-cuda-tileiras 13.4.92, nvidia-cuda-nvcc 13.4.92)");
  // Each array with its sizes and strides.
  EXPECT_EQ(compiled.at("plan").at("launches").at(0).at("args"),
            Json::parse(R"(["x", "n", "1", "y", "n", "1", "factor"])"));
  EXPECT_TRUE(is_written("kernel.ir.scale_0.tileir"));
}

TEST_F(Cutile, SaysWhatIsWrongAndWhere) {
  const std::string head = "import cuda.tile as ct\n@ct.kernel\n";
  expect_reason(compile_with(k_args, head + "def other(x): pass\n"),
                "there is no @ct.kernel function scale; there are: other");
  expect_reason(compile_with(k_args, head + "def scale(x, BLOCK: ct.Constant[int]): pass\n"),
                "scale takes 1 arguments beside its constants, the plan passes 3");
  expect_reason(compile_with(k_args, head + "def scale(x, y, f, BLOCK: ct.Constant[int]):\n"
                                            "    ct.store(y, index=(0,), tile=missing)\n"),
                "missing");
}

class Tilelang : public LanguageTest {
 protected:
  Tilelang() : LanguageTest("TILELANG") {}
  static constexpr const char* k_args = R"("x", "y", "factor")";
};

TEST_F(Tilelang, CompilesTheExampleOfItsGuide) { EXPECT_NO_THROW(try_compilers(request_)); }

TEST_F(Tilelang, BuildsAGoodVersion) {
  const Json compiled = compile_with(k_args, R"py(import tilelang.language as T


def scale(BLOCK):
    n = T.dynamic("n")

    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32"), factor: T.float32):
        with T.Kernel(T.ceildiv(n, BLOCK), threads=128) as block:
            tile = T.alloc_shared((BLOCK,), "float32")
            T.copy(X[block * BLOCK], tile)
            for i in T.Parallel(BLOCK):
                Y[block * BLOCK + i] = tile[i] * factor

    return main
)py");
  expect_built(
      compiled,
      "TileLang (tilelang 0.1.15, torch 2.15.0, nvidia-cuda-nvcc 13.2.86, nvidia-cuda-crt 13.2.86, "
      "nvidia-nvvm 13.2.86)");
  const Json& launch = compiled.at("plan").at("launches").at(0);
  EXPECT_EQ(launch.at("grid").at(0), "((n + 511) / 512)");
  EXPECT_THAT(launch.at("args").dump(), HasSubstr("factor"));
  EXPECT_TRUE(is_written("kernel.ir.scale_0.cu"));
}

TEST_F(Tilelang, SaysWhatIsWrongAndWhere) {
  expect_reason(compile_with(k_args, "def other(): pass\n"), "there is no function scale");
  expect_reason(compile_with(k_args, "def scale(BLOCK): return 1\n"),
                "scale returns a int; it must return a @T.prim_func");
  const std::string head =
      "import tilelang.language as T\ndef scale(BLOCK):\n    n = T.dynamic('size')\n"
      "    @T.prim_func\n"
      "    def main(X: T.Tensor((n,), 'float32'), Y: T.Tensor((n,), 'float32'), f: T.float32):\n"
      "        with T.Kernel(T.ceildiv(n, BLOCK), threads=128) as block:\n"
      "            for i in T.Parallel(BLOCK):\n"
      "                Y[block * BLOCK + i] = X[block * BLOCK + i] * f\n    return main\n";
  expect_reason(compile_with(k_args, head),
                "T.dynamic(\"size\") names no axis of the operator; there are: n");
}

}  // namespace
}  // namespace kernelloop
