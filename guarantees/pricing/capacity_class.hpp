#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "guarantees/pricing/checkpoint_model.hpp"
#include "guarantees/pricing/server_idle.hpp"

namespace cospot {

/// The definition of "the average MTTR of the servers of a class". The paper leaves it open; its
/// numbers fit the first.
enum class MttrRule : bool {
  kPooled,  ///< idle time of all servers / revocations of all
  kMean,    ///< the mean of their MTTRs; a server without a revocation counts as one with one
};

/// The rules by which a class is valued.
struct ClassPricing {
  double checkpoint_hours = 10.0 / 60;
  MttrRule mttr = MttrRule::kPooled;
  PriceRule rule = PriceRule::kUtility;
};

/// The sums over some servers. A server counts by its size, of which the mean over all ranks is 1:
/// an hour, or a revocation, of a server that holds twice as much counts twice.
struct ClassSums {
  double servers = 0;  ///< how many there are
  double size = 0;     ///< what they hold
  double idle_hours = 0;
  double revocations = 0;
  double mttr_hours = 0;  ///< summed over the servers

  [[nodiscard]] double mttr(MttrRule rule) const;  ///< infinite without a revocation
  [[nodiscard]] double performance(const ClassPricing& pricing) const;
  [[nodiscard]] double price(const ClassPricing& pricing) const;
  /// The revenue, in server-hours at the on-demand price, when all idle time is sold.
  [[nodiscard]] double revenue(const ClassPricing& pricing) const;

  friend ClassSums operator-(const ClassSums& a, const ClassSums& b) {
    return {a.servers - b.servers, a.size - b.size, a.idle_hours - b.idle_hours,
            a.revocations - b.revocations, a.mttr_hours - b.mttr_hours};
  }
};

/// The servers that have usable idle time, in the order of their rank, ready to be cut into
/// classes. Those without (always busy) have nothing to sell.
class IdleCapacity {
 public:
  explicit IdleCapacity(std::span<const ServerIdle> ranks);

  /// The number of servers.
  [[nodiscard]] std::size_t size() const { return sums_.size() - 1; }
  /// The number of ranks, those without idle time among them.
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  /// The sums from `first` to before `last`, counted from the most volatile.
  [[nodiscard]] ClassSums between(std::size_t first, std::size_t last) const {
    ClassSums sums = sums_[last] - sums_[first];
    sums.size /= mean_size_;
    sums.idle_hours /= mean_size_;
    sums.revocations /= mean_size_;
    sums.mttr_hours /= mean_size_;
    return sums;
  }
  [[nodiscard]] ClassSums all() const { return between(0, size()); }
  /// The rank (from 0) of a server.
  [[nodiscard]] std::size_t rank(std::size_t server) const { return rank_[server]; }

  /// Every server in a class of its own: nothing is worth more with pooled MTTR.
  [[nodiscard]] double most_revenue(const ClassPricing& pricing) const;
  /// Its performance, in useful server-hours.
  [[nodiscard]] double most_useful_hours(const ClassPricing& pricing) const;

 private:
  std::size_t ranks_;
  double mean_size_ = 1;  ///< of all ranks
  std::vector<std::size_t> rank_;
  /// The sums over the first servers, sizes as they were given: sums of whole numbers, so that a
  /// difference without a revocation is exactly 0.
  std::vector<ClassSums> sums_;
};

}  // namespace cospot
