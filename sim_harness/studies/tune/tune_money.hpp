#pragma once

#include <span>
#include <string>

#include "sim_harness/studies/tune/tune.hpp"

namespace cospot {

/// What all requests of the tuned workloads come to inside their windows.
struct RequestedMoney {
  double vms = 0;
  double spots = 0;
};

/// What the recommendation comes to, were its expected shares those of the whole workloads.
struct TuneMoney {
  RequestedMoney requested{};
  double spots_earned = 0;
  double vms_lost = 0;
};

/// The shares are those under "Expected": what each fold recommends, on the samples that played no
/// part in it; without folds, the recommendation on the held-out samples.
[[nodiscard]] TuneMoney tune_money(const RequestedMoney& requested, const TuneSettings& settings,
                                   const TuneRuns& runs, const TuneOutcome& outcome,
                                   std::span<const TuneOutcome> folds);

[[nodiscard]] std::string tune_money_text(const TuneMoney& money);
[[nodiscard]] std::string tune_money_json(const TuneMoney& money);

}  // namespace cospot
