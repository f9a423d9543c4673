#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim_harness/customer/broker/bid_strategy.hpp"
#include "sim_harness/customer/broker/broker_job.hpp"
#include "sim_harness/customer/broker/fault_tolerance.hpp"
#include "sim_harness/customer/broker/market_choice.hpp"
#include "sim_harness/data/markets/market.hpp"

namespace cospot {

enum class Billing : std::uint8_t {
  kHourly,     ///< an hour costs the price at its start; free if the provider ends it
  kPerSecond,  ///< every second costs the price at that second; at least 60 s are billed
};

/// The broker's settings. Times without a source in the paper are our choice.
struct BrokerSettings {
  const BidStrategy* bid = nullptr;
  const FaultTolerance* fault_tolerance = nullptr;
  const MarketChoice* market_choice = nullptr;
  double alpha = 2;
  Billing billing = Billing::kHourly;
  Seconds start = 0;      ///< submission of the first job, as a time of the price history
  Seconds interval = 60;  ///< between two decisions (T in the paper, which gives no value)
  Seconds boot = 300;     ///< boot time of an instance (B)
  Seconds notice = 0;     ///< from a revocation notice to the end; 120 on today's clouds
  /// True: while U > 0, a job waits for an existing instance and the broker requests none. False:
  /// the broker sends a request with the bid at once (Algorithm 1 as written).
  bool postpones = false;
  /// Runs a job on-demand when it could not survive one more failure.
  bool on_demand_fallback = false;
  /// Runs everything on-demand: the cost without spots.
  bool on_demand_only = false;
};

/// The outcome of a run. Paid instance seconds are the exact sum of useful ones (for finished
/// jobs), lost ones, overhead (booting, saving, restoring) and idle ones.
struct BrokerResult {
  std::uint64_t jobs = 0;
  std::uint64_t completed = 0;
  std::uint64_t deadline_violations = 0;  ///< finished too late, or never
  std::uint64_t unfinished = 0;           ///< waiting for a price that never comes
  std::uint64_t requests = 0;
  std::uint64_t revocations = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t restores = 0;
  MicroUsd cost = 0;
  Seconds paid = 0, useful = 0, lost = 0, overhead = 0, idle = 0;
  Seconds on_demand = 0;  ///< the on-demand part of `paid`
};

/// Receives the events of a run in order.
class BrokerObserver {
 public:
  /// `amount` is a payment, negative for a refund. Markets and jobs are given by number.
  struct Event {
    Seconds time = 0;
    std::string_view what;
    std::int64_t lease = -1;
    std::uint32_t market = kNoMarket;
    std::int64_t job = -1;
    MicroUsd bid = 0;
    MicroUsd amount = 0;
  };

  BrokerObserver() = default;
  BrokerObserver(const BrokerObserver&) = delete;
  BrokerObserver& operator=(const BrokerObserver&) = delete;
  virtual ~BrokerObserver() = default;
  virtual void happened(const Event& event) = 0;
};

/// Runs jobs on spot markets as the paper's broker does. Deterministic. Expects jobs in order of
/// submission. Throws Interrupted when the thread's StopToken requests it.
///
/// Source: Voorsluys and Buyya, sections III and IV; docs/broker.md explains our reading of them.
[[nodiscard]] BrokerResult run_broker(const MarketSet& markets, std::span<const BrokerJob> jobs,
                                      const BrokerSettings& settings,
                                      BrokerObserver* observer = nullptr);

}  // namespace cospot
