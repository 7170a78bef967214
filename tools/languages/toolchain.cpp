#include "languages/toolchain.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/json.hpp"
#include "support/own_paths.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

namespace kernelloop {
namespace {

constexpr std::size_t k_digits = 12;
// Of the toolkit's headers: instructions of PTX by name, groups, intrinsics.
constexpr std::array<const char*, 3> k_toolkit_parts{"cccl/cuda/__ptx", "cooperative_groups",
                                                     "crt"};

// Prints where Python looks, and the versions of the packages it is given.
constexpr const char* k_probe = R"(
import importlib.metadata, json, sys, sysconfig
versions = {}
for name in sys.argv[1:]:
    try:
        versions[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        versions[name] = ""
print(json.dumps({"prefix": sys.prefix, "base": sys.base_prefix,
                  "packages": sysconfig.get_paths()["purelib"], "versions": versions}))
)";

// "triton" and "3.6.0" of "triton==3.6.0"; an extra ("[cu13]") is no part of the name.
std::pair<std::string, std::string> split(const std::string& requirement) {
  const std::size_t at = requirement.find("==");
  std::string name = requirement.substr(0, at);
  return {name.substr(0, name.find('[')),
          at == std::string::npos ? std::string() : requirement.substr(at + 2)};
}

// "KERNELLOOP_TRITON_PYTHON"
std::string variable_of(const Language& language) {
  std::string name = upper_case(toolchain_name(language));
  std::replace(name.begin(), name.end(), '-', '_');
  return "KERNELLOOP_" + name + "_PYTHON";
}

std::string install_hint(const Language& language) {
  return fmt::format(
      "run `kernelloop toolchain install {}`, or name the Python of an environment that has {} in "
      "{}",
      lower_case(language.name), fmt::join(language.requirements, ", "), variable_of(language));
}

std::filesystem::path named_python(const Language& language) {
  const char* value = std::getenv(variable_of(language).c_str());
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

Toolchain probe(const Language& language, const std::filesystem::path& python) {
  Command command;
  // As the adapter will: nothing of the folder that the build stands in, of the variables, of HOME.
  command.arguments = {python.string(), "-I", "-c", k_probe};
  for (const std::string& requirement : language.requirements) {
    command.arguments.push_back(split(requirement).first);
  }
  command.timeout = std::chrono::seconds(60);
  const ProcessResult result = run(command);
  if (!result.succeeded()) {
    fail(ExitCode::environment, "{} of the toolchain of {} does not work ({}); {}", python.string(),
         language.title, result.describe(), install_hint(language));
  }
  const Json found = Json::parse(result.output, nullptr, false);
  if (!found.is_object()) {
    fail(ExitCode::environment,
         "{} is no Python: it printed `{}` where it was asked what it has; {}", python.string(),
         result.output.substr(0, std::min<std::size_t>(result.output.find('\n'), 80)),
         install_hint(language));
  }
  Toolchain toolchain;
  toolchain.python = std::filesystem::absolute(python);
  for (const std::string& requirement : language.requirements) {
    const auto [name, wanted] = split(requirement);
    const std::string there = found.at("versions").at(name).get<std::string>();
    if (there.empty() || (!wanted.empty() && there != wanted)) {
      fail(ExitCode::environment, "{} has {} in place of {}; {}", python.string(),
           there.empty() ? "no " + name : name + " " + there, requirement, install_hint(language));
    }
    toolchain.versions.push_back(name + " " + there);
  }
  const std::filesystem::path packages = found.at("packages").get<std::string>();
  for (const auto& [first, path] : language.ptxas) toolchain.ptxas[first] = packages / path;
  toolchain.readable = {found.at("prefix").get<std::string>(), found.at("base").get<std::string>(),
                        packages, toolchain.python.parent_path()};
  return toolchain;
}

void run_or_fail(const Language& language, const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = arguments;
  command.timeout = std::chrono::minutes(60);
  const ProcessResult result = run(command);
  if (result.succeeded()) return;
  fail(ExitCode::environment, "the toolchain of {} cannot be installed: `{}` {}: {}",
       language.title, fmt::join(arguments, " "), result.describe(),
       last_line(result.error_output));
}

}  // namespace

std::string Toolchain::text(const Language& language) const {
  if (versions.empty()) return language.title;
  return fmt::format("{} ({})", language.title, fmt::join(versions, ", "));
}

std::filesystem::path Toolchain::ptxas_for(const std::string& architecture) const {
  const auto behind = ptxas.upper_bound(std::atoi(architecture.c_str()));
  return behind == ptxas.begin() ? std::filesystem::path() : std::prev(behind)->second;
}

std::string toolchain_name(const Language& language) {
  return language.requirements.empty() ? lower_case(language.name)
                                       : split(language.requirements.front()).first;
}

std::filesystem::path toolchain_folder(const Language& language) {
  const std::optional<std::filesystem::path> root = user_cache();
  if (!root) fail(ExitCode::environment, "neither XDG_CACHE_HOME nor HOME is set");
  const std::string hash = sha256(fmt::format("{}", fmt::join(language.requirements, "\n")));
  return *root / "toolchains" /
         fmt::format("{}-{}", toolchain_name(language), hash.substr(0, k_digits));
}

Toolchain find_toolchain(const Language& language) {
  if (const std::filesystem::path python = named_python(language); !python.empty()) {
    if (!std::filesystem::exists(python)) {
      fail(ExitCode::environment, "{} names {}, which does not exist; {}", variable_of(language),
           python.string(), install_hint(language));
    }
    if (std::filesystem::is_directory(python)) {
      fail(ExitCode::environment,
           "{} names {}, which is a folder; name the Python in it, as bin/python; {}",
           variable_of(language), python.string(), install_hint(language));
    }
    return probe(language, python);
  }
  const std::filesystem::path python = toolchain_folder(language) / "bin" / "python";
  if (!std::filesystem::exists(python)) {
    fail(ExitCode::environment, "the toolchain of {} is not installed; {}", language.title,
         install_hint(language));
  }
  return probe(language, python);
}

std::vector<std::filesystem::path> language_sources(const Language& language,
                                                    const std::filesystem::path& nvcc) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  std::error_code ignored;
  const auto add = [&](const fs::path& path) {
    if (fs::is_directory(path, ignored)) found.push_back(path);
  };
  if (language.is_cuda()) {
    const fs::path include = nvcc.parent_path().parent_path() / "include";
    for (const char* part : k_toolkit_parts) {
      if (!nvcc.empty()) add(include / part);
    }
    return found;
  }
  fs::path python = named_python(language);
  try {
    if (python.empty()) python = toolchain_folder(language) / "bin" / "python";
  } catch (const Error&) {
    return found;  // there is no place for toolchains, so none
  }
  // Where every virtual environment has its packages.
  for (fs::directory_iterator it(python.parent_path().parent_path() / "lib", ignored), end;
       it != end; it.increment(ignored)) {
    for (const std::string& part : language.context) add(it->path() / "site-packages" / part);
  }
  return found;
}

Toolchain install_toolchain(const Language& language) {
  const std::filesystem::path folder = toolchain_folder(language);
  const std::filesystem::path python = folder / "bin" / "python";
  try {
    if (std::filesystem::exists(python)) return probe(language, python);
  } catch (const Error&) {
    // What a killed installation left: made anew.
  }
  try {
    std::filesystem::remove_all(folder);
    run_or_fail(language, {"python3", "-m", "venv", folder.string()});
    std::vector<std::string> install{
        python.string(), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"};
    install.insert(install.end(), language.requirements.begin(), language.requirements.end());
    run_or_fail(language, install);
    return probe(language, python);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    throw;
  }
}

}  // namespace kernelloop
