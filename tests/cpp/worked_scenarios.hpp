#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cpp/reference_simulator.hpp"

/// Small workloads worked out with pencil and paper. The reference simulator and the engine must
/// both give exactly these answers. Amounts are (vcpus, memory_mb[, disk_gb]), times are days.
namespace cospot::worked {

/// The answers, worked out beside each scenario.
struct Expected {
  std::vector<HostIndex> placements;  ///< by row; kNoHost: rejected
  std::vector<reference::Eviction> evictions;
};

struct Scenario {
  std::string name;
  Workload workload;
  reference::Settings settings;
  Expected expected;
};

/// Revenue in whole vcpu-days.
struct RevenueScenario {
  std::string name;
  Workload workload;
  reference::Settings settings;
  std::int64_t vm_requested = 0;
  std::int64_t vm_earned = 0;
  std::int64_t spot_requested = 0;
  std::int64_t spot_earned = 0;
};

struct SizingScenario {
  std::string name;
  Workload workload;
  ResourceVector host;
  std::string vm_policy;
  std::size_t hosts = 0;
};

[[nodiscard]] SimTime day(double days);
[[nodiscard]] WorkloadRow vm(ResourceVector resources, SimTime start = day(0),
                             SimTime end = kNever);
[[nodiscard]] WorkloadRow spot(ResourceVector resources, SimTime start = day(0),
                               SimTime end = kNever);
[[nodiscard]] Workload workload_of(std::vector<WorkloadRow> rows);

[[nodiscard]] std::vector<Scenario> ranking_scenarios();   ///< every VM and spot policy
[[nodiscard]] std::vector<Scenario> offer_scenarios();     ///< SAF, OTN, FIFO against LPO
[[nodiscard]] std::vector<Scenario> eviction_scenarios();  ///< which spots go from one host
[[nodiscard]] std::vector<Scenario> event_scenarios();     ///< order of events, rejection
[[nodiscard]] std::vector<Scenario> all_scenarios();       ///< the four above

[[nodiscard]] std::vector<RevenueScenario> revenue_scenarios();
[[nodiscard]] std::vector<SizingScenario> sizing_scenarios();

}  // namespace cospot::worked
