#include "context/chunks.hpp"

#include "support/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kernelloop {
namespace {

// Chunks follow one another without a gap, and together they are the text.
void expect_whole(const std::string& text, const std::vector<Chunk>& chunks) {
  std::string together;
  int next = 1;
  for (const Chunk& chunk : chunks) {
    EXPECT_EQ(chunk.first_line, next);
    EXPECT_EQ(chunk.last_line - chunk.first_line + 1,
              static_cast<int>(split_lines(chunk.text).size()));
    next = chunk.last_line + 1;
    together += chunk.text;
  }
  EXPECT_EQ(together, text);
}

TEST(Chunks, PagesAreCutAtTheirHeadings) {
  const std::string text = "intro\n# One\na\n## Two\nb\n```\n# no heading\n```\n# Three\nc";
  const std::vector<Chunk> chunks = chunks_of(text, "page.md");
  expect_whole(text, chunks);
  ASSERT_EQ(chunks.size(), 4u);
  EXPECT_EQ(chunks[0].heading, "");
  EXPECT_EQ(chunks[1].heading, "One");
  EXPECT_EQ(chunks[2].heading, "One > Two");
  EXPECT_EQ(chunks[3].heading, "Three");
  EXPECT_EQ(chunks[3].first_line, 9);
}

TEST(Chunks, SourcesAreCutBetweenDefinitions) {
  std::string text = "#include <x>\n\n";
  for (const char* name : {"first", "second"}) {
    text += std::string("__global__ void ") + name + "(float* x) {\n";
    for (int i = 0; i < 40; ++i) text += "  x[" + std::to_string(i) + "] = 0;\n";
    text += "}\n";
  }
  const std::vector<Chunk> chunks = chunks_of(text, "a.cu");
  expect_whole(text, chunks);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].heading, "__global__ void first(float* x) {");
  EXPECT_EQ(chunks[1].heading, "__global__ void second(float* x) {");
  EXPECT_EQ(chunks[1].first_line, 45);
}

TEST(Chunks, NoneIsTooLong) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "  x += 1;\n";
  text += std::string(100'000, 'y') + "\n" + std::string(9000, 'z');
  const std::vector<Chunk> chunks = chunks_of(text, "a.h");
  expect_whole(text, chunks);
  EXPECT_EQ(chunks.size(), 15u);
}

TEST(Chunks, OddTextsAreWhole) {
  for (const std::string text :
       {"", "\n", "\n\n", "a", "a\n", "# \n", "```\n# x\n", "#######  x\n"}) {
    expect_whole(text, chunks_of(text, "a.md"));
    expect_whole(text, chunks_of(text, "a.cu"));
  }
}

}  // namespace
}  // namespace kernelloop
