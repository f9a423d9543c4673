#pragma once

#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// What all requests of the tuned workloads come to inside their windows.
struct RequestedMoney {
  double vms = 0;
  double spots = 0;
  double days = 0;  ///< of all windows
};

/// What a setting earns and loses, were its expected shares those of the whole workloads.
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

/// The shares are those under "Expected": what each search recommends, or where the verdict is to
/// keep what there is, its best setting without cooperation, on the samples that played no part in
/// it.
[[nodiscard]] TuneMoney tune_money(const RequestedMoney& requested, const TuneFindings& findings);

[[nodiscard]] std::string tune_money_text(const TuneMoney& money);
[[nodiscard]] Json tune_money_json(const TuneMoney& money);

}  // namespace cospot
