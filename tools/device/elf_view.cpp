#include "device/elf_view.hpp"

#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace kernelloop {
namespace {

// Reads a structure that may be unaligned. The caller has checked the bounds.
template <typename T>
T read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t total) {
  return offset <= total && size <= total - offset;
}

bool table_inside(std::uint64_t offset, std::uint64_t count, std::uint64_t entry,
                  std::uint64_t total) {
  return inside(offset, count * entry, total);  // count is 16 bit, so this cannot overflow
}

// The text at `offset` of a string table, or nothing when it does not end inside it.
std::optional<std::string> text_at(std::span<const std::byte> table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::byte* begin = table.data() + offset;
  const void* end = std::memchr(begin, 0, table.size() - offset);
  if (end == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(begin), static_cast<const char*>(end));
}

std::string check_header(std::span<const std::byte> bytes, const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return "it is no 64-bit little-endian ELF file";
  }
  if (header.e_ehsize != sizeof(Elf64_Ehdr)) return "its ELF header has a wrong size";
  if (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr)) {
    return "its program headers have a wrong size";
  }
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return "its section headers are missing or have a wrong size";
  }
  if (!table_inside(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr), bytes.size()) ||
      !table_inside(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr), bytes.size())) {
    return fmt::format("it is cut short: its headers end behind its {} bytes", bytes.size());
  }
  if (header.e_shstrndx >= header.e_shnum) return "its section name table is out of range";
  return {};
}

std::string check_segments(std::span<const std::byte> bytes, const Elf64_Ehdr& header) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!inside(segment.p_offset, segment.p_filesz, bytes.size())) {
      return fmt::format("it is cut short or damaged: program header {} is out of its {} bytes", i,
                         bytes.size());
    }
  }
  return {};
}

}  // namespace

ElfView::Result ElfView::open(std::span<const std::byte> bytes) {
  Result result;
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    result.problem = fmt::format("it has only {} bytes", bytes.size());
    return result;
  }
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  result.problem = check_header(bytes, header);
  if (result.problem.empty()) result.problem = check_segments(bytes, header);
  if (!result.problem.empty()) return result;

  ElfView view;
  view.bytes_ = bytes;
  view.machine_ = header.e_machine;
  std::vector<std::uint32_t> names;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    const bool in_file = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (in_file && !inside(section.sh_offset, section.sh_size, bytes.size())) {
      result.problem = fmt::format("it is cut short or damaged: section {} is out of its {} bytes",
                                   i, bytes.size());
      return result;
    }
    if (section.sh_link >= header.e_shnum) {
      result.problem = fmt::format("section {} refers to a section that is not there", i);
      return result;
    }
    names.push_back(section.sh_name);
    view.sections_.push_back(
        {section.sh_type, section.sh_offset, section.sh_size, section.sh_link, section.sh_entsize});
  }
  const Section& name_section = view.sections_[header.e_shstrndx];
  const auto name_table = name_section.type == SHT_STRTAB
                              ? bytes.subspan(name_section.offset, name_section.size)
                              : std::span<const std::byte>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!text_at(name_table, names[i])) {
      result.problem = fmt::format("the name of section {} is out of the name table", i);
      return result;
    }
  }
  for (std::size_t i = 0; i < view.sections_.size(); ++i) {
    const Section& section = view.sections_[i];
    if (section.type != SHT_SYMTAB) continue;
    const Section& strings = view.sections_[section.link];
    if (section.entry_size != sizeof(Elf64_Sym) || section.size % sizeof(Elf64_Sym) != 0 ||
        strings.type != SHT_STRTAB) {
      result.problem = "its symbol table is damaged";
      return result;
    }
    const auto table = bytes.subspan(strings.offset, strings.size);
    for (std::uint64_t at = 0; at < section.size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(bytes, section.offset + at);
      if (!text_at(table, symbol.st_name) ||
          (symbol.st_shndx >= header.e_shnum && symbol.st_shndx < SHN_LORESERVE)) {
        result.problem = fmt::format("symbol {} is damaged", at / sizeof(Elf64_Sym));
        return result;
      }
    }
  }
  result.view = std::move(view);
  return result;
}

std::vector<std::string> ElfView::dynamic_strings(std::int64_t tag) const {
  std::vector<std::string> result;
  for (const Section& section : sections_) {
    if (section.type != SHT_DYNAMIC || section.link >= sections_.size()) continue;
    const Section& strings = sections_[section.link];
    if (strings.type != SHT_STRTAB) continue;
    const auto table = bytes_.subspan(strings.offset, strings.size);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.size; at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(bytes_, section.offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag != tag) continue;
      if (auto text = text_at(table, entry.d_un.d_val)) result.push_back(std::move(*text));
    }
  }
  return result;
}

std::vector<std::string> ElfView::needed() const { return dynamic_strings(DT_NEEDED); }

std::vector<std::string> ElfView::run_path() const {
  std::vector<std::string> result;
  for (const std::int64_t tag : {DT_RUNPATH, DT_RPATH}) {
    for (const std::string& list : dynamic_strings(tag)) {
      for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(':', start), list.size());
        if (end > start) result.push_back(list.substr(start, end - start));
        start = end + 1;
      }
    }
  }
  return result;
}

}  // namespace kernelloop
