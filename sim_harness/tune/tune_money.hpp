#pragma once

#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// The total money requested in the tuned workloads inside their windows.
struct RequestedMoney {
  double vms = 0;
  double spots = 0;
  double days = 0;  ///< of all windows
  std::string currency{};
};

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
};

/// The shares are those under "Expected": for each search its recommendation (or, if the verdict is
/// to keep the current setting, its best setting without cooperation), on samples that did not
/// choose it.
[[nodiscard]] TuneMoney tune_money(const RequestedMoney& requested, const TuneFindings& findings);

[[nodiscard]] std::string tune_money_text(const TuneMoney& money);
[[nodiscard]] Json tune_money_json(const TuneMoney& money);

}  // namespace cospot
