#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "guarantees/pricing/idle_periods.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The sellable time of a run's hosts: when each was free of VMs.
struct PlacedHosts {
  std::size_t hosts = 0;
  TimeSpan window{};
  /// The idle periods of all hosts; one that began before the window keeps its true beginning.
  /// Servers are numbered by rank: the host with the most revocations comes first.
  std::vector<IdlePeriod> periods{};
  std::vector<std::int64_t> sizes{};    ///< vcpus of each server; empty: all are equal
  std::vector<double> spot_lives{};     ///< CapacityTrace::spot_lives
  std::vector<std::string> warnings{};  ///< of VMs without a host
  std::string sha256{};                 ///< of the workload and the scenario
};

/// Runs a scenario and records when its hosts are free. Errors: those of the run.
[[nodiscard]] PlacedHosts run_and_watch(const ProviderSettings& scenario);

/// The parts of the periods within `span`, by the rules of for_each_idle_period(), in order of
/// their ends.
[[nodiscard]] std::vector<IdlePeriod> periods_in(const PlacedHosts& hosts, TimeSpan span);

}  // namespace cospot
