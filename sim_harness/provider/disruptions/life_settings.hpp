#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/provider/disruptions/life_plan.hpp"

namespace cospot {

/// Random host failures: on each host, the time from a repair to the next failure is exponential.
struct FailureRate {
  double mtbf_days = 0;  ///< mean time between failures
  double repair_h = 0;   ///< duration of a repair
  std::uint64_t seed = 1;
};

/// Maintenance: each host has one window per period, at its own time.
struct MaintenanceRate {
  double every_days = 0;
  double lasts_h = 0;
  double notice_h = 0;
  std::uint64_t seed = 1;
};

/// A row of a file of failures or maintenance windows.
struct NamedOutage {
  std::string host{};
  SimTime notice{0}, start{0}, end{0};
  std::size_t line = 0;
};

/// A row of a file of resizes.
struct NamedResize {
  std::string instance{};
  SimTime time{0};
  ResourceVector size{};
  std::size_t line = 0;
};

/// The rows of a file and the file's identity.
template <class Row>
struct LifeFile {
  std::string name{};  ///< as the user wrote it; empty: no file
  std::string path{};
  std::string sha256{};
  std::vector<Row> rows{};
};

/// The disruptions that a study file describes, for any datacenter; docs/life.md. None by default.
struct LifeSettings {
  std::string label = "none";
  Backoff retries{};
  Backoff returning_spots{};
  bool ends_stay = false;
  /// Not a key of `disruptions`, but a part of its own. If set, the work of spots is counted.
  std::optional<EvictionRule> on_eviction{};
  std::optional<FailureRate> failure_rate{};
  std::optional<MaintenanceRate> maintenance_rate{};
  LifeFile<NamedOutage> failures{}, maintenance{};
  LifeFile<NamedResize> resizes{};

  /// True if there are no disruptions.
  [[nodiscard]] bool is_off() const {
    return !on_eviction && retries.patience == SimTime{0} &&
           returning_spots.patience == SimTime{0} && !failure_rate && !maintenance_rate &&
           failures.name.empty() && maintenance.name.empty() && resizes.name.empty();
  }
};

}  // namespace cospot
