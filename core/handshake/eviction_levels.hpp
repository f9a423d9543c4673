#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/running_spot.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// Which instances of lower priority levels are evicted on one host, and what that costs.
struct LevelPlan {
  std::vector<std::uint32_t> victims;  ///< positions among the instances, ascending
  std::vector<double> scores;          ///< of each level, the highest first

  /// Evicting less of a higher level is better, whatever it costs of the lower ones.
  [[nodiscard]] bool is_better_than(const LevelPlan& other) const { return scores < other.scores; }
};

/// Plans evictions among instances of several priority levels, each level by one evictor. An
/// instance of a level is only evicted where all instances of the lower ones together do not
/// suffice; then the levels above get by with what the lower ones leave missing, and the lower ones
/// free no more than is missing then.
class LevelEvictions {
 public:
  /// `evictor` outlives it. `levels`: how many there are, the highest (0) included.
  LevelEvictions(const Evictor& evictor, std::size_t levels);

  /// Plans for an instance of level `displacing` that misses `shortfall` on a host. `levels` are
  /// those of `instances`, which are of lower levels, oldest placement first. Returns false when
  /// all of them are not enough.
  ///
  /// Errors: PolicyError when the evictor's plan does not free enough.
  bool make_plan(std::span<const RunningSpot> instances, std::span<const std::uint8_t> levels,
                 std::size_t displacing, const ResourceVector& shortfall, SimTime now,
                 LevelPlan& plan);

 private:
  struct Level {
    std::vector<RunningSpot> instances;
    std::vector<std::uint32_t> positions;
    ResourceVector sum;
  };

  void sort_by_level(std::span<const RunningSpot> instances, std::span<const std::uint8_t> levels);
  bool plan_level(std::size_t level, const ResourceVector& shortfall, SimTime now, LevelPlan& plan,
                  ResourceVector& freed);

  const Evictor* evictor_;
  std::vector<Level> levels_;
  EvictionPlan scratch_;
};

}  // namespace cospot
