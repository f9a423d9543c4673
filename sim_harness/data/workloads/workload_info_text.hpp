#pragma once

#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"

namespace cospot {

/// The facts as text: one per line, with tables of lifetimes, flavors and hours.
[[nodiscard]] std::string workload_info_text(const Workload& workload, const WorkloadInfo& info,
                                             const VcpusUnit& unit = {});

/// The same facts as one JSON object; times in seconds, null for never.
[[nodiscard]] std::string workload_info_json(const Workload& workload, const WorkloadInfo& info);

}  // namespace cospot
