#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot {

/// What a customer asks signals of: a flavor of spots, anywhere or in a zone.
struct SpotPool {
  ResourceVector size;
  std::string zone{};  ///< empty: anywhere

  friend bool operator==(const SpotPool&, const SpotPool&) = default;
};

/// How many more spots of each pool fit beside all that runs, kept in step with the hosts that
/// change. A pool exists from the first request for its flavor on, so that nothing is known of
/// flavors to come; in each zone, where hosts stand in several.
class SpotPools {
 public:
  /// Of flavors behind this one nothing is said: a workload may have as many as requests.
  static constexpr std::size_t kMostFlavors = 32;

  explicit SpotPools(const HostView& hosts);

  /// Adds the pools of a flavor unless they are there, or kMostFlavors others are.
  void add(const ResourceVector& size, const HostView& hosts);

  /// Counts a host anew.
  void update(HostIndex host, const HostView& hosts);
  void update_all(const HostView& hosts);

  [[nodiscard]] std::span<const SpotPool> pools() const { return pools_; }
  [[nodiscard]] std::int64_t slots(std::size_t pool) const { return slots_[pool]; }
  /// What is free beside all that runs of the scarcest resource of all hosts together.
  [[nodiscard]] double free_share() const;
  /// That of a flavor anywhere. Nothing: it has none.
  [[nodiscard]] std::optional<std::size_t> find(const ResourceVector& size) const;

 private:
  [[nodiscard]] std::size_t pools_of_flavor() const {
    return zones_.empty() ? 1 : zones_.size() + 1;
  }

  struct Sum {
    double vcpus = 0, memory_mb = 0;
    void add(const ResourceVector& amount) {
      vcpus += amount.vcpus;
      memory_mb += amount.memory_mb;
    }
  };

  Sum total_;
  Sum free_;
  std::vector<ResourceVector> free_on_;    // of each host
  std::vector<std::string> zones_;         // empty: one at most
  std::vector<std::size_t> zone_of_host_;  // in zones_; their number: none
  std::vector<ResourceVector> flavors_;
  std::vector<std::vector<std::int64_t>> slots_on_;  // [flavor][host]
  std::vector<SpotPool> pools_;                      // of each flavor: anywhere, then in each zone
  std::vector<std::int64_t> slots_;
};

}  // namespace cospot
