#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim_harness/workloads/workload.hpp"
#include "tests/cpp/reference_policies.hpp"
#include "tests/cpp/reference_simulator.hpp"

namespace cospot::reference {

/// The hosts of simulate_life at a moment: who is where, which hosts are out, and which host
/// somebody gets. Every sum is taken anew.
class LifeCloud {
 public:
  LifeCloud(const Workload& workload, const Settings& settings);

  /// Somebody who is or wants to be on a host.
  struct One {
    InstanceIndex id = 0;
    ResourceVector size{};
    bool is_spot = false;
    std::optional<HostIndex> host{};
    std::int64_t came = 0;  ///< a count of all placements: who has the lower number came first
    SimTime placed{0}, paid_until{0}, end{0};
    bool waits = false, ran = false;
    std::optional<SimTime> left{};  ///< nothing: for ever
    SimTime asked{0}, wait{0}, next_try{0};
    int arrived = 0;
  };

  struct Choice {
    std::optional<HostIndex> host{};
    std::vector<InstanceIndex> victims{};
  };

  // Who is where.

  [[nodiscard]] std::vector<const One*> on(HostIndex host, bool spots) const;
  [[nodiscard]] const ResourceVector& total(HostIndex host) const;
  [[nodiscard]] ResourceVector taken(HostIndex host, bool with_spots,
                                     const std::set<InstanceIndex>& without = {}) const;
  [[nodiscard]] bool fits(const One& one, HostIndex host, bool with_spots,
                          const std::set<InstanceIndex>& without = {}) const;
  [[nodiscard]] bool may_be_on(const One& one, HostIndex host) const;

  // Which host.

  [[nodiscard]] std::vector<HostIndex> rank(const One& one) const;
  [[nodiscard]] static double weight(const One& one, const Policy& policy,
                                     const ResourceVector& used, const ResourceVector& of);
  [[nodiscard]] std::size_t offered() const;
  [[nodiscard]] Choice choose(const One& one) const;
  [[nodiscard]] std::pair<std::vector<InstanceIndex>, Revenue> cheapest(const One& one,
                                                                        HostIndex host) const;
  [[nodiscard]] std::pair<std::vector<InstanceIndex>, Revenue> least_loss(
      const One& one, HostIndex host, const std::vector<const One*>& spots) const;

 protected:
  const Workload& workload_;
  const Settings& settings_;
  std::vector<int> outs_;  ///< of each host: for how many reasons it takes nobody
  std::vector<One> all_;
  SimTime now_{0};
};

}  // namespace cospot::reference
