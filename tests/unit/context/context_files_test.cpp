#include "context/context_files.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ContextFilesTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    write_file_atomic(root_.path() / name, text);
  }
  [[nodiscard]] ContextFiles open(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back((root_.path() / name).string());
    return ContextFiles(paths);
  }
  static std::vector<std::string> names(const ContextFiles& files) {
    std::vector<std::string> result;
    files.walk([&](const ContextFile& file) {
      result.push_back(file.name);
      return true;
    });
    return result;
  }

  TemporaryDirectory root_;
};

TEST_F(ContextFilesTest, NamesBeginWithTheDirectory) {
  put("one/include/b.h", "b");
  put("one/include/a/c.h", "c");
  put("two/include/d.h", "d");
  put("page.md", "p");
  const ContextFiles files = open({"two/include", "one/include", "page.md"});
  EXPECT_THAT(names(files),
              ElementsAre("include/a/c.h", "include/b.h", "include-2/d.h", "page.md"));
  EXPECT_EQ(files.find("include-2/d.h"), root_.path() / "two/include/d.h");
  EXPECT_EQ(files.find("page.md"), root_.path() / "page.md");
  EXPECT_EQ(files.read(*files.find("include/b.h")).text, "b");
}

TEST_F(ContextFilesTest, LeavesOutWhatIsPrivateOrMade) {
  for (const char* name :
       {"r/.git/config", "r/.env", "r/prod.env", "r/id_ed25519", "r/server.pem", "r/deploy.KEY",
        "r/credentials.json", "r/secrets", "r/build/CMakeCache.txt", "r/build/checks.json",
        "r/cache/CACHEDIR.TAG", "r/cache/x.h", "r/__pycache__/x.py"}) {
    put(name, "x");
  }
  put("r/secrets.cpp", "x");
  put("r/kept.cu", "x");
  const ContextFiles files = open({"r"});
  EXPECT_THAT(names(files), ElementsAre("r/kept.cu", "r/secrets.cpp"));
  for (const char* name : {"r/.git/config", "r/.env", "r/server.pem", "r/build/checks.json",
                           "r/build/CMakeCache.txt"}) {
    EXPECT_EQ(files.find(name), std::nullopt) << name;
  }
}

TEST_F(ContextFilesTest, NothingOutsideIsReached) {
  put("outside/key.txt", "secret");
  put("r/a.h", "a");
  put("r/sub/b.h", "b");
  fs::create_symlink(root_.path() / "outside/key.txt", root_.path() / "r/link.h");
  fs::create_directory_symlink(root_.path() / "outside", root_.path() / "r/dir");
  fs::create_symlink("sub/b.h", root_.path() / "r/inside.h");
  fs::create_directory_symlink(".", root_.path() / "r/loop");
  const ContextFiles files = open({"r"});
  EXPECT_THAT(names(files), ElementsAre("r/a.h", "r/sub/b.h"));
  for (const char* name : {"r/link.h", "r/dir/key.txt", "r/../outside/key.txt", "outside/key.txt",
                           "/etc/passwd", "r//etc/passwd", "", "..", "r/..", "rr/a.h"}) {
    EXPECT_EQ(files.find(name), std::nullopt) << name;
  }
  EXPECT_EQ(files.find("r/inside.h"), root_.path() / "r/sub/b.h");  // a link that stays inside
  EXPECT_EQ(files.find("r/sub/../a.h"), root_.path() / "r/a.h");
}

TEST_F(ContextFilesTest, ALinkThatAppearsLaterIsNotFollowed) {
  put("outside/key.txt", "secret");
  put("r/a.h", "a");
  const ContextFiles files = open({"r"});
  const fs::path path = *files.find("r/a.h");
  fs::remove(path);
  fs::create_symlink(root_.path() / "outside/key.txt", path);
  EXPECT_EQ(files.read(path).text, "");
  EXPECT_EQ(files.read(path).refusal, "cannot be read");
  fs::rename(root_.path() / "r", root_.path() / "was");
  fs::create_directory_symlink(root_.path() / "outside", root_.path() / "r");
  EXPECT_EQ(files.read(root_.path() / "r/key.txt").refusal, "leads elsewhere");
}

TEST_F(ContextFilesTest, RefusesWhatNoModelShouldSee) {
  put("r/binary.h", std::string("a\0b", 3));
  put("r/large.h", std::string(ContextFiles::k_largest_file + 1, 'x'));
  put("r/token.h", "t = " + std::string("sk") + "-" + std::string(30, 'a'));
  put("r/op.json", R"({"ladder": {"holdout": [{"n": 12345}]}})");
  ::mkfifo((root_.path() / "r/pipe").c_str(), 0600);
  const ContextFiles files = open({"r"});
  const auto refusal = [&](const char* name) {
    return files.read(root_.path() / "r" / name).refusal;
  };
  EXPECT_EQ(refusal("binary.h"), "is binary");
  EXPECT_EQ(refusal("large.h"), "is too large");
  EXPECT_EQ(refusal("token.h"), "holds an API key (sk-...)");
  EXPECT_EQ(refusal("op.json"), "names hold-out shapes");
  EXPECT_EQ(refusal("pipe"), "is no file");
  EXPECT_EQ(refusal("missing.h"), "cannot be read");
}

TEST_F(ContextFilesTest, ARootInsideAnotherIsWalkedOnce) {
  put("r/a.h", "a");
  put("r/sub/b.h", "b");
  EXPECT_THAT(names(open({"r", "r/sub", "r"})), ElementsAre("r/a.h", "sub/b.h"));
}

TEST_F(ContextFilesTest, AMissingDirectoryIsNamedWithTheRemedy) {
  try {
    const ContextFiles files = open({"gone"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("CONTEXT names " + (root_.path() / "gone").string()));
    EXPECT_THAT(error.what(), HasSubstr("correct CONTEXT in add_kernel_op or KERNELLOOP_CONTEXT"));
  }
}

}  // namespace
}  // namespace kernelloop
