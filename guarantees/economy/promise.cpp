#include "guarantees/economy/promise.hpp"

#include <algorithm>

namespace cospot {

PromiseOutcome judge_promise(double quantity, std::span<const double> actual) {
  PromiseOutcome outcome{.quantity = quantity};
  for (const double slack : actual) {
    const double error = slack - quantity;
    if (error < 0) {
      ++outcome.short_periods;
      outcome.shortage -= error;
    } else {
      outcome.wastage += error;
    }
  }
  const auto count = static_cast<double>(actual.size());
  outcome.wastage /= count;
  outcome.shortage /= count;
  outcome.availability = 1 - static_cast<double>(outcome.short_periods) / count;
  return outcome;
}

std::size_t periods_paid_back(double quantity, std::span<const double> actual,
                              const PenaltyRule& rule) {
  const std::size_t length = rule.bill_periods == 0 ? actual.size() : rule.bill_periods;
  std::size_t paid_back = 0;
  for (std::size_t begin = 0; begin < actual.size(); begin += length) {
    const auto bill = actual.subspan(begin, std::min(length, actual.size() - begin));
    const double availability = judge_promise(quantity, bill).availability;
    const bool is_broken = rule.at_threshold ? availability <= rule.threshold  //
                                             : availability < rule.threshold;
    if (is_broken) paid_back += bill.size();
  }
  return paid_back;
}

double penalty_share(double quantity, std::span<const double> actual, const PenaltyRule& rule) {
  return rule.rate * static_cast<double>(periods_paid_back(quantity, actual, rule)) /
         static_cast<double>(actual.size());
}

PromiseRevenue promise_revenue(double economy, double slack, double penalty,
                               const ClassPrices& prices, bool penalty_on_all) {
  const double promised = economy * prices.economy;
  const double rest = (slack - economy) * prices.opportunistic;
  return {.with_economy =
              penalty_on_all ? (promised + rest) * (1 - penalty) : promised * (1 - penalty) + rest,
          .opportunistic_only = slack * prices.opportunistic};
}

std::optional<double> profit_ratio(const PromiseRevenue& revenue) {
  if (revenue.opportunistic_only <= 0) return std::nullopt;
  return revenue.with_economy / revenue.opportunistic_only;
}

}  // namespace cospot
