#pragma once

#include <cstddef>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "tests/cpp/reference_simulator.hpp"

namespace cospot {

/// Hosts of three sizes, in two zones, some with metadata, one kept for a tenant.
[[nodiscard]] std::vector<reference::HostSettings> random_cloud(Random& random, std::size_t hosts);

/// Lets some of the requests ask for zones, metadata and groups.
void ask_for_places(Random& random, Workload& workload);

}  // namespace cospot
