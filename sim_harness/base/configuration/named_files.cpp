#include "sim_harness/base/configuration/named_files.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

void add_file(const std::string& text, const std::filesystem::path& folder,
              std::vector<std::filesystem::path>& files) {
  if (text.empty()) return;
  try {
    for (const ExpandedPath& path : expand_path(text, folder)) files.push_back(path.file);
  } catch (const ConfigError&) {
    // A text that names no file, as most do.
  }
}

void add_files(const ConfigNode& node, const std::filesystem::path& folder,
               std::vector<std::filesystem::path>& files) {
  for (const ConfigNode& item : node.items) add_files(item, folder, files);
  for (const ConfigEntry& entry : node.entries) add_files(entry.value, folder, files);
  if (node.kind == ConfigNode::Kind::kScalar) add_file(node.text, folder, files);
}

void add_files(const Json& json, const std::filesystem::path& folder,
               std::vector<std::filesystem::path>& files) {
  if (json.is_string()) return add_file(json.get<std::string>(), folder, files);
  if (!json.is_structured()) return;
  for (const Json& part : json) add_files(part, folder, files);
}

}  // namespace

std::vector<ExpandedPath> read_paths(const ConfigNode& node, std::string_view key,
                                     const std::filesystem::path& folder) {
  const std::string written = read_text(node, key);
  try {
    return expand_path(written, folder);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", key_place(node, key), error.what()));
  }
}

ExpandedPath read_path(const ConfigNode& node, std::string_view key,
                       const std::filesystem::path& folder) {
  const std::vector<ExpandedPath> found = read_paths(node, key, folder);
  if (found.size() == 1) return found.front();
  throw ConfigError(key_place(node, key) + ": expected one file");
}

std::vector<std::filesystem::path> files_named_in(const Json& configuration,
                                                  const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  add_files(configuration, folder, files);
  return files;
}

std::vector<std::filesystem::path> files_named_in(const ConfigNode& root,
                                                  const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  add_files(root, folder, files);
  return files;
}

}  // namespace cospot
