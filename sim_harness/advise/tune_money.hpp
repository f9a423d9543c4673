#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/advise/tune_text.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/money/income.hpp"

namespace cospot {

/// Prices, for a search.
struct TunePrices {
  std::vector<VcpuHourPrices> by_workload{};  ///< per unit of its vcpus
  std::string currency{};

  /// By workload, of TuneRequest.
  [[nodiscard]] std::vector<double> vm_worth() const;
};

/// The price of each workload's vCPU-hour. Errors: ConfigError if a flavor has no price;
/// WorkloadError.
[[nodiscard]] TunePrices tune_prices(const PriceList& list,
                                     std::span<const WorkloadSpec> workloads);

/// The money on the samples that judge: of each what the setting earned there that its search
/// advises, or the best without cooperation.
struct TuneMoney {
  std::string currency{};
  Income recommended{};
  std::optional<Income> without_cooperation{};
  /// The verdict's gain: what its setting earns more than no cooperation, net of lost VMs.
  std::optional<MeanInterval> gain_per_month{};
};

[[nodiscard]] TuneMoney tune_money(const TunePrices& prices, const TuneFindings& findings);

/// The gain in money, the line below the verdict; empty if nothing was compared.
[[nodiscard]] std::string money_gain_text(const TuneMoney& money);
[[nodiscard]] std::string tune_money_text(const TuneMoney& money);
[[nodiscard]] Json tune_money_json(const TuneMoney& money);

}  // namespace cospot
