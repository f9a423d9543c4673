#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// A spot from its placement on.
struct SpotLife {
  InstanceIndex instance = 0;
  std::size_t pool = 0;  ///< that of its flavor, anywhere
  SimTime placed_at{0};
  SimTime ended_at = kNever;  ///< kNever: it runs
  bool is_evicted = false;    ///< else it ended by itself, or with its host

  [[nodiscard]] bool is_evicted_before(SimTime time) const { return is_evicted && ended_at < time; }
};

/// How spots of a flavor were evicted since time 0. What came before the window fills an empty
/// datacenter, and says nothing of one that is in use.
struct EvictionRate {
  std::uint64_t spots = 0;      ///< that ran at some time
  std::uint64_t ended = 0;      ///< of them, evicted ones included
  std::uint64_t evictions = 0;  ///< of them
  double spot_hours = 0;
  std::uint64_t recent_spots = 0;      ///< that ran at some time in the last 28 days
  std::uint64_t recent_evictions = 0;  ///< of them, evicted in these days

  void add(const EvictionRate& other);

  friend bool operator==(const EvictionRate&, const EvictionRate&) = default;
};

/// Every spot of a run, as far as it has come. One that returns after an eviction is another life.
class SpotLives {
 public:
  void placed(InstanceIndex instance, std::size_t pool, SimTime time);
  /// Of an instance that is no spot of a known flavor: nothing.
  void ended(InstanceIndex instance, SimTime time, bool is_evicted);

  [[nodiscard]] std::span<const SpotLife> all() const { return lives_; }
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  /// The life of an instance that runs; null: it is no running spot of a known flavor.
  [[nodiscard]] const SpotLife* find_running(InstanceIndex instance) const {
    const auto found = running_.find(instance);
    return found == running_.end() ? nullptr : &lives_[found->second];
  }
  /// Where a life stands in all(), for good.
  [[nodiscard]] std::size_t number_of(const SpotLife& life) const {
    return static_cast<std::size_t>(&life - lives_.data());
  }

  /// Up to `now`, by pool: the first `pools` of them.
  [[nodiscard]] std::vector<EvictionRate> rates(std::size_t pools, SimTime now) const;

 private:
  std::vector<SpotLife> lives_;
  std::unordered_map<InstanceIndex, std::size_t> running_;  // never iterated
};

}  // namespace cospot
