#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "guarantees/pricing/idle_periods.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// What the hosts of a run had to sell: when each was free of VMs.
struct PlacedHosts {
  std::size_t hosts = 0;
  TimeSpan window{};
  /// Of all hosts; a period that began before the window has its true beginning. Servers are
  /// numbered as ranks are: the host that is revoked most often comes first.
  std::vector<IdlePeriod> periods{};
  std::vector<std::int64_t> sizes{};  ///< of each server, in vcpus; empty: all have the same
  std::vector<double> spot_lives{};   ///< CapacityTrace::spot_lives
  std::size_t vms_rejected = 0;
  std::string sha256{};  ///< of the workload and the scenario
};

/// Runs a scenario and watches its hosts. Errors: as of the run.
[[nodiscard]] PlacedHosts run_and_watch(const ProviderSettings& scenario);

/// The periods as far as they lie in `span`, by the rules of for_each_idle_period(), in the order
/// of their ends.
[[nodiscard]] std::vector<IdlePeriod> periods_in(const PlacedHosts& hosts, TimeSpan span);

}  // namespace cospot
