#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cospot {

/// The outcome of a promise of `quantity` in every period. Amounts are shares of the capacity at
/// the time of the prediction.
struct PromiseOutcome {
  double quantity = 0;
  double wastage = 0;       ///< mean over all periods of what was free beyond the promise
  double shortage = 0;      ///< mean over all periods of what was missing
  double availability = 1;  ///< share of the periods without a shortage
  std::size_t short_periods = 0;
};

/// Judges a promise by the slack there was. Source: Carvalho et al., section 5.1, equation 4, and
/// section 5.3.
[[nodiscard]] PromiseOutcome judge_promise(double quantity, std::span<const double> actual);

/// The condition under which a class that was not available as promised pays, and the amount.
struct PenaltyRule {
  double rate = 0.3;         ///< share of the bill that is paid back
  double threshold = 0.99;   ///< availability below which it is
  bool at_threshold = true;  ///< also at exactly the threshold: the paper's formula, not its text
  std::size_t bill_periods = 30;  ///< periods of a bill; 0: one bill for the whole promise
  bool on_all_revenue = true;  ///< the paper's formula for theta; false: on the Economy class alone

  friend bool operator==(const PenaltyRule&, const PenaltyRule&) = default;
};

/// The periods whose bill is paid back. Only the promised periods count.
[[nodiscard]] std::size_t periods_paid_back(double quantity, std::span<const double> actual,
                                            const PenaltyRule& rule);

/// The share of its bills that is paid back for a promise: the mean over its bills (a last one that
/// is shorter counts by its length).
[[nodiscard]] double penalty_share(double quantity, std::span<const double> actual,
                                   const PenaltyRule& rule);

/// Prices as shares of the on-demand price.
struct ClassPrices {
  double economy = 0.7;
  double opportunistic = 0.318;  ///< mean of EC2 spot prices in the paper
};

/// The income of a cycle, per unit of capacity and time at the on-demand price.
struct PromiseRevenue {
  double with_economy = 0;  ///< the promise as Economy, the rest of the slack as opportunistic
  double opportunistic_only = 0;  ///< all slack as opportunistic
};

/// Args: economy: the promised share f_e. slack: the share f_slack that can be sold at all.
/// penalty: the share X_e of penalty_share().
[[nodiscard]] PromiseRevenue promise_revenue(double economy, double slack, double penalty,
                                             const ClassPrices& prices, bool penalty_on_all);

/// The profit with the Economy class over that without it (theta); nothing when there is no slack
/// to sell. Costs are 0. Source: Carvalho et al., section 5.4.
[[nodiscard]] std::optional<double> profit_ratio(const PromiseRevenue& revenue);

}  // namespace cospot
