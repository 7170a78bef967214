#include "compile/text.hpp"
#include "support/files.hpp"
#include "support/json_members.hpp"
#include "support/unified_diff.hpp"

#include <fmt/format.h>

#include "inspect/disassembler.hpp"
#include "inspect/inspect.hpp"
#include "inspect/loops.hpp"

#include <array>

namespace kernelloop {
namespace {

std::string change(std::int64_t before, std::int64_t after) {
  return before == after ? fmt::format("{}", before)
                         : fmt::format("{} -> {} ({:+})", before, after, after - before);
}

const Json* kernel_named(const Json& compiled, const std::string& name) {
  for (const Json& kernel : list_member(compiled, "kernels")) {
    if (text_member(kernel, "name") == name) return &kernel;
  }
  return nullptr;
}

std::string resource_changes(const Json& before, const Json& after) {
  constexpr std::array<const char*, 5> k_figures{
      "registers", "static_shared_bytes", "spill_store_bytes", "spill_load_bytes", "stack_bytes"};
  std::string text;
  for (const Json& kernel : list_member(after, "kernels")) {
    const std::string name = text_member(kernel, "name");
    const Json* old = kernel_named(before, name);
    text += fmt::format("- `{}`: ", name);
    if (old == nullptr) {
      text += "new\n";
      continue;
    }
    const char* separator = "";
    for (const char* figure : k_figures) {
      text += fmt::format(
          "{}{} {}", separator, figure,
          change(count_member(*old, figure).value_or(0), count_member(kernel, figure).value_or(0)));
      separator = ", ";
    }
    text += "\n";
  }
  for (const Json& kernel : list_member(before, "kernels")) {
    const std::string name = text_member(kernel, "name");
    if (kernel_named(after, name) == nullptr) text += fmt::format("- `{}`: gone\n", name);
  }
  return text;
}

ClassCounts total(const Listing& listing) {
  ClassCounts sum{};
  for (const CodeFunction& function : listing.functions) {
    const ClassCounts one = count_classes(listing.language, function);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += one[c];
  }
  return sum;
}

std::string count_changes(const VersionFiles& before, const VersionFiles& after) {
  const Listing old_listing = listing_of(before);
  const Listing new_listing = listing_of(after);
  const ClassCounts old_counts = total(old_listing);
  const ClassCounts new_counts = total(new_listing);
  std::string text =
      fmt::format("{} instructions, all kernels together:\n", name_of(new_listing.language));
  if (!new_listing.lacks.empty()) text += "Note: " + new_listing.lacks + ".\n";
  for (std::size_t c = 0; c < new_counts.size(); ++c) {
    if (old_counts[c] == new_counts[c]) continue;
    text += fmt::format(
        "- {}: {}\n", k_instruction_classes[c].name,
        change(static_cast<std::int64_t>(old_counts[c]), static_cast<std::int64_t>(new_counts[c])));
  }
  if (old_counts == new_counts) text += "- the same of each class\n";
  return text;
}

// Code as it can be compared: no addresses, and a jump by its distance.
std::string comparable(const Listing& listing) {
  std::string text;
  for (const CodeFunction& function : listing.functions) {
    text += function.name + ":\n";
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      const CodeInstruction& one = function.instructions[i];
      if (one.target == CodeInstruction::k_nowhere) {
        text += "  " + one.text + "\n";
        continue;
      }
      text += fmt::format("  {}{}{} {:+}\n", one.predicate, one.predicate.empty() ? "" : " ",
                          one.opcode,
                          static_cast<std::int64_t>(one.target) - static_cast<std::int64_t>(i));
    }
  }
  return text;
}

Listing listing_in(const VersionFiles& files, Listing::Language what) {
  Listing listing;
  listing.language = what;
  listing.functions = what == Listing::Language::sass ? read_sass(sass_text(files), "")
                                                      : read_ptx(ptx_text(files), "");
  return listing;
}

}  // namespace

std::string difference_text(const VersionFiles& before, const VersionFiles& after) {
  return fmt::format(
      "# {}: from {} to {}\n## Source\n```\n{}```\n## Resources\n{}\n## "
      "Instructions\n{}",
      after.op, before.version, after.version,
      unified_diff(read_file(before.source), read_file(after.source), before.version,
                   after.version),
      resource_changes(before.compiled, after.compiled), count_changes(before, after));
}

std::string code_difference_text(const VersionFiles& before, const VersionFiles& after,
                                 Listing::Language what) {
  return unified_diff(comparable(listing_in(before, what)), comparable(listing_in(after, what)),
                      before.version, after.version);
}

}  // namespace kernelloop
