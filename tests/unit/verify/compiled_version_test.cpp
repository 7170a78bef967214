#include "verify/compiled_version.hpp"

#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CompiledVersion for_several() {
  CompiledVersion version;
  version.op = "softmax";
  version.version = "v002";
  version.artifact = {"/x/kernel.cubin", {"rows"}};
  version.cubins = {{"80", "/x/kernel.cubin"}, {"90a", "/x/kernel.90a.cubin"}};
  return version;
}

DeviceDescription gpu(const std::string& architecture) {
  DeviceDescription device;
  device.kind = "cuda";
  device.name = "a GPU";
  device.architecture = architecture;
  return device;
}

TEST(ArtifactFor, IsTheCubinOfTheDevice) {
  EXPECT_EQ(artifact_for(for_several(), gpu("sm_90")).path, "/x/kernel.90a.cubin");
  EXPECT_EQ(artifact_for(for_several(), gpu("sm_86")).path, "/x/kernel.cubin");
  EXPECT_EQ(artifact_for(for_several(), gpu("sm_90")).kernels, std::vector<std::string>{"rows"});
}

TEST(ArtifactFor, IsTheLibraryOfTheCpuDevice) {
  DeviceDescription cpu;
  cpu.kind = "cpu";
  CompiledVersion version = for_several();
  version.artifact.path = "/x/kernel.cpu.so";
  EXPECT_EQ(artifact_for(version, cpu).path, "/x/kernel.cpu.so");
}

TEST(ArtifactFor, NamesTheArchitectureThatIsMissing) {
  try {
    artifact_for(for_several(), gpu("sm_100"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("softmax v002"), HasSubstr("80, 90a"),
                                    HasSubstr("a GPU is sm_100"), HasSubstr("ARCHITECTURES")));
  }
}

}  // namespace
}  // namespace kernelloop
