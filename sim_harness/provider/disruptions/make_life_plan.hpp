#pragma once

#include "core/model/host_table.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

/// Applies `settings` to these hosts and this workload. Errors: WorkloadError with `file:line:` if
/// a file names an unknown host or request, resizes a spot, or resizes a VM outside its lifetime;
/// ConfigError for an implausible number of random outages.
[[nodiscard]] LifePlan make_life_plan(const LifeSettings& settings, const Workload& workload,
                                      const HostTable& hosts);

}  // namespace cospot
