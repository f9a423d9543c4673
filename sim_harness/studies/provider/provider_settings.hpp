#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/engine/shared_workload.hpp"
#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/hosts/host_mix.hpp"
#include "sim_harness/policies/policy_loader.hpp"
#include "sim_harness/results/column.hpp"
#include "sim_harness/results/experiment_record.hpp"
#include "sim_harness/workloads/workload_spec.hpp"

namespace cospot {

// What studies that place VMs and spots in a datacenter have in common: the hosts, and seven axes.
// Such a study adds its own axes behind these.

/// The values of these axes. Every axis has at least one value and no value or label twice.
struct ProviderSettings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;  ///< all percentages or all host counts
  /// Of a headroom: the VM policies over which it counts from the fewest hosts; empty: over `vm`.
  std::vector<ChainSpec> headroom_of{};
  std::vector<ChainSpec> vm;
  std::vector<ChainSpec> spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;

  [[nodiscard]] SizedPolicies sized_policies() const { return {vm, headroom_of}; }
  /// Over which a headroom counts from the fewest hosts.
  [[nodiscard]] const std::vector<ChainSpec>& headroom_policies() const {
    return headroom_of.empty() ? vm : headroom_of;
  }
};

inline constexpr std::size_t kProviderAxes = 7;

/// The keys of a study file that `read_provider_settings` reads, and `study`.
inline constexpr std::array<std::string_view, 13> kProviderKeys{
    "study",       "workloads", "window_days", "host", "added_type", "headroom_percent",
    "headroom_of", "hosts",     "vm",          "spot", "evictor",    "saf",
    "otn"};

/// `root` is the whole file; paths are relative to `folder`. `window` is what a command states.
/// Errors: ConfigError.
[[nodiscard]] ProviderSettings read_provider_settings(const ConfigNode& root,
                                                      const std::filesystem::path& folder,
                                                      const std::optional<SimTime>& window,
                                                      PolicyLoader& loader);

/// With every default written out, for a study's own keys to be added. `workloads`: their JSON,
/// where a study says more of them than workload_json.
[[nodiscard]] JsonObject provider_settings_json(const ProviderSettings& settings,
                                                const std::string& workloads);
[[nodiscard]] JsonObject provider_settings_json(const ProviderSettings& settings);

/// The columns of the axes, those of a study behind them.
[[nodiscard]] std::vector<Column> provider_columns(const std::vector<Column>& own);

/// The axes as a configuration has them (parse_yaml of provider_settings_json), `own` behind them.
/// Errors: ConfigError.
[[nodiscard]] std::vector<Axis> provider_axes(const ConfigNode& root, const std::vector<Axis>& own);

/// The run at these coordinates, of which the first kProviderAxes count.
[[nodiscard]] RunSettings run_settings_at(const ProviderSettings& settings, const Coordinates& at,
                                          std::size_t hosts);

/// For studies that forecast neither lifetimes nor revocations: a filter that goes by them would
/// pass everyone. Errors: ConfigError when a chain under `key` has such a filter.
void refuse_forecasts(const ConfigNode& root, std::string_view key,
                      const std::vector<ChainSpec>& chains, std::string_view study);

}  // namespace cospot
