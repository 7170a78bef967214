#include "device/sanitizer.hpp"

#include "device/elf_view.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <charconv>

namespace kernelloop {
namespace {

std::string_view line_from(std::string_view text, std::size_t start) {
  return text.substr(start, text.find('\n', start) - start);
}

std::size_t line_start(std::string_view text, std::size_t inside) {
  const std::size_t newline = text.rfind('\n', inside);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::optional<Fault> address_finding(std::string_view output) {
  constexpr std::string_view k_mark = "ERROR: AddressSanitizer: ";
  const std::size_t mark = output.find(k_mark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view report = output.substr(mark + k_mark.size());
  const std::string_view headline = line_from(report, 0);
  std::string message(headline.substr(0, headline.find(' ')));
  // That is memory which we or the emulation layer put out of bounds.
  if (message == "use-after-poison") message = "out-of-bounds";
  for (const std::string_view access : {"READ of size", "WRITE of size"}) {
    const std::size_t at = report.find(access);
    if (at > 2000) continue;  // also where there is none
    const std::string_view line = line_from(report, at);
    message += fmt::format(": {}", line.substr(0, line.find(" at ")));
    break;
  }
  if (const std::string place = place_of(report); !place.empty()) message += " at " + place;
  return Fault{FaultKind::illegal_access, message};
}

std::optional<Fault> undefined_finding(std::string_view output) {
  constexpr std::string_view k_mark = "runtime error: ";
  const std::size_t mark = output.find(k_mark);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view line = line_from(output, line_start(output, mark));
  const std::size_t place_end = line.find(": runtime error: ");
  if (place_end == std::string_view::npos) return std::nullopt;
  const std::string_view path = line.substr(0, place_end);
  const std::string_view what = line.substr(place_end + 17);
  const bool misaligned = what.find("misaligned") != std::string_view::npos;
  return Fault{misaligned ? FaultKind::misaligned : FaultKind::illegal_access,
               fmt::format("{} at {}", what, path.substr(path.rfind('/') + 1))};
}

// Where the loader is to find a runtime.
std::string located(const std::string& name, const std::vector<std::string>& directories) {
  std::error_code error;
  for (const std::string& directory : directories) {
    const std::filesystem::path path = std::filesystem::path(directory) / name;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return name;
}

}  // namespace

// A frame reads "    #1 0x7f.. in softmax_rows(...) /path/kernel.cu:12:3".
std::string place_of(std::string_view report) {
  for (std::size_t at = report.find("    #"); at != std::string_view::npos;
       at = report.find("    #", at + 1)) {
    const std::string_view frame = line_from(report, at);
    const std::size_t in = frame.find(" in ");
    const std::size_t space = frame.rfind(' ');
    if (in == std::string_view::npos || space <= in + 3) continue;
    const std::string_view location = frame.substr(space + 1);
    if (location.front() == '(' || location.find(':') == std::string_view::npos) continue;
    if (location.find("libsanitizer") != std::string_view::npos) continue;
    const std::string_view file = location.substr(location.rfind('/') + 1);
    std::string_view function = frame.substr(in + 4, space - in - 4);
    function = function.substr(0, function.find('('));
    return fmt::format("{} in {}", file, function);
  }
  return {};
}

std::uintptr_t segmentation_fault_address(std::string_view report) {
  constexpr std::string_view k_mark = "SEGV on unknown address 0x";
  const std::size_t mark = report.find(k_mark);
  if (mark == std::string_view::npos) return 0;
  const std::string_view digits = report.substr(mark + k_mark.size());
  std::uintptr_t address = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return address;
}

std::vector<std::string> sanitizer_runtimes(const std::filesystem::path& library) {
  std::vector<std::string> result;
  std::error_code error;
  if (!std::filesystem::is_regular_file(library, error)) return result;
  std::string text;
  try {
    text = read_file(library);
  } catch (const Error&) {
    return result;  // loading it will say why
  }
  const ElfView::Result elf =
      ElfView::open(std::as_bytes(std::span<const char>(text.data(), text.size())));
  if (!elf.view) return result;
  for (const std::string& name : elf.view->needed()) {
    if (name.rfind("libasan", 0) == 0 || name.rfind("libubsan", 0) == 0 ||
        name.rfind("libclang_rt.", 0) == 0) {
      result.push_back(name);
    }
  }
  // AddressSanitizer insists on being first.
  std::stable_partition(result.begin(), result.end(), [](const std::string& name) {
    return name.find("asan") != std::string::npos && name.find("ubsan") == std::string::npos;
  });
  const std::vector<std::string> directories = elf.view->run_path();
  for (std::string& runtime : result) runtime = located(runtime, directories);
  return result;
}

// "ERROR: ld.so: object 'libasan.so.8' from LD_PRELOAD cannot be preloaded (...): ignored."
void require_preloaded(const std::vector<std::string>& runtimes, std::string_view output) {
  for (const std::string& runtime : runtimes) {
    const std::size_t at =
        output.find(fmt::format("object '{}' from LD_PRELOAD cannot be preloaded", runtime));
    if (at == std::string_view::npos) continue;
    fail(ExitCode::environment,
         "the sanitizer runtime {}, which the host compiler's modules need, cannot be loaded here "
         "({}); install it (g++: libasan and libubsan; clang++: its compiler-rt), or set "
         "KERNELLOOP_HOST_COMPILER to a compiler that has one",
         runtime, line_from(output, line_start(output, at)));
  }
}

std::optional<Fault> first_finding(std::string_view output) {
  std::optional<Fault> undefined = undefined_finding(output);
  std::optional<Fault> address = address_finding(output);
  if (undefined && address) {
    return output.find("runtime error: ") < output.find("ERROR: AddressSanitizer: ") ? undefined
                                                                                     : address;
  }
  return undefined ? undefined : address;
}

}  // namespace kernelloop
