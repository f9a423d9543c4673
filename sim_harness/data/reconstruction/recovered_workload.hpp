#pragma once

#include <cstdint>
#include <map>

#include "sim_harness/data/reconstruction/recovered_sizes.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "sim_harness/data/workloads/workload_stream.hpp"

namespace cospot {

/// Gives every request of `trace` the recovered size of its VM type and writes it to `output`,
/// without a commit; requests of types without a size are left out. Shows on a terminal how far it
/// is; `requests` says how many there are of each type.
///
/// Errors: InputError for a fault in the trace, a vmId that comes twice among them, and when no
/// request is left.
void write_recovered_workload(PackingTrace& trace, const RecoveredSizes& sizes,
                              const std::map<std::int64_t, std::uint64_t>& requests,
                              WorkloadStream& output);

}  // namespace cospot
