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
  kPerSecond,  ///< every second costs the price then; 60 s at least
};

/// How a broker works. Times without a source in the paper are settings.
struct BrokerSettings {
  const BidStrategy* bid = nullptr;
  const FaultTolerance* fault_tolerance = nullptr;
  const MarketChoice* market_choice = nullptr;
  double alpha = 2;
  Billing billing = Billing::kHourly;
  Seconds start = 0;      ///< of the first job, in the price history
  Seconds interval = 60;  ///< between two decisions (T in the paper, which does not state it)
  Seconds boot = 300;     ///< of an instance (B)
  Seconds notice = 0;     ///< from a revocation to its end; 120 on today's clouds
  /// True: while U > 0 a job waits for an instance that is there already, and nothing is requested.
  /// False: a request with the bid goes out at once (Algorithm 1 as it is written).
  bool postpones = false;
  /// A job that could not survive one more failure runs on-demand.
  bool on_demand_fallback = false;
  /// Everything runs on-demand: what it would cost without spots.
  bool on_demand_only = false;
};

/// What a run came to. Seconds of instances that were paid are useful (for jobs that were
/// finished), lost, overhead (booting, saving, restoring) or idle: exactly.
struct BrokerResult {
  std::uint64_t jobs = 0;
  std::uint64_t completed = 0;
  std::uint64_t deadline_violations = 0;  ///< done too late, or never
  std::uint64_t unfinished = 0;           ///< waits for a price that never comes
  std::uint64_t requests = 0;
  std::uint64_t revocations = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t restores = 0;
  MicroUsd cost = 0;
  Seconds paid = 0, useful = 0, lost = 0, overhead = 0, idle = 0;
  Seconds on_demand = 0;  ///< paid, of it on-demand
};

/// Is told what happens, in the order in which it does.
class BrokerObserver {
 public:
  /// `amount`: what is paid; negative: what is given back. Markets and jobs by their numbers.
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

/// Runs jobs on spot markets as the paper's broker does. Deterministic. Jobs are in order of
/// submission. Throws Interrupted when the thread's StopToken asks.
///
/// Source: Voorsluys and Buyya, sections III and IV; docs/broker.md says how it was read.
[[nodiscard]] BrokerResult run_broker(const MarketSet& markets, std::span<const BrokerJob> jobs,
                                      const BrokerSettings& settings,
                                      BrokerObserver* observer = nullptr);

}  // namespace cospot
