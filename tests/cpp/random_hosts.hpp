#pragma once

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/random.hpp"

namespace cospot {

/// Hosts in every state: idle, full, with VMs only, with spots only; of one size, or of several.
/// Small numbers, so that equal weights are common.
[[nodiscard]] HostTable random_hosts(Random& random, std::size_t count, bool of_one_size);

/// Asks for up to a third of the largest hosts of random_hosts; some amounts may be 0, never all.
[[nodiscard]] Request random_request(Random& random);

}  // namespace cospot
