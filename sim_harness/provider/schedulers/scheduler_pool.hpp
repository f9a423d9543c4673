#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"
#include "core/random.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/schedulers/change_log.hpp"
#include "sim_harness/provider/schedulers/scheduler_result.hpp"
#include "sim_harness/provider/schedulers/scheduler_settings.hpp"
#include "sim_harness/provider/schedulers/scheduler_view.hpp"

namespace cospot {

/// The reason for which an instance requests a host.
enum class AskKind : std::uint8_t { kArrival, kRetry, kEvacuation };

/// A queued request, with the time at which it was made.
struct Ask {
  InstanceIndex instance = 0;
  AskKind kind = AskKind::kArrival;
  SimTime since{0};
};

/// A scheduler, its queue, and the request that it is deciding.
struct Scheduler {
  Scheduler(const ProviderHosts& datacenter, const Placements& placements, const ChangeLog& log,
            std::uint64_t seed)
      : view(datacenter, placements, log), random(seed) {}

  SchedulerView view;
  Random random;
  std::deque<Ask> waiting;
  bool is_busy = false;
  Ask asked;
  SimTime begun{0};  // start of the decision; of the last one if there were several
  std::size_t retries = 0;
  std::vector<HostIndex> declined;  // hosts to leave out
};

/// The schedulers of a datacenter, the changes they have not seen yet, and their decisions'
/// outcomes. Each takes its assigned requests one at a time in order, decides on its own view by
/// the handshake, and commits to the datacenter, which may decline. Rules and rationale:
/// docs/semantics.md ("Several schedulers").
class SchedulerPool {
 public:
  /// `settings`, `tenant_of` and the (empty) datacenter outlive it.
  SchedulerPool(const ProviderHosts& datacenter, const Placements& placements,
                const SchedulerSettings& settings, std::span<const std::uint32_t> tenant_of);

  [[nodiscard]] const SchedulerSettings& settings() const { return *settings_; }
  [[nodiscard]] std::size_t size() const { return schedulers_.size(); }
  [[nodiscard]] Scheduler& operator[](std::size_t number) { return *schedulers_[number]; }

  /// The number of the scheduler to which a new request of this instance is assigned.
  [[nodiscard]] std::size_t assign(InstanceIndex instance);
  /// Updates the view of a scheduler that starts on a request.
  void refresh(std::size_t number, SimTime now);
  /// Records a change of the datacenter.
  void note(const HostChange& change) { log_.add(change); }

  SchedulerResult result;

 private:
  void forget_known_changes();

  const SchedulerSettings* settings_;
  std::span<const std::uint32_t> tenant_of_;
  ChangeLog log_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;
  std::uint64_t asks_ = 0;
};

/// Numbers the tenants of a workload's rows in order of first appearance.
[[nodiscard]] std::vector<std::uint32_t> tenant_numbers(const Workload& workload);

}  // namespace cospot
