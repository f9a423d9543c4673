#include "guarantees/pricing/fixed_interval.hpp"

#include <fmt/format.h>

#include <limits>

namespace cospot {

FixedInterval assuming_mttr(double mttr_hours, double checkpoint_hours) {
  return {.interval_hours = optimal_interval(checkpoint_hours, mttr_hours)};
}

std::vector<FixedSale> sales_without_guarantees(double checkpoint_hours) {
  std::vector<FixedSale> sales;
  for (const double assumed : {0.5, 12.0, 24.0}) {
    sales.push_back(
        {fmt::format("GCE, {} h assumed", assumed), assuming_mttr(assumed, checkpoint_hours)});
  }
  for (const double extra : {0.0, 0.25, 0.5, 1.0}) {
    sales.push_back({fmt::format("EC2, hourly, +{:.0f}% revocations", 100 * extra),
                     {.interval_hours = 1, .extra_volatility = extra}});
  }
  return sales;
}

double useful_hours(const IdleCapacity& capacity, const FixedInterval& sold,
                    double checkpoint_hours) {
  const ClassSums all = capacity.all();
  const double revocations = all.revocations * (1 + sold.extra_volatility);
  const double mttr =
      revocations == 0 ? std::numeric_limits<double>::infinity() : all.idle_hours / revocations;
  return all.idle_hours * performance(checkpoint_hours, mttr, sold.interval_hours);
}

double revenue(const IdleCapacity& capacity, const FixedInterval& sold,
               const ClassPricing& pricing) {
  const double idle = capacity.all().idle_hours;
  const double useful = useful_hours(capacity, sold, pricing.checkpoint_hours);
  return idle > 0 ? idle * price(pricing.rule, useful / idle) : 0;
}

}  // namespace cospot
