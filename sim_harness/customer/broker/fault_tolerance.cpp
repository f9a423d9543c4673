// The mechanisms of fault tolerance of the study `broker`. A new one is its class, and its row
// here.
#include "sim_harness/customer/broker/fault_tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim_harness/customer/broker/bid_strategy.hpp"

namespace cospot {
namespace {

const NoFaultTolerance kNone;
const HourlyCheckpoint kCheckpoint;
const Migration kMigration;
const Duplication kDuplication;
const OptimalInterval kInterval;

const std::array kFaultTolerances{
    FaultToleranceEntry{"none", "A failed job starts again.", &kNone},
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
  const Seconds lifetime = observed_lifetime(*context.prices, context.bid, context.now);
  const double optimum = std::sqrt(2.0 * static_cast<double>(context.save * lifetime));
  return std::max<Seconds>(60, std::llround(optimum));
}

std::span<const FaultToleranceEntry> fault_tolerance_mechanisms() { return kFaultTolerances; }

}  // namespace cospot
