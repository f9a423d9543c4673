#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// What a vCPU-hour costs, in whatever money the operator counts.
struct VcpuHourPrices {
  double on_demand = 0;
  double spot = 0;
  std::optional<double> economy{};  ///< of Economy instances; nothing: on_demand

  /// Of so many vcpu-seconds of a workload: VMs at the on-demand price, spots at that of spots.
  [[nodiscard]] double of_vms(double vcpu_seconds) const { return vcpu_seconds / 3600 * on_demand; }
  [[nodiscard]] double of_spots(double vcpu_seconds) const { return vcpu_seconds / 3600 * spot; }
  [[nodiscard]] double of_economy(double vcpu_seconds) const {
    return vcpu_seconds / 3600 * economy.value_or(on_demand);
  }

  /// The same for vcpus that are no whole vCPUs; of relative units the price is that of a
  /// unit-hour.
  [[nodiscard]] VcpuHourPrices in(const VcpusUnit& unit) const {
    VcpuHourPrices scaled{on_demand * unit.vcpus, spot * unit.vcpus, economy};
    if (economy) *scaled.economy *= unit.vcpus;
    return scaled;
  }
};

/// What an hour of an instance of a flavor costs.
struct FlavorPrice {
  ResourceAmount vcpus = 0;
  ResourceAmount memory_mb = 0;
  double on_demand = 0;
  double spot = 0;
  std::optional<double> economy{};  ///< nothing: on_demand
};

/// What `--price` says: prices of a vCPU-hour, or a table by flavor.
struct PriceList {
  VcpuHourPrices vcpu_hour{};
  std::vector<FlavorPrice> flavors{};  ///< not empty: they count, not vcpu_hour
  std::string source{};                ///< the file of the table
  std::string currency{};              ///< such as EUR; empty: whatever money the operator counts

  /// What a vCPU-hour of this workload costs: by flavor the mean over what is requested inside its
  /// window, by vcpu-hours. In vcpus as the workload has them. Errors: ConfigError that names the
  /// flavors without a price.
  [[nodiscard]] VcpuHourPrices of(const Workload& workload, const VcpusUnit& unit) const;

  /// What is unlikely to be meant, a sentence each: a spot price above the one on demand.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// What a text with an income ends with; one line of JSON too.
inline constexpr std::string_view kSoldOnce =
    "Idle capacity is sold once: do not add this to what spots, promised lifetimes, Economy or "
    "classes would earn.\n";

/// A month, of which amounts of money are told beside those of a window.
inline constexpr double kDaysPerMonth = 365.25 / 12;

/// Reads a CSV file with the columns vcpus, memory_mb, on_demand, spot, and if they are there
/// economy and currency, the same in every line (other columns are left aside). Errors:
/// WorkloadError.
[[nodiscard]] PriceList read_flavor_prices(const std::filesystem::path& file);

/// Reads `on-demand=0.04`, `spot=0.012`, and if they are given `economy=0.02` and `currency=EUR`,
/// as texts of their own or with commas between them; or one CSV file as of read_flavor_prices.
/// Nothing of nothing. Errors: ConfigError, WorkloadError of the file.
[[nodiscard]] std::optional<PriceList> read_price_list(const std::vector<std::string>& texts);

}  // namespace cospot
