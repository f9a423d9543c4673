#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// The total money requested in the tuned workloads inside their windows.
struct RequestedMoney {
  double vms = 0;
  double spots = 0;
  double days = 0;  ///< of all windows
  std::string currency{};
};

/// Prices, for a search.
struct TunePrices {
  RequestedMoney requested{};
  std::vector<double> vm_worth{};  ///< by workload, of TuneSample
};

/// The value of what the requests ask for, at the price of each workload's vCPU-hour. Errors:
/// ConfigError if a flavor has no price; WorkloadError.
[[nodiscard]] TunePrices tune_prices(const PriceList& list,
                                     std::span<const WorkloadSpec> workloads);

/// The money of a setting if its expected shares applied to the whole workloads.
struct SettingMoney {
  double spots_earned = 0;
  double vms_lost = 0;

  [[nodiscard]] double net() const { return spots_earned - vms_lost; }
};

struct TuneMoney {
  RequestedMoney requested{};
  SettingMoney recommended{};
  std::optional<SettingMoney> without_cooperation{};
  /// The verdict's gain in a month: what its setting earns more than no cooperation, net of lost
  /// VMs.
  std::optional<MeanInterval> gain_per_month{};
};

/// The shares are those under "Expected": for each search its recommendation (or, if the verdict is
/// to keep the current setting, its best setting without cooperation), on samples that did not
/// choose it.
[[nodiscard]] TuneMoney tune_money(const RequestedMoney& requested, const TuneFindings& findings);

/// The gain in money, the line below the verdict; empty if nothing was compared.
[[nodiscard]] std::string money_gain_text(const TuneMoney& money);
[[nodiscard]] std::string tune_money_text(const TuneMoney& money);
[[nodiscard]] Json tune_money_json(const TuneMoney& money);

}  // namespace cospot
