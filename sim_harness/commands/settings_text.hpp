#pragma once

#include <string>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

// The lines in which `run` and `size` print their settings.

/// The capacity of one host.
[[nodiscard]] std::string host_text(const ResourceVector& host, const VcpusUnit& unit);

/// A line with the window; empty for an unstated default.
[[nodiscard]] std::string window_text(const Workload& workload);

}  // namespace cospot
