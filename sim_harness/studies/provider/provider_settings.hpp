#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/provider/sizing/shared_workload.hpp"

namespace cospot {

// Shared by studies that place VMs and spots in a datacenter: the hosts, and seven axes. Such a
// study adds its own axes after these.

/// The values of these axes. Every axis has at least one value, and no value or label occurs twice.
struct ProviderSettings {
  std::vector<WorkloadSpec> workloads;
  HostMix host;
  std::vector<Headroom> sizes;  ///< all percentages or all host counts
  /// The VM policies from whose fewest hosts a headroom counts; empty: `vm`.
  std::vector<ChainSpec> headroom_of{};
  std::vector<ChainSpec> vm;
  std::vector<ChainSpec> spot;
  std::vector<EvictorSpec> evictors;
  std::vector<bool> saf;
  std::vector<OfferRule> otn;

  [[nodiscard]] SizedPolicies sized_policies() const { return {vm, headroom_of}; }
  /// The policies from whose fewest hosts a headroom counts.
  [[nodiscard]] const std::vector<ChainSpec>& headroom_policies() const {
    return headroom_of.empty() ? vm : headroom_of;
  }
};

/// For policies that place no spots: a filter that uses spot forecasts passes every host there.
/// Errors: ConfigError if a chain under `key` has such a filter.
void refuse_spot_forecasts(const ConfigNode& root, std::string_view key,
                           const std::vector<ChainSpec>& chains);

}  // namespace cospot
