#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/run/run_result.hpp"

namespace cospot {

// Measures shared by all studies of the provider's hosts.

[[nodiscard]] inline Column revenue_column(std::string name, std::string meaning) {
  return {.name = std::move(name), .unit = "vcpu-seconds", .meaning = std::move(meaning)};
}

/// A difference of revenues. Views cannot compute it from rounded revenues, which are far larger.
/// The CSV leaves it out, because it has both revenues.
template <class Result, class Get>
[[nodiscard]] Measure<Result> revenue_difference(std::string name, std::string meaning, Get get) {
  Column column = revenue_column(std::move(name), std::move(meaning));
  column.role = ColumnRole::kDetail;
  return measure<Result>(std::move(column), get);
}

/// Adds `PREFIX_revenue_requested`, `PREFIX_revenue` and `PREFIX_revenue_lost` of the instances
/// `of`.
template <class Result, class Requested, class Earned>
void add_revenue(std::vector<Measure<Result>>& all, const std::string& prefix,
                 const std::string& of, Requested requested, Earned earned) {
  const std::string name = prefix + "_revenue";
  all.push_back(
      measure<Result>(revenue_column(name + "_requested", "requested by " + of), requested));
  all.push_back(measure<Result>(revenue_column(name, "earned by " + of), earned));
  all.push_back(revenue_difference<Result>(
      name + "_lost", fmt::format("requested by {} and not earned", of), [=](const Result& result) {
        return std::invoke(requested, result) - std::invoke(earned, result);
      }));
}

// Fractions of the requested revenue: lost by VMs, earned by spots.
inline constexpr Figure kVmLoss{.name = "vm_loss",
                                .title = "VM loss",
                                .decimals = 3,
                                .meaning = "of what was requested",
                                .better = Better::kLow,
                                .is_part = true};
inline constexpr Figure kSpotShare{.name = "spot_share",
                                   .title = "spot revenue",
                                   .decimals = 3,
                                   .meaning = "of what was requested",
                                   .better = Better::kHigh,
                                   .is_part = true};

/// Adds a count with its unit.
template <class Result, class Get>
void add_count(std::vector<Measure<Result>>& all, const std::string& name, const std::string& unit,
               const std::string& meaning, Get get) {
  all.push_back(measure<Result>({.name = name, .unit = unit, .meaning = meaning}, get));
}

/// The revenue columns of a RunResult.
[[nodiscard]] std::vector<Measure<RunResult>> run_revenue();

/// The counts and revenue of a RunResult. Studies describe rejections, admissions and evictions in
/// their own words.
[[nodiscard]] std::vector<Measure<RunResult>> run_measures(const char* vm_rejected,
                                                           const char* spot_admitted,
                                                           Column evictions);

}  // namespace cospot
