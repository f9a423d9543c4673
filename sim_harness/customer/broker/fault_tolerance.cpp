// The mechanisms of fault tolerance of the study `broker`. A new one is its class, and its row
// here.
#include "sim_harness/customer/broker/fault_tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim_harness/customer/broker/bid_strategy.hpp"

namespace cospot {
namespace {

const NoFaultTolerance kNoTolerance;
const HourlyCheckpoint kCheckpoint;
const Migration kMigration;
const Duplication kDuplication;
const OptimalInterval kInterval;

Seconds optimal_interval(Seconds save, Seconds lifetime) {
  const double optimum = std::sqrt(2.0 * static_cast<double>(save * lifetime));
  return std::max<Seconds>(60, std::llround(optimum));
}

const std::array kFaultTolerances{
    FaultToleranceEntry{"none", "A failed job starts again.", &kNoTolerance},
    FaultToleranceEntry{"checkpoint", "Hourly snapshots; waits until the request is in bid again.",
                        &kCheckpoint},
    FaultToleranceEntry{"migration", "Hourly snapshots; moves to the cheapest place.", &kMigration},
    FaultToleranceEntry{"duplication", "Long jobs run twice, in two markets.", &kDuplication},
    FaultToleranceEntry{"interval", "Migration with snapshots at the optimal interval.",
                        &kInterval}};

}  // namespace

double save_time(double memory_mb) { return memory_mb / kSaveMbPerSecond; }

double restore_time(double memory_mb, bool same_datacenter) {
  return memory_mb / (same_datacenter ? kRestoreMbPerSecond : kFarRestoreMbPerSecond);
}

Seconds observed_lifetime(const PriceSeries& prices, MicroUsd bid, Seconds now) {
  const PriceSeries::InBid past = prices.in_bid(bid, now - kBidWindow, now);
  return std::max<Seconds>(60, past.below / std::max<std::int64_t>(past.revocations, 1));
}

Seconds OptimalInterval::interval(const SnapshotContext& context) const {
  return optimal_interval(context.save,
                          observed_lifetime(*context.prices, context.bid, context.now));
}

std::span<const FaultToleranceEntry> fault_tolerance_mechanisms() { return kFaultTolerances; }

}  // namespace cospot
