// The files a model may read: what stands under the CONTEXT directories, and nothing else.
//
// A name is "<root>/<path>", where <root> is the last part of the directory's path ("cutlass"),
// with a number behind it where two are alike ("include-2"). Names stay the same for the same set
// of directories.
#pragma once

#include "propose/secrets.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelloop {

struct ContextRoot {
  std::string name;
  std::filesystem::path path;  // canonical; a directory or a single file
};

struct ContextFile {
  std::string name;
  std::filesystem::path path;
  std::int64_t size = 0;      // bytes
  std::int64_t mtime_ns = 0;  // since 1970
};

// A text, or why it is not read.
struct FileText {
  std::string text;
  std::string refusal;  // "is binary"; empty when `text` is the file
};

class ContextFiles {
 public:
  // Larger files are data or generated; nobody reads them.
  static constexpr std::int64_t k_largest_file = 2 << 20;

  // Throws Error(bad_input) when a path is not there; the message says where it was set.
  explicit ContextFiles(const std::vector<std::string>& paths);

  [[nodiscard]] const std::vector<ContextRoot>& roots() const noexcept { return roots_; }

  // Every file by name and size, in the order of their names. Left out: dotfiles, names of keys and
  // credentials, links (what they lead to is walked where it stands, if it is inside), build trees
  // and caches. Nothing is opened. Goes on until `visit` says false.
  void walk(const std::function<bool(const ContextFile& file)>& visit) const;

  // The file of a name. Nothing when there is none, or when it leads outside of the roots, by ".."
  // or by a link, or to something that walk() leaves out.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& name) const;

  // The file's text. Refused: what is no plain file, too large, binary, holds something like a key,
  // or names hold-out shapes, which no model sees.
  [[nodiscard]] FileText read(const std::filesystem::path& path) const;

 private:
  [[nodiscard]] bool is_inside(const std::filesystem::path& canonical) const;
  bool walk_directory(const std::filesystem::path& directory, const std::string& name,
                      const std::function<bool(const ContextFile& file)>& visit) const;

  std::vector<ContextRoot> roots_;
  std::vector<LiveSecret> secrets_ = live_secrets();
};

// Whether a file or directory of this name is left alone: ".git", "key.pem", "credentials.json".
bool is_private_name(std::string_view name);

}  // namespace kernelloop
