#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/schedulers/scheduler_result.hpp"
#include "sim_harness/schedulers/scheduler_settings.hpp"
#include "sim_harness/workloads/workload.hpp"
#include "tests/cpp/reference_simulator.hpp"

/// The slow simulator of several schedulers for the tests: it keeps a copy of the whole datacenter
/// after every change, hands whole copies to the schedulers, and recomputes every sum from the
/// instances. VMs are placed by UTIL, spots by sUTIL, evictions are FIFO's.
namespace cospot::reference {

struct SchedulersCase {
  ResourceVector host{};
  std::size_t hosts = 0;
  bool saf = false;
  std::size_t otn = 1;
  SchedulerSettings schedulers{};
};

struct SchedulersOutcome {
  std::vector<Event> events;  ///< placed, evicted and rejected
  SchedulerResult result;
};

[[nodiscard]] SchedulersOutcome simulate_schedulers(const Workload& workload,
                                                    const SchedulersCase& settings);

}  // namespace cospot::reference
