#include "sim_harness/base/files/path_expansion.hpp"

#include <fmt/core.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/errors.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWildcards = "*?[";

std::string replace_variables(const std::string& written) {
  std::string text;
  std::size_t position = 0;
  for (;;) {
    const std::size_t start = written.find("${", position);
    text += written.substr(position, start - position);
    if (start == std::string::npos) return text;
    const std::size_t end = written.find('}', start);
    if (end == std::string::npos) {
      throw ConfigError(fmt::format("'{}' has '${{' without '}}'", written));
    }
    const std::string name = written.substr(start + 2, end - start - 2);
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      throw ConfigError(fmt::format("'{}' needs the environment variable {}, which is not set",
                                    written, name.empty() ? "''" : name));
    }
    text += value;
    position = end + 1;
  }
}

std::string without_wildcards(const std::string& literal) {
  std::string escaped;
  for (const char c : literal) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  const std::unique_ptr<glob_t, decltype(&globfree)> guard(&found, globfree);
  std::vector<std::string> matches;
  if (status == 0) matches.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  // Bytes, not the locale's order: the order of the workloads is the order of the results.
  std::sort(matches.begin(), matches.end());
  return matches;
}

}  // namespace

std::vector<ExpandedPath> expand_path(const std::string& written, const fs::path& folder) {
  std::error_code ignored;
  const bool is_literal = fs::exists(folder / written, ignored);
  const std::string replaced = is_literal ? written : replace_variables(written);
  const fs::path literal = folder / replaced;
  if (fs::exists(literal, ignored)) {
    if (fs::is_directory(literal, ignored)) {
      throw ConfigError(fmt::format("'{}' is a folder; expected a file", literal.string()));
    }
    return {{written, literal}};
  }
  const std::size_t wildcard = written.find_first_of(kWildcards);
  if (wildcard == std::string::npos) {
    // Someone who names a file in the current folder finds out that a study's folder counts.
    const bool is_here = fs::path(replaced).is_relative() && fs::exists(replaced, ignored);
    throw ConfigError(fmt::format(
        "there is no file '{}'{}", literal.string(),
        is_here ? fmt::format("; paths are relative to the study file's folder: expected '{}'",
                              fs::absolute(replaced).string())
                : ""));
  }
  // The text before the folder of the first wildcard is literal and keeps its spelling in the
  // label, so that the label does not depend on the value of a variable.
  const std::size_t slash = written.rfind('/', wildcard);
  const std::size_t tail = slash == std::string::npos ? 0 : slash + 1;
  const std::string head = written.substr(0, tail);
  const std::string prefix = (folder / replace_variables(head)).string();
  std::vector<ExpandedPath> files;
  for (const std::string& match :
       matches_of(without_wildcards(prefix) + replace_variables(written.substr(tail)))) {
    if (fs::is_directory(match, ignored)) continue;
    files.push_back({head + match.substr(prefix.size()), match});
  }
  if (files.empty()) {
    throw ConfigError(fmt::format("no file matches '{}'", literal.string()));
  }
  return files;
}

std::string relative_path(const fs::path& file, const fs::path& folder) {
  const fs::path from = fs::current_path() / folder;
  return fs::absolute(file).lexically_normal().lexically_proximate(from.lexically_normal());
}

}  // namespace cospot
