#include "sim_harness/tune/study_lines.hpp"

#include <fmt/format.h>

#include <variant>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/studies/provider/configuration_yaml.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The path, with escapes as in a URL if it cannot be a label: different paths have different ones.
std::string label_of(const std::string& path) {
  if (is_label(path) && path.find('%') == std::string::npos) return path;
  std::string label;
  for (const char c : path) {
    label += c == '%' || !is_label({&c, 1}) ? fmt::format("%{:02X}", c) : std::string(1, c);
  }
  return label;
}

}  // namespace

std::string workload_line(const WorkloadSpec& spec, const fs::path& folder) {
  Json workload = setting_json(spec);
  if (!spec.synthetic) {
    const std::string path = relative_path(spec.file, folder);
    workload["path"] = path;
    workload["label"] = label_of(path);
  }
  return workload_yaml(workload);
}

std::string evictor_line(EvictorSpec evictor, const fs::path& folder) {
  const auto model = evictor.options.find("model");
  if (model != evictor.options.end()) {
    model->second = relative_path(std::get<std::string>(model->second), folder);
  }
  return evictor_yaml(setting_json(evictor));
}

std::string chain_line(const ChainSpec& chain) { return chain_yaml(setting_json(chain)); }

std::string host_line(const std::string& text, const HostMix& hosts, const fs::path& folder) {
  if (text.ends_with(".csv") || text.ends_with(".csv.gz")) {
    return yaml_text(relative_path(text, folder));
  }
  return host_yaml(host_json(hosts));
}

}  // namespace cospot
