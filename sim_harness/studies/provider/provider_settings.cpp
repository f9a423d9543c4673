#include "sim_harness/studies/provider/provider_settings.hpp"

#include <fmt/core.h>

#include "core/errors.hpp"
#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/engine/spot_forecasts.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {

ProviderSettings read_provider_settings(const ConfigNode& root, const std::filesystem::path& folder,
                                        const std::optional<SimTime>& window,
                                        PolicyLoader& loader) {
  ProviderSettings settings;
  settings.workloads = read_windowed_workloads(root, folder, window);
  settings.host = read_hosts(root, folder);
  settings.sizes = read_sizes(root, settings.host);
  settings.headroom_of = read_headroom_policies(root, loader);
  settings.vm = read_chains(require_key(root, "sweep", "vm"), "vm", loader);
  settings.spot = read_chains(require_key(root, "sweep", "spot"), "spot", loader);
  settings.evictors =
      read_evictors(require_key(root, "sweep", "evictor"), "evictor", folder, loader);
  settings.saf = read_distinct(require_key(root, "sweep", "saf"), "saf",
                               [](const auto& item) { return read_bool(item, "saf"); });
  settings.otn = read_offers(root);
  return settings;
}

JsonObject provider_settings_json(const ProviderSettings& settings, const std::string& workloads) {
  JsonObject json;
  json.add("workloads", workloads)
      .add("host", host_json(settings.host))
      .add("sizes", list_of(settings.sizes, size_json))
      .add_if(!settings.headroom_of.empty(), "headroom_of",
              list_of(settings.headroom_of, chain_json))
      .add("vm", list_of(settings.vm, chain_json))
      .add("spot", list_of(settings.spot, chain_json))
      .add("evictor", list_of(settings.evictors, evictor_json))
      .add("saf", list_of(settings.saf, [](bool flag) { return json_bool(flag); }))
      .add("otn", list_of(settings.otn, otn_json));
  return json;
}

JsonObject provider_settings_json(const ProviderSettings& settings) {
  return provider_settings_json(settings, list_of(settings.workloads, workload_json));
}

std::vector<Column> provider_columns(const std::vector<Column>& own) {
  std::vector<Column> columns{workload_column(), headroom_column(), vm_column(), spot_column(),
                              evictor_column(),  saf_column(),      otn_column()};
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

std::vector<Axis> provider_axes(const ConfigNode& root, const std::vector<Axis>& own) {
  std::vector<Axis> axes{
      workload_axis(root), size_axis(root), chain_axis(root, "vm"), chain_axis(root, "spot"),
      evictor_axis(root),  saf_axis(root),  otn_axis(root)};
  axes.insert(axes.end(), own.begin(), own.end());
  return axes;
}

RunSettings run_settings_at(const ProviderSettings& settings, const Coordinates& at,
                            std::size_t hosts) {
  return {.host = settings.host,
          .hosts = hosts,
          .vm = settings.vm[at[2]],
          .spot = settings.spot[at[3]],
          .evictor = settings.evictors[at[4]],
          .saf = settings.saf[at[5]],
          .otn = settings.otn[at[6]]};
}

void refuse_forecasts(const ConfigNode& root, std::string_view key,
                      const std::vector<ChainSpec>& chains, std::string_view study) {
  for (const ChainSpec& chain : chains) {
    if (!needs_spot_forecasts(chain)) continue;
    throw ConfigError(fmt::format(
        "{}: {} needs a forecast of lifetimes or revocations, which the study {} does not "
        "make; expected it in study compare",
        key_place(*root.find(key), key), chain.label, study));
  }
}

}  // namespace cospot
