#include "context/context_reader.hpp"

#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "context/grep.hpp"
#include "context/query.hpp"
#include "languages/toolchain.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace kernelloop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_versions = "versions";
constexpr std::chrono::seconds k_grep_time{5};

std::vector<std::string> roots_of(const OpConfig& config) {
  std::vector<std::string> roots = config.context;
  if (!config.notes_dir.empty()) roots.push_back(config.notes_dir.string());
  for (const std::string& language : config.languages) {
    for (const fs::path& path : language_sources(language_named(language), config.nvcc)) {
      roots.push_back(path.string());
    }
  }
  return roots;
}

bool is_version_name(const std::string& name) {
  return name == k_versions || name.rfind(std::string(k_versions) + "/", 0) == 0;
}

std::string without_end_slash(std::string name) {
  while (!name.empty() && name.back() == '/') name.pop_back();
  return name == "." ? std::string() : name;
}

std::string numbered(const std::vector<std::string_view>& lines, std::size_t first,
                     std::size_t count, int number) {
  std::string text;
  for (std::size_t i = first; i < std::min(first + count, lines.size()); ++i) {
    text += fmt::format("{:>5} | {}\n", number + static_cast<int>(i - first), lines[i]);
  }
  return text;
}

std::string hit_text(const ContextHit& hit, const ContextQuery& query) {
  const std::vector<std::string_view> lines = split_lines(hit.text);
  const std::size_t begin = best_window(lines, ContextReader::k_excerpt_lines, query);
  const int line = hit.first_line + static_cast<int>(begin);
  return fmt::format("{}:{}{}\n{}\n", hit.file, line,
                     hit.heading.empty() ? "" : "  (" + hit.heading + ")",
                     numbered(lines, begin, ContextReader::k_excerpt_lines, line));
}

}  // namespace

ContextReader::ContextReader(const OpConfig& config, int before)
    : files_(roots_of(config)),
      versions_(config, before),
      index_directory_(config.build_dir.parent_path() / "context-index") {}

ContextIndex& ContextReader::index() {
  if (!index_) {
    index_ = std::make_unique<ContextIndex>(files_, index_path(index_directory_, files_));
    last_update_ = index_->update();
  }
  return *index_;
}

IndexUpdate ContextReader::refresh() {
  index();
  return last_update_;
}

Reading ContextReader::search(const std::string& query, int limit) {
  const ContextQuery parsed = parse_query(query);
  if (parsed.empty()) return {"the query has no word to look for", true};
  const ContextHits found = index().search(query, std::clamp(limit, 1, k_most_hits));
  if (found.hits.empty()) {
    return {fmt::format("nothing holds any of these words; try others, or grep"), true};
  }
  std::string text = found.exact ? "" : "No place holds all these words; the nearest ones:\n\n";
  for (const ContextHit& hit : found.hits) text += hit_text(hit, parsed);
  return {text, false};
}

FileText ContextReader::text_of(const std::string& file) const {
  if (is_version_name(file)) {
    return versions_.read(file.size() > k_versions.size() ? file.substr(k_versions.size() + 1)
                                                          : std::string());
  }
  const auto path = files_.find(file);
  if (!path) return {{}, "is not there"};
  return files_.read(*path);
}

Reading ContextReader::no_such(const std::string& name) const {
  std::vector<std::string> roots{std::string(k_versions)};
  for (const ContextRoot& root : files_.roots()) roots.push_back(root.name);
  return {fmt::format("{} is not there; names begin with one of: {}", name, fmt::join(roots, ", ")),
          true};
}

Reading ContextReader::read(const std::string& name, int first, int last) {
  const std::string file = without_end_slash(name);
  const FileText content = text_of(file);
  if (content.refusal == "is not there") return no_such(file);
  if (!content.refusal.empty()) return {file + " " + content.refusal, true};
  const std::vector<std::string_view> lines = split_lines(content.text);
  const int count = static_cast<int>(lines.size());
  const int begin = std::max(first, 1);
  if (count == 0) return {file + " is empty", false};
  if (begin > count) return {fmt::format("{} has {} lines", file, count), true};
  const int wanted = last <= 0 ? count : std::max(std::min(last, count), begin);
  const int end = std::min(wanted, begin + k_most_lines - 1);
  std::string text = fmt::format("{}:{}-{} of {} lines\n", file, begin, end, count);
  text += numbered(lines, static_cast<std::size_t>(begin - 1),
                   static_cast<std::size_t>(end - begin + 1), begin);
  if (end < wanted)
    text += fmt::format("... {} more lines; ask for them from {}\n", wanted - end, end + 1);
  return {text, false};
}

Reading ContextReader::list(const std::string& name) {
  const std::string directory = without_end_slash(name);
  std::vector<std::string> entries;
  if (directory.empty()) {
    entries.push_back(std::string(k_versions) + "/");
    for (const ContextRoot& root : files_.roots()) {
      entries.push_back(root.name + (fs::is_directory(root.path) ? "/" : ""));
    }
  } else if (directory == k_versions) {
    for (const std::string& version : versions_.versions()) entries.push_back(version + "/");
  } else if (is_version_name(directory)) {
    entries = versions_.files(directory.substr(k_versions.size() + 1));
  } else {
    for (const ContextIndex::Listed& file : index().files(directory)) {
      if (file.name.size() <= directory.size()) continue;
      const std::string rest = file.name.substr(directory.size() + 1);
      const std::size_t slash = rest.find('/');
      const std::string entry = slash == std::string::npos
                                    ? fmt::format("{}  ({} bytes)", rest, file.size)
                                    : rest.substr(0, slash + 1);
      if (entries.empty() || entries.back() != entry) entries.push_back(entry);
    }
  }
  if (entries.empty() && directory != k_versions) return no_such(directory);
  const std::size_t shown = std::min<std::size_t>(entries.size(), k_most_names);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += entries[i] + "\n";
  if (shown < entries.size()) text += fmt::format("... {} more\n", entries.size() - shown);
  return {entries.empty() ? "there are no earlier versions\n" : text, false};
}

std::vector<std::string> ContextReader::names_below(const std::string& below) {
  std::vector<std::string> names;
  if (!is_version_name(below)) {
    for (const ContextIndex::Listed& file : index().files(below)) names.push_back(file.name);
    return names;
  }
  for (const std::string& version : versions_.versions()) {
    for (const std::string& file : versions_.files(version)) {
      const std::string name = fmt::format("{}/{}/{}", k_versions, version, file);
      // What a program has to make first is looked into when it is asked for by name.
      if (name == below || (name.rfind(below + "/", 0) == 0 && !EarlierVersions::is_made(file))) {
        names.push_back(name);
      }
    }
  }
  return names;
}

Reading ContextReader::grep(const std::string& pattern, const std::string& where,
                            bool ignore_case) {
  const LinePattern line_pattern(pattern, ignore_case);
  if (!line_pattern.error().empty()) return {line_pattern.error(), true};
  const std::string below = without_end_slash(where);
  const std::vector<std::string> names = names_below(below);
  if (names.empty()) return no_such(below);
  std::string text;
  int matches = 0;
  std::size_t looked_at = 0;
  const auto deadline = std::chrono::steady_clock::now() + k_grep_time;
  for (const std::string& name : names) {
    if (std::chrono::steady_clock::now() > deadline || matches >= 10 * k_most_matches) break;
    ++looked_at;
    const FileText content = text_of(name);
    if (!content.refusal.empty() || !line_pattern.may_match(content.text)) continue;
    int number = 0;
    for (const std::string_view line : split_lines(content.text)) {
      ++number;
      if (!line_pattern.matches(line)) continue;
      if (++matches > k_most_matches) continue;
      constexpr std::size_t k_shown = 200;
      text += fmt::format("{}:{}: {}\n", name, number, line.substr(0, k_shown));
    }
  }
  if (looked_at < names.size()) {
    text += fmt::format("... stopped after {} of {} files; name a directory\n", looked_at,
                        names.size());
  }
  if (matches > k_most_matches) {
    text += fmt::format("... {} more matches\n", matches - k_most_matches);
  }
  if (matches == 0) return {text + "no line matches", true};
  return {text, false};
}

}  // namespace kernelloop
