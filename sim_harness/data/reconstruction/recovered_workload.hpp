#pragma once

#include <cstdint>
#include <map>

#include "sim_harness/data/reconstruction/recovered_sizes.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "sim_harness/data/workloads/workload_stream.hpp"

namespace cospot {

/// Writes the requests of `trace` with the recovered sizes of their VM types to `output`, without a
/// commit; drops requests of types without a size. Shows progress on a terminal; `requests` is the
/// number of requests per type.
///
/// Errors: InputError for a fault in the trace, for a duplicate vmId, and if no request is left.
void write_recovered_workload(PackingTrace& trace, const RecoveredSizes& sizes,
                              const std::map<std::int64_t, std::uint64_t>& requests,
                              WorkloadStream& output);

}  // namespace cospot
