#pragma once

#include <string>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

// The lines with which `run` and `size` tell what they went by.

/// What one host has.
[[nodiscard]] std::string host_text(const ResourceVector& host, const VcpusUnit& unit);

/// A line that tells the window, unless it is the default one that nobody stated.
[[nodiscard]] std::string window_text(const Workload& workload);

}  // namespace cospot
