#include "context/context_index.hpp"

#include "support/error.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ContextIndexTest : public testing::Test {
 protected:
  ContextIndexTest() {
    put("layout.md", "# Layouts\nUse make_layout.\n# Swizzle\nA swizzle permutes banks.\n");
    put("copy.cu", "__global__ void copy_rows(float* x) {\n  cute::make_layout(x);\n}\n");
    put("wait.h", "// mbarrier.try_wait spins\nvoid wait_parity();\n");
  }
  void put(const std::string& name, const std::string& text) const {
    write_file_atomic(root_.path() / "src" / name, text);
  }
  [[nodiscard]] fs::path database() const { return root_.path() / "index" / "x.sqlite"; }
  static std::vector<std::string> found(ContextIndex& index, const std::string& query) {
    std::vector<std::string> result;
    for (const ContextHit& hit : index.search(query, 10).hits) {
      result.push_back(fmt::format("{}:{}", hit.file, hit.first_line));
    }
    return result;
  }

  TemporaryDirectory root_;
  fs::path source_ = [this] {
    fs::create_directories(root_.path() / "src");
    return root_.path() / "src";
  }();
  ContextFiles files_{{source_.string()}};
};

TEST_F(ContextIndexTest, FindsIdentifiersPhrasesAndHeadings) {
  ContextIndex index(files_, database());
  const IndexUpdate update = index.update();
  EXPECT_EQ(update.files, 3);
  EXPECT_EQ(update.read, 3);
  EXPECT_THAT(found(index, "cute::make_layout"), ElementsAre("src/copy.cu:1"));
  EXPECT_THAT(found(index, "mbarrier.try_wait"), ElementsAre("src/wait.h:1"));
  EXPECT_THAT(found(index, "SWIZZLE banks"), ElementsAre("src/layout.md:3"));
  EXPECT_THAT(found(index, "copy.cu"), ElementsAre("src/copy.cu:1"));  // names count too
  EXPECT_THAT(found(index, "try"), ElementsAre("src/wait.h:1"));       // try_wait begins so
  EXPECT_THAT(found(index, "layout"), ElementsAre("src/layout.md:1", "src/layout.md:3"));
  EXPECT_THAT(found(index, ""), IsEmpty());
  EXPECT_THAT(found(index, "nothing_of_the_kind"), IsEmpty());
}

TEST_F(ContextIndexTest, AnyWordWillDoWhereNotAllOccurTogether) {
  ContextIndex index(files_, database());
  index.update();
  const ContextHits hits = index.search("swizzle wait_parity", 10);
  EXPECT_FALSE(hits.exact);
  EXPECT_EQ(hits.hits.size(), 2u);
  EXPECT_TRUE(index.search("swizzle permutes", 10).exact);
}

TEST_F(ContextIndexTest, OnlyWhatChangedIsReadAgain) {
  {
    ContextIndex index(files_, database());
    index.update();
  }
  ContextIndex index(files_, database());
  EXPECT_EQ(index.update().read, 0);

  put("copy.cu", "void now_something_else();\n");
  put("new.h", "void fresh();\n");
  fs::remove(source_ / "wait.h");
  // The same content at another time: read, but nothing changes.
  fs::last_write_time(source_ / "layout.md",
                      fs::last_write_time(source_ / "layout.md") + std::chrono::seconds(1));
  const IndexUpdate update = index.update();
  EXPECT_EQ(update.read, 3);
  EXPECT_EQ(update.removed, 1);
  EXPECT_EQ(update.files, 3);
  EXPECT_THAT(found(index, "now_something_else"), ElementsAre("src/copy.cu:1"));
  EXPECT_THAT(found(index, "copy_rows"), IsEmpty());
  EXPECT_THAT(found(index, "fresh"), ElementsAre("src/new.h:1"));
  EXPECT_THAT(found(index, "wait_parity"), IsEmpty());
  EXPECT_THAT(found(index, "make_layout"), ElementsAre("src/layout.md:1"));
}

TEST_F(ContextIndexTest, SkippedFilesAreNotLookedIntoAgain) {
  put("binary.h", std::string("a\0b", 3));
  ContextIndex index(files_, database());
  EXPECT_EQ(index.update().skipped, 1);
  const IndexUpdate again = index.update();
  EXPECT_EQ(again.skipped, 1);
  EXPECT_EQ(again.read, 0);
  put("binary.h", "void text_now();\n");
  EXPECT_EQ(index.update().skipped, 0);
  EXPECT_THAT(found(index, "text_now"), ElementsAre("src/binary.h:1"));
}

TEST_F(ContextIndexTest, OneFileDoesNotFillTheList) {
  std::string pages;
  for (int i = 0; i < 20; ++i) pages += "# Part\nbanana banana banana\n";
  put("many.md", pages);
  put("one.h", "// a banana among other things, and a lot of words around it\n");
  ContextIndex index(files_, database());
  index.update();
  const std::vector<std::string> hits = found(index, "banana");
  EXPECT_EQ(hits.size(), 3u);
  EXPECT_EQ(hits[2], "src/one.h:1");
}

TEST_F(ContextIndexTest, ADamagedOrForeignFileIsMadeAgain) {
  for (const std::string& content :
       {std::string("no database at all, but long enough to look at"),
        std::string("SQLite format 3\0", 16) + std::string(5000, 'x')}) {
    write_file_atomic(database(), content);
    ContextIndex index(files_, database());
    EXPECT_EQ(index.update().files, 3);
    EXPECT_THAT(found(index, "wait_parity"), ElementsAre("src/wait.h:1"));
  }
  {
    Database other(database());
    other.execute("PRAGMA user_version=9999");
  }
  ContextIndex index(files_, database());
  EXPECT_EQ(index.update().read, 3);
}

TEST_F(ContextIndexTest, TwoAtOnceMakeOneIndex) {
  for (int i = 0; i < 50; ++i) put(fmt::format("f{}.h", i), fmt::format("int word_{};\n", i));
  int read = 0;
  const auto work = [this] {
    ContextIndex index(files_, database());
    return index.update().read;
  };
  std::thread other([&] { read = work(); });
  const int mine = work();
  other.join();
  EXPECT_EQ(read + mine, 53);
  ContextIndex index(files_, database());
  EXPECT_EQ(index.update().read, 0);
  EXPECT_THAT(found(index, "word_49"), ElementsAre("src/f49.h:1"));
}

TEST_F(ContextIndexTest, ListsFilesBelowADirectory) {
  put("deep/a.h", "a");
  put("deep-not/b.h", "b");
  ContextIndex index(files_, database());
  index.update();
  EXPECT_EQ(index.files("").size(), 5u);
  ASSERT_EQ(index.files("src/deep").size(), 1u);
  EXPECT_EQ(index.files("src/deep")[0].name, "src/deep/a.h");
  EXPECT_EQ(index.files("src/deep")[0].size, 1);
  EXPECT_EQ(index.files("src/copy.cu").size(), 1u);
  EXPECT_EQ(index.files("src/cop").size(), 0u);
}

TEST_F(ContextIndexTest, APlaceThatCannotBeWrittenIsNamed) {
  try {
    ContextIndex index(files_, "/proc/kernelloop/x.sqlite");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), HasSubstr("/proc/kernelloop"));
  }
}

TEST_F(ContextIndexTest, TheSameDirectoriesShareAnIndex) {
  put("deep/a.h", "a");
  const std::string deep = (source_ / "deep").string();
  EXPECT_EQ(index_path("/b", ContextFiles({source_.string(), deep})),
            index_path("/b", ContextFiles({deep + "/.", source_.string()})));
  EXPECT_NE(index_path("/b", ContextFiles({deep})), index_path("/b", files_));
}

}  // namespace
}  // namespace kernelloop
