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

/// The input of a market choice.
struct MarketQuestion {
  const MarketSet* markets = nullptr;
  const BidStrategy* bid = nullptr;
  Seconds now = 0;
  Seconds boot = 0;
  bool on_demand = false;             ///< an on-demand instance: list prices apply
  std::span<const Seconds> expected;  ///< run time, by type; kDoesNotFit: too little memory
  std::uint32_t preferred_type = 0;
  std::uint32_t avoid = kNoMarket;        ///< where the job's replica runs
  std::span<const std::uint32_t> leases;  ///< the broker's own, by market
};

/// Chooses the market in which to request an instance for a job. A const object without state.
class MarketChoice {
 public:
  MarketChoice() = default;
  MarketChoice(const MarketChoice&) = delete;
  MarketChoice& operator=(const MarketChoice&) = delete;
  virtual ~MarketChoice() = default;

  /// A market other than `avoid` with a type that fits the job; kNoMarket only if there is none.
  [[nodiscard]] std::uint32_t choose(const MarketQuestion& question) const;

 protected:
  /// The market with the lowest value wins; ties: the first.
  [[nodiscard]] virtual double value(const MarketQuestion& question,
                                     std::uint32_t market) const = 0;
};

/// The paper's rule: the job's preferred type in the datacenter where it is cheapest now; other
/// types only if no market sells it.
class PreferredType final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// Lowest current price of the job's expected hours, on any type.
class CheapestHours final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// The same, including the work that is expected to be lost. A job that fails every `lifetime` on
/// average restarts from the beginning, so its time grows as in a memoryless process: lifetime x
/// (exp(time / lifetime) - 1). The lifetime is the one observed last week for the bid.
class QuotedLifetime final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

/// Among the markets at most a tenth dearer than the cheapest, the one with the fewest leases of
/// this broker, so that one price rise revokes fewer of them.
class Diversified final : public MarketChoice {
  [[nodiscard]] double value(const MarketQuestion& question, std::uint32_t market) const override;
};

struct MarketChoiceEntry {
  std::string_view name;
  std::string_view summary;
  const MarketChoice* choice;
};

[[nodiscard]] std::span<const MarketChoiceEntry> market_choices();

}  // namespace cospot
