// ElfView against a real shared object and all the ways to damage it.
#include "device/elf_view.hpp"

#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <random>

namespace kernelloop {
namespace {

using ::testing::HasSubstr;

std::span<const std::byte> view_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

std::string problem_of(const std::string& text) { return ElfView::open(view_of(text)).problem; }

template <typename T>
void set_header(std::string& text, std::size_t offset, T value) {
  std::memcpy(text.data() + offset, &value, sizeof value);
}

class ElfViewTest : public ::testing::Test {
 protected:
  std::string whole_ = read_file(DEVICE_FIXTURE);
};

TEST_F(ElfViewTest, AWholeFileHasItsMachineAndItsLibraries) {
  const ElfView::Result elf = ElfView::open(view_of(whole_));
  ASSERT_TRUE(elf.view) << elf.problem;
  EXPECT_NE(elf.view->machine(), ElfView::k_machine_cuda);
  EXPECT_THAT(elf.view->needed(), ::testing::Contains(HasSubstr("libc.so")));
}

TEST_F(ElfViewTest, EveryTruncationIsNoticed) {
  for (std::size_t size = 0; size < whole_.size(); size += 1 + whole_.size() / 200) {
    EXPECT_NE(problem_of(whole_.substr(0, size)), "") << size;
  }
  EXPECT_NE(problem_of(whole_.substr(0, whole_.size() - 1)), "");
}

TEST_F(ElfViewTest, WhatIsNoElfFileIsSaidSo) {
  EXPECT_EQ(problem_of(""), "it has only 0 bytes");
  EXPECT_EQ(problem_of(std::string(1000, 'x')), "it is no ELF file");
}

TEST_F(ElfViewTest, HeadersOutOfRangeAreNoticed) {
  std::string damaged = whole_;
  set_header<std::uint64_t>(damaged, offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0} - 8);
  EXPECT_THAT(problem_of(damaged), HasSubstr("its headers end behind"));
  damaged = whole_;
  set_header<std::uint16_t>(damaged, offsetof(Elf64_Ehdr, e_shstrndx), 0xFFF0);
  EXPECT_THAT(problem_of(damaged), HasSubstr("section name table is out of range"));
  damaged = whole_;
  set_header<std::uint16_t>(damaged, offsetof(Elf64_Ehdr, e_phentsize), 1);
  EXPECT_THAT(problem_of(damaged), HasSubstr("program headers have a wrong size"));
}

TEST_F(ElfViewTest, SectionsOutOfRangeAreNoticed) {
  Elf64_Ehdr header;
  std::memcpy(&header, whole_.data(), sizeof header);
  std::string damaged = whole_;
  set_header<std::uint64_t>(damaged,
                            header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size),
                            std::uint64_t{1} << 40);
  EXPECT_THAT(problem_of(damaged), HasSubstr("section 1 is out of"));
  damaged = whole_;
  set_header<std::uint32_t>(
      damaged, header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_link), 60000);
  EXPECT_THAT(problem_of(damaged), HasSubstr("section 1 refers to a section that is not there"));
}

// Whatever the damage: an answer, and (under a sanitizer) no access outside of the file.
TEST_F(ElfViewTest, RandomDamageIsSurvived) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole_;
    for (int i = 0; i < 20; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    for (int i = 0; i < 2; ++i) damaged[random() % 64] = static_cast<char>(random());
    const ElfView::Result elf = ElfView::open(view_of(damaged));
    if (elf.view) {
      (void)elf.view->needed();
    } else {
      EXPECT_NE(elf.problem, "");
    }
  }
}

}  // namespace
}  // namespace kernelloop
