#include "cpu/module_symbols.hpp"

#include "support/error.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kernelloop {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    header_ = read<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64) {
      broken();
    }
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    names_ = sections_.at(header_.e_shstrndx < sections_.size() ? header_.e_shstrndx : 0).sh_offset;
  }

  ModuleSymbols symbols() const {
    ModuleSymbols result;
    bool has_table = false;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_PREINIT_ARRAY) {
        result.initialisers += section.sh_size / sizeof(Elf64_Addr);
      } else if (section.sh_type == SHT_FINI_ARRAY) {
        result.finalisers += section.sh_size / sizeof(Elf64_Addr);
      } else if (section.sh_type == SHT_SYMTAB) {
        has_table = true;
        for_symbols(section, [&](const Elf64_Sym& symbol, std::string name, std::size_t) {
          if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) {
            result.odd_places.push_back("the function " + name + ", which is chosen at load time");
          }
          if (is_definition(symbol)) result.definitions.push_back(name);
          if (is_variable(symbol)) result.variables.push_back(std::move(name));
        });
      } else if (section.sh_type == SHT_DYNSYM) {
        for_symbols(section, [&](const Elf64_Sym& symbol, std::string name, std::size_t) {
          // Whatever its binding: a weak one is found as well when somebody has it.
          if (symbol.st_shndx == SHN_UNDEF && !name.empty()) {
            result.imports.push_back(std::move(name));
          }
        });
      }
      add_odd_section(section, result.odd_places);
    }
    if (!has_table) broken();
    add_odd_segments(result.odd_places);
    return result;
  }

  std::vector<std::string> exports() const {
    std::vector<std::string> result;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_DYNSYM) continue;
      const Elf64_Shdr* versions = versions_of(section);
      for_symbols(section, [&](const Elf64_Sym& symbol, std::string name, std::size_t index) {
        if (is_definition(symbol) && !is_for_old_programs(versions, index)) {
          result.push_back(std::move(name));
        }
      });
    }
    return result;
  }

 private:
  [[noreturn]] static void broken() {
    fail(ExitCode::internal, "the host compiler has built no ELF file with symbols");
  }

  template <typename T>
  T read(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) broken();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string text(std::size_t offset) const {
    const std::size_t end = bytes_.find('\0', offset);
    if (end == std::string_view::npos) broken();
    return std::string(bytes_.substr(offset, end - offset));
  }

  template <typename Use>
  void for_symbols(const Elf64_Shdr& table, const Use& use) const {
    if (table.sh_link >= sections_.size()) broken();
    for (std::size_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read<Elf64_Sym>(table.sh_offset + at);
      use(symbol, text(sections_[table.sh_link].sh_offset + symbol.st_name),
          at / sizeof(Elf64_Sym));
    }
  }

  // The section with the version of each of the table's symbols; null when it has none.
  const Elf64_Shdr* versions_of(const Elf64_Shdr& table) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_GNU_versym && section.sh_link < sections_.size() &&
          &sections_[section.sh_link] == &table) {
        return &section;
      }
    }
    return nullptr;
  }

  bool is_for_old_programs(const Elf64_Shdr* versions, std::size_t index) const {
    constexpr Elf64_Half k_hidden = 0x8000;
    if (versions == nullptr) return false;
    return (read<Elf64_Half>(versions->sh_offset + index * sizeof(Elf64_Half)) & k_hidden) != 0;
  }

  static bool is_definition(const Elf64_Sym& symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_TLS || type == STT_COMMON ||
            type == STT_GNU_IFUNC);
  }

  void add_odd_section(const Elf64_Shdr& section, std::vector<std::string>& odd) const {
    if ((section.sh_flags & SHF_ALLOC) == 0) return;
    static constexpr std::array<std::string_view, 7> k_code{
        ".init", ".plt", ".plt.got", ".plt.sec", ".text", ".fini", ".iplt"};
    static constexpr std::array<std::string_view, 13> k_data{
        ".tdata", ".tbss",    ".init_array", ".fini_array",  ".data.rel.ro",    ".dynamic", ".got",
        ".data",  ".got.plt", ".bss",        "asan_globals", ".tm_clone_table", ".jcr"};
    const std::string name = text(names_ + section.sh_name);
    const bool runs = (section.sh_flags & SHF_EXECINSTR) != 0;
    const bool written = (section.sh_flags & SHF_WRITE) != 0;
    const auto is_one_of = [&name](const auto& known) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    const bool usual = runs ? !written && is_one_of(k_code) : !written || is_one_of(k_data);
    if (!usual) odd.push_back("the section " + name);
  }

  void add_odd_segments(std::vector<std::string>& odd) const {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = read<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
      const bool runs = (segment.p_flags & PF_X) != 0;
      if (segment.p_type == PT_GNU_STACK && runs) odd.emplace_back("an executable stack");
      if (segment.p_type == PT_LOAD && runs && (segment.p_flags & PF_W) != 0) {
        odd.emplace_back("memory that can be both written and executed");
      }
    }
  }

  // Data that can be written once the loader is done; thread-local data too.
  bool is_variable(const Elf64_Sym& symbol) const {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_OBJECT && type != STT_TLS && type != STT_COMMON) || symbol.st_size == 0 ||
        symbol.st_shndx >= sections_.size()) {
      return false;
    }
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    return (section.sh_flags & SHF_WRITE) != 0 &&
           text(names_ + section.sh_name).rfind(".data.rel.ro", 0) != 0;
  }

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_ = 0;
};

}  // namespace

ModuleSymbols read_module_symbols(std::string_view library) { return Reader(library).symbols(); }

std::vector<std::string> read_exports(std::string_view library) {
  return Reader(library).exports();
}

}  // namespace kernelloop
