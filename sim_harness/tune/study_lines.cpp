#include "sim_harness/tune/study_lines.hpp"

#include <system_error>
#include <variant>

#include "sim_harness/studies/provider/configuration_yaml.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

std::string relative_path(const fs::path& file, const fs::path& folder) {
  const fs::path from = fs::current_path() / folder;  // `folder` may be empty
  return fs::absolute(file).lexically_normal().lexically_proximate(from.lexically_normal());
}

}  // namespace

std::string workload_line(const WorkloadSpec& spec, const fs::path& folder) {
  WorkloadSpec named = spec;
  if (!spec.synthetic) named.label = relative_path(spec.file, folder);
  return workload_yaml(setting_json(named));
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
  std::error_code error;
  if (fs::is_regular_file(text, error)) return yaml_text(relative_path(text, folder));
  return hosts.is_plain() ? host_yaml(host_json(hosts))
                          : text;  // a list of types, as a study file has it
}

}  // namespace cospot
