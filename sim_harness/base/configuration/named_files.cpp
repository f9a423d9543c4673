#include "sim_harness/base/configuration/named_files.hpp"

#include "core/errors.hpp"
#include "sim_harness/base/files/path_expansion.hpp"

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
