#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// One life of a spot, from its placement on.
struct SpotLife {
  InstanceIndex instance = 0;
  std::size_t pool = 0;  ///< the pool of its flavor in any zone
  SimTime placed_at{0};
  SimTime ended_at = kNever;  ///< kNever: still running
  bool is_evicted = false;    ///< false: ended by itself, or with its host

  [[nodiscard]] bool is_evicted_before(SimTime time) const { return is_evicted && ended_at < time; }
};

/// Evictions of the spots of a flavor since time 0. Events before the window only fill an empty
/// datacenter and say nothing about one in use.
struct EvictionRate {
  std::uint64_t spots = 0;  ///< that ran at some time
  std::uint64_t ended = 0;  ///< including evicted ones
  std::uint64_t evictions = 0;
  double spot_hours = 0;
  std::uint64_t recent_spots = 0;      ///< that ran at some time in the last 28 days
  std::uint64_t recent_evictions = 0;  ///< in the last 28 days

  void add(const EvictionRate& other);

  friend bool operator==(const EvictionRate&, const EvictionRate&) = default;
};

/// All spot lives of a run so far. A spot that returns after an eviction starts another life.
class SpotLives {
 public:
  void placed(InstanceIndex instance, std::size_t pool, SimTime time);
  /// Ignores an instance that is not a spot of a known flavor.
  void ended(InstanceIndex instance, SimTime time, bool is_evicted);

  [[nodiscard]] std::span<const SpotLife> all() const { return lives_; }
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  /// The life of a running instance; null if it is not a running spot of a known flavor.
  [[nodiscard]] const SpotLife* find_running(InstanceIndex instance) const {
    const auto found = running_.find(instance);
    return found == running_.end() ? nullptr : &lives_[found->second];
  }
  /// The permanent index of a life in all().
  [[nodiscard]] std::size_t number_of(const SpotLife& life) const {
    return static_cast<std::size_t>(&life - lives_.data());
  }

  /// Rates up to `now` for the first `pools` pools.
  [[nodiscard]] std::vector<EvictionRate> rates(std::size_t pools, SimTime now) const;

 private:
  std::vector<SpotLife> lives_;
  std::unordered_map<InstanceIndex, std::size_t> running_;  // never iterated
};

}  // namespace cospot
