#pragma once

#include "core/model/host_table.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

/// What `settings` come to on these hosts with this workload. Errors: WorkloadError with
/// `file:line:` when a file names a host or a request that there is not, resizes a spot, or
/// resizes a VM outside its life; ConfigError for more random outages than anybody means.
[[nodiscard]] LifePlan make_life_plan(const LifeSettings& settings, const Workload& workload,
                                      const HostTable& hosts);

}  // namespace cospot
