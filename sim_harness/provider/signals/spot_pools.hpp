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

/// The subject of a signal: a flavor of spots, in any zone or in one.
struct SpotPool {
  ResourceVector size;
  std::string zone{};  ///< empty: any zone

  friend bool operator==(const SpotPool&, const SpotPool&) = default;
};

/// The number of spots of each pool that still fit, updated as hosts change. A pool exists from the
/// first request for its flavor, so that nothing is known of future flavors. With several zones,
/// each zone has its own pool too.
class SpotPools {
 public:
  /// Later flavors are ignored: a workload may have as many flavors as requests.
  static constexpr std::size_t kMostFlavors = 32;

  explicit SpotPools(const HostView& hosts);

  /// Adds the pools of a flavor, unless they exist or there are already kMostFlavors.
  void add(const ResourceVector& size, const HostView& hosts);

  /// Recounts a host.
  void update(HostIndex host, const HostView& hosts);
  void update_all(const HostView& hosts);

  [[nodiscard]] std::span<const SpotPool> pools() const { return pools_; }
  [[nodiscard]] std::int64_t slots(std::size_t pool) const { return slots_[pool]; }
  /// The free share of the scarcest resource over all hosts.
  [[nodiscard]] double free_share() const;
  /// The pool of a flavor in any zone; none if there is no such pool.
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
  std::vector<ResourceVector> free_on_;    // per host
  std::vector<std::string> zones_;         // empty: at most one zone
  std::vector<std::size_t> zone_of_host_;  // index into zones_; its size: no zone
  std::vector<ResourceVector> flavors_;
  std::vector<std::vector<std::int64_t>> slots_on_;  // [flavor][host]
  std::vector<SpotPool> pools_;                      // for each flavor: any zone, then each zone
  std::vector<std::int64_t> slots_;
};

}  // namespace cospot
