#include "context/context_files.hpp"

#include "support/descriptor.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

// Trees that tools made and can make again.
bool is_made_by_tools(const fs::path& directory) {
  return fs::exists(directory / "CMakeCache.txt") || fs::exists(directory / "CACHEDIR.TAG") ||
         directory.filename() == "__pycache__" || directory.filename() == "node_modules";
}

std::int64_t nanoseconds(const struct timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

bool is_binary(std::string_view text) {
  constexpr std::size_t k_looked_at = 8192;
  return text.substr(0, k_looked_at).find('\0') != std::string_view::npos;
}

// One read of a file that is still the one `path` names, whatever happened since it was looked up.
FileText read_plain_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return {{}, "cannot be read"};
  if (!S_ISREG(status.st_mode)) return {{}, "is no file"};
  if (status.st_size > ContextFiles::k_largest_file) return {{}, "is too large"};
  std::error_code error;
  const fs::path opened = fs::read_symlink("/proc/self/fd/" + std::to_string(file.get()), error);
  if (error || opened != path) return {{}, "leads elsewhere"};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {{}, "cannot be read"};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return {std::move(text), {}};
}

}  // namespace

bool is_private_name(std::string_view name) {
  if (name.empty() || name.front() == '.') return true;
  const fs::path path(lower_case(name));
  static const std::set<std::string, std::less<>> endings{
      ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".env", ".ovpn"};
  static const std::set<std::string, std::less<>> names{
      "id_rsa",    "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "secrets", "secret",
      "passwords", "tokens", "token",    "auth",       "htpasswd",    "netrc"};
  static const std::set<std::string, std::less<>> data{"",     ".json", ".yaml", ".yml", ".toml",
                                                       ".ini", ".txt",  ".cfg",  ".csv", ".xml"};
  return endings.contains(path.extension().string()) ||
         (names.contains(path.stem().string()) && data.contains(path.extension().string()));
}

ContextFiles::ContextFiles(const std::vector<std::string>& paths) {
  std::set<fs::path> canonical;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path found = fs::canonical(path, error);
    if (error) {
      fail(ExitCode::bad_input,
           "CONTEXT names {}, which cannot be read ({}); correct CONTEXT in add_kernel_op or "
           "KERNELLOOP_CONTEXT, or put it there",
           path, error.message());
    }
    canonical.insert(found);
  }
  std::set<std::string> taken{"versions"};  // of the operator itself, see earlier_versions.hpp
  for (const fs::path& path : canonical) {
    const std::string base = path.filename().empty() ? "root" : path.filename().string();
    std::string name = base;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = fmt::format("{}-{}", base, number);
    }
    roots_.push_back({name, path});
  }
  std::sort(roots_.begin(), roots_.end(),
            [](const ContextRoot& a, const ContextRoot& b) { return a.name < b.name; });
}

bool ContextFiles::is_inside(const fs::path& canonical) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const ContextRoot& root) { return is_below(canonical, root.path); });
}

void ContextFiles::walk(const std::function<bool(const ContextFile& file)>& visit) const {
  for (const ContextRoot& root : roots_) {
    struct stat status {};
    if (::stat(root.path.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) {
      if (!walk_directory(root.path, root.name, visit)) return;
    } else if (S_ISREG(status.st_mode)) {
      if (!visit({root.name, root.path, status.st_size, nanoseconds(status.st_mtim)})) return;
    }
  }
}

bool ContextFiles::walk_directory(const fs::path& directory, const std::string& name,
                                  const std::function<bool(const ContextFile& file)>& visit) const {
  std::error_code error;
  std::vector<std::string> entries;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string entry = it->path().filename().string();
    if (!is_private_name(entry)) entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end());
  for (const std::string& entry : entries) {
    const fs::path path = directory / entry;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) {
      const ContextFile file{name + "/" + entry, path, status.st_size, nanoseconds(status.st_mtim)};
      if (!visit(file)) return false;
    } else if (S_ISDIR(status.st_mode)) {
      const bool is_root = std::any_of(roots_.begin(), roots_.end(),
                                       [&](const ContextRoot& r) { return r.path == path; });
      if (is_root || is_made_by_tools(path)) continue;
      if (!walk_directory(path, name + "/" + entry, visit)) return false;
    }
  }
  return true;
}

std::optional<fs::path> ContextFiles::find(const std::string& name) const {
  for (const ContextRoot& root : roots_) {
    if (name != root.name && name.rfind(root.name + "/", 0) != 0) continue;
    const fs::path inside(name.size() > root.name.size() ? name.substr(root.name.size() + 1) : "");
    if (inside.is_absolute()) return std::nullopt;
    std::error_code error;
    const fs::path path = fs::canonical(inside.empty() ? root.path : root.path / inside, error);
    if (error || !is_inside(path)) return std::nullopt;
    // No part below the root may be one that the walk leaves out.
    for (const ContextRoot& home : roots_) {
      if (!is_below(path, home.path)) continue;
      fs::path part = home.path;
      bool open = true;
      for (const fs::path& step : path.lexically_relative(home.path)) {
        if (step == ".") continue;
        part /= step;
        open = open && !is_private_name(step.string()) &&
               !(fs::is_directory(part) && is_made_by_tools(part));
      }
      if (open) return path;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

FileText ContextFiles::read(const fs::path& path) const {
  FileText file = read_plain_file(path);
  if (!file.refusal.empty()) return file;
  if (is_binary(file.text)) return {{}, "is binary"};
  if (path.extension() == ".json" && file.text.find("\"holdout\"") != std::string::npos) {
    return {{}, "names hold-out shapes"};
  }
  if (const std::string secret = find_secret(file.text, secrets_); !secret.empty()) {
    return {{}, "holds " + secret};
  }
  return file;
}

}  // namespace kernelloop
