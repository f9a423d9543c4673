#include "sim_harness/commands/cloud.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {
namespace {

/// CoSpot with an offer of 8 hosts. No VM policy needs fewer hosts than DPD.
constexpr std::string_view kUsualSetting =
    "vm: DPD\nspot: vmaUTIL\nevictor: YJF\nsaf: true\notn: 8\n";

/// `tune` and `plan` count a headroom from the same hosts.
std::string usual_size(double headroom_percent) {
  return fmt::format("headroom_percent: {}\nheadroom_of: [{}]\n", headroom_percent,
                     fmt::join(TuneCandidates().vm, ", "));
}

/// The options as assignments to keys.
std::vector<std::string> assignments_of(const DatacenterOptions& options) {
  std::vector<std::string> assignments;
  if (options.names_hosts()) {
    auto [host, count] = options.given();
    const HostMix mix = parse_hosts_option(host);
    const bool is_file = !mix.is_plain() && !host.starts_with('[');
    assignments.push_back("host=" + (is_file ? yaml_text(std::filesystem::absolute(host).string())
                                     : mix.is_plain() ? flow_yaml(host_json(mix))
                                                      : host));
    if (!count && !options.headroom_percent() && !mix.is_plain()) count = mix.declared();
    if (count) assignments.push_back(fmt::format("hosts={}", *count));
  }
  if (const std::optional<double> percent = options.headroom_percent()) {
    assignments.push_back(fmt::format("headroom_percent={}", *percent));
  }
  return assignments;
}

}  // namespace

StudyFile with_usual(StudyFile file) {
  const ConfigNode* study = file.root.find("study");
  const bool is_sla = file.root.find("spot_workloads") != nullptr;
  if (is_sla || (study != nullptr && study->text == "sla")) return file;
  const bool states_policies =
      std::ranges::all_of(std::array{"vm", "spot", "evictor"},
                          [&](const char* key) { return file.root.find(key) != nullptr; });
  // With these, `compare` runs the file too, and SAF and OTN have its defaults.
  if (!states_policies) add_missing_keys(file.root, kUsualSetting);
  const bool has_size = file.root.find("hosts") != nullptr ||
                        file.root.find("headroom_percent") != nullptr ||
                        !read_hosts(file.root, file.folder).is_plain();
  if (!has_size) add_missing_keys(file.root, usual_size(kDefaultTuneHeadroomPercent));
  return file;
}

StudyFile cloud_file(const std::string& named, const DatacenterOptions& options,
                     const std::vector<std::string>& overrides, std::optional<SimTime> window,
                     PolicyLoader& policies) {
  StudyFile file;
  if (is_yaml_file(named)) {
    file = read_study_file(named, {}, window, policies);
  } else {
    (void)options.given();  // its error says what is missing
    file.root.kind = ConfigNode::Kind::kMapping;
    file.root.where = named;
    file.window = window;
    file.policies = &policies;
    file.workload = parse_workload_spec(named);
    const std::optional<double> percent = options.headroom_percent();
    if (percent) add_missing_keys(file.root, usual_size(*percent));
  }
  file.root = with_overrides(std::move(file.root), assignments_of(options));
  file.root = with_overrides(std::move(file.root), overrides);
  return file;
}

std::optional<WorkloadPrices> prices_of_study(const StudyRegistry& studies,
                                              const std::optional<PriceList>& list,
                                              const StudyFile& file) {
  if (!list) return std::nullopt;
  require_prices_for(studies, *list, studies.chosen_by(file.root).name, "--price");
  if (list->flavors.empty()) return prices_of_workloads(*list, {});
  return prices_of_workloads(*list, read_windowed_workloads(file));
}

std::size_t NamedCloud::hosts() const {
  const Headroom& size = settings.sizes.front();
  if (!size.percent) return size.hosts;  // without loading the workload
  return host_count(settings, load_workload(settings.workloads.front()));
}

std::string NamedCloud::hosts_file() const {
  const ConfigNode& host = require_key(stated.root, "study", "host");
  if (settings.host.is_plain() || host.kind != ConfigNode::Kind::kScalar) return {};
  return read_path(host, "host", stated.folder).file.string();
}

NamedCloud read_cloud(StudyFile stated) {
  NamedCloud cloud{.stated = std::move(stated), .settings = {}};
  const StudyFile file = with_usual(cloud.stated);
  const ProviderStudy study(built_in_studies().preset_of(file.root), file.root);
  cloud.settings = study.table().read(file);
  const auto require_one = [&](std::string_view key, std::size_t count) {
    const ConfigNode* node = file.root.find(key);
    if (count == 1) return;
    throw ConfigError(fmt::format("{}: found {} values, expected the one of a cloud",
                                  key_place(node == nullptr ? file.root : *node, key), count));
  };
  require_one("workloads", cloud.settings.workloads.size());
  const bool has_count = file.root.find("hosts") != nullptr;
  require_one(has_count ? "hosts" : "headroom_percent", cloud.settings.sizes.size());
  return cloud;
}

std::optional<NamedCloud> named_cloud(const std::string& named, std::optional<SimTime> window,
                                      PolicyLoader& policies, const DatacenterOptions& options,
                                      const std::vector<std::string>& overrides) {
  if (!is_yaml_file(named) && !options.names_hosts()) return std::nullopt;
  return read_cloud(cloud_file(named, options, overrides, window, policies));
}

}  // namespace cospot
