#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `broker`: a customer's jobs on spot markets. Axes: market, jobs, bid, alpha, fault_tolerance,
/// billing, market_choice, seed. Source: Voorsluys and Buyya, 2012.
[[nodiscard]] Study broker_study();

/// The study `classes`: the revenue of idle capacity when servers are sold in classes with
/// guaranteed times to revocation.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016.
[[nodiscard]] Study classes_study();

/// `deadline`: one job with a deadline, on spots with intermittent capacity. Axes: trace, strategy,
/// duration_hours, deadline_hours, overhead_hours, start_hours, spot_price, on_demand_price.
/// Source: Wu et al., "Can't Be Late", NSDI'24.
[[nodiscard]] Study deadline_study();

/// `economy`: how much unused capacity can be promised for months. Each run makes the promises of
/// all prediction cycles of a usage series and checks them against later usage. Axes: usage,
/// forecaster, confidence, price. Source: Carvalho et al., SoCC 2014, section 5.
[[nodiscard]] Study economy_study();

/// Signals that a provider can give its customers (will so many spots fit, how long will one live,
/// will this one be evicted?), scored against what happened.
[[nodiscard]] Study signals_study();

/// Promised lifetimes of spots: how many spots are admitted, and how many of those are evicted too
/// early.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances".
[[nodiscard]] Study sla_study();

}  // namespace cospot
