#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Prices of a vCPU-hour, in the operator's currency.
struct VcpuHourPrices {
  double on_demand = 0;
  double spot = 0;
  std::optional<double> economy{};  ///< for Economy instances; nothing: on_demand

  /// The price of a workload's vcpu-seconds: VMs at the on-demand price, spots at the spot price.
  [[nodiscard]] double of_vms(double vcpu_seconds) const { return vcpu_seconds / 3600 * on_demand; }
  [[nodiscard]] double of_spots(double vcpu_seconds) const { return vcpu_seconds / 3600 * spot; }
  [[nodiscard]] double of_economy(double vcpu_seconds) const {
    return vcpu_seconds / 3600 * economy.value_or(on_demand);
  }

  /// The same per unit of vcpus that are not whole vCPUs; for relative units, the price of a
  /// unit-hour.
  [[nodiscard]] VcpuHourPrices in(const VcpusUnit& unit) const {
    VcpuHourPrices scaled{on_demand * unit.vcpus, spot * unit.vcpus, economy};
    if (economy) *scaled.economy *= unit.vcpus;
    return scaled;
  }
};

/// Hourly prices of a flavor.
struct FlavorPrice {
  ResourceAmount vcpus = 0;
  ResourceAmount memory_mb = 0;
  double on_demand = 0;
  double spot = 0;
  std::optional<double> economy{};  ///< nothing: on_demand
};

/// The value of `--price`: prices of a vCPU-hour, or a table by flavor.
struct PriceList {
  VcpuHourPrices vcpu_hour{};
  std::vector<FlavorPrice> flavors{};  ///< if not empty, used instead of vcpu_hour
  std::string source{};                ///< the file of the table
  std::string currency{};              ///< such as EUR; empty: the operator's currency
  std::optional<double> host{};        ///< cost of a host an hour; only a plan uses it

  /// The prices of a vCPU-hour of this workload, per unit of its vcpus. By flavor: the mean over
  /// the requests inside its window, weighted by vcpu-hours; of Economy instances, where none were
  /// requested, over the spots, or else the VMs, which they would replace. Errors: ConfigError that
  /// names the flavors without a price.
  [[nodiscard]] VcpuHourPrices of(const Workload& workload, const VcpusUnit& unit) const;
  /// The same of a whole vCPU, or of a unit whose vCPUs nobody knows.
  [[nodiscard]] VcpuHourPrices of_vcpu_hour(const Workload& workload, const VcpusUnit& unit) const;
};

/// The note after every income, in texts and JSON; one line.
inline constexpr std::string_view kSoldOnce =
    "Idle capacity is sold once: do not add this to what spots, promised lifetimes, Economy or "
    "classes would earn.\n";

/// Days in a month, for converting the money of a window.
inline constexpr double kDaysPerMonth = 365.25 / 12;

/// Reads a CSV file with the columns vcpus, memory_mb, on_demand, spot, and optionally economy and
/// currency (the same in every line); other columns are ignored. Errors: WorkloadError.
[[nodiscard]] PriceList read_flavor_prices(const std::filesystem::path& file);

/// Parses `on-demand=0.04`, `spot=0.012`, and optionally `economy=0.02`, `host=1.2` and
/// `currency=EUR`, as separate texts or separated by commas; or a file, next to which `host=1.2`
/// may be given: YAML of the same, or CSV as for read_flavor_prices. Nothing if there are no texts.
/// Errors: ConfigError, WorkloadError for the file.
[[nodiscard]] std::optional<PriceList> read_price_list(const std::vector<std::string>& texts);

/// The key `prices` of a study file, as such texts: a mapping `{on-demand: 0.04, spot: 0.012}`, or
/// the path of a file relative to `folder`. None without the key. Errors: ConfigError.
[[nodiscard]] std::vector<std::string> read_price_key(const ConfigNode& root,
                                                      const std::filesystem::path& folder);
/// The key for such texts, as a line of a study file in `folder`; empty without texts.
[[nodiscard]] std::string price_key_yaml(const std::vector<std::string>& texts,
                                         const std::filesystem::path& folder);

}  // namespace cospot
