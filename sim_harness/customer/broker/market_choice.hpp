#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim_harness/customer/broker/bid_strategy.hpp"
#include "sim_harness/data/markets/market.hpp"

namespace cospot {

/// No market.
inline constexpr std::uint32_t kNoMarket = static_cast<std::uint32_t>(-1);

/// What a market is chosen for.
struct MarketQuestion {
  const MarketSet* markets = nullptr;
  const BidStrategy* bid = nullptr;
  Seconds now = 0;
  Seconds boot = 0;
  bool on_demand = false;             ///< an on-demand instance: list prices count
  std::span<const Seconds> expected;  ///< run time, by type; kDoesNotFit: of too little memory
  std::uint32_t preferred_type = 0;
  std::uint32_t avoid = kNoMarket;        ///< where the job's replica runs
  std::span<const std::uint32_t> leases;  ///< the broker's own, by market
};

/// Where to ask for an instance for a job. A const object without state.
class MarketChoice {
 public:
  MarketChoice() = default;
  MarketChoice(const MarketChoice&) = delete;
  MarketChoice& operator=(const MarketChoice&) = delete;
  virtual ~MarketChoice() = default;

  /// A market other than `avoid` on whose type the job fits; kNoMarket only where there is none.
  [[nodiscard]] std::uint32_t choose(const MarketQuestion& question) const;

 protected:
  /// The market with the least value is chosen; of equals, the first.
  [[nodiscard]] virtual double value(const MarketQuestion& question,
                                     std::uint32_t market) const = 0;
};

/// The paper's: the job's preferred type in the datacenter where it is cheapest now; other types
/// only where there is no other market.
class PreferredType final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// Where the hours that the job is expected to take cost least now, whatever the type.
class CheapestHours final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// The same, with the work that is expected to be lost: a job that fails on the mean every
/// `lifetime` is done again from the start, so its time grows as in a process without memory,
/// lifetime x (exp(time / lifetime) - 1). The lifetime is what the last week shows for the bid.
class QuotedLifetime final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// The same, by the lifetime that the provider's signals tell; without them, as QuotedLifetime.
class SignalledLifetime final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// Of the markets that cost at most a tenth more than the cheapest, the one with fewest leases of
/// our own: one rise of a price takes less of them.
class Diversified final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

struct MarketChoiceEntry {
  std::string_view name;
  std::string_view summary;
  const MarketChoice* choice;
  bool uses_signals = false;
};

[[nodiscard]] std::span<const MarketChoiceEntry> market_choices();

}  // namespace cospot
