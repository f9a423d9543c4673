#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/provider/disruptions/life_plan.hpp"

namespace cospot {

/// Hosts fail at random: on each, the time from a repair to the next failure is exponential.
struct FailureRate {
  double mtbf_days = 0;  ///< its mean
  double repair_h = 0;   ///< how long each takes
  std::uint64_t seed = 1;
};

/// Every host has a window in every period, at a moment of its own.
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

/// What is in a file, and which file it is.
template <class Row>
struct LifeFile {
  std::string name{};  ///< as the user wrote it; empty: no file
  std::string path{};
  std::string sha256{};
  std::vector<Row> rows{};
};

/// What a file says of the life of requests, for any datacenter; docs/life.md. As it is, nothing.
struct LifeSettings {
  std::string label = "none";
  Backoff retries{};
  Backoff returning_spots{};
  bool ends_stay = false;
  std::optional<FailureRate> failure_rate{};
  std::optional<MaintenanceRate> maintenance_rate{};
  LifeFile<NamedOutage> failures{}, maintenance{};
  LifeFile<NamedResize> resizes{};

  /// Nothing but what the workload says happens.
  [[nodiscard]] bool is_off() const {
    return retries.patience == SimTime{0} && returning_spots.patience == SimTime{0} &&
           !failure_rate && !maintenance_rate && failures.name.empty() &&
           maintenance.name.empty() && resizes.name.empty();
  }
};

}  // namespace cospot
