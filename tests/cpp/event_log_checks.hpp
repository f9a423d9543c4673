#pragma once

#include <string>
#include <vector>

#include "tests/cpp/reference_simulator.hpp"

namespace cospot::reference {

/// Replays an event log and says, one sentence each, what in it cannot be:
///   - every row is placed or rejected once, at its start, in the order of arrival;
///   - placed = ended + evicted + alive; who is alive at the end never ends;
///   - who ends does so at its end, and before any request at that time or later;
///   - a host never holds more than its capacity;
///   - only spots are evicted, right before a VM that does not fit their host beside them;
///   - a request is rejected only when no host is feasible;
///   - no eviction where another host needs none, with SAF on or every host offered;
///   - with FIFO and every host offered, as few victims as on any feasible host;
///   - the counts and the revenue of `result` are those of the log.
/// An empty answer means all is well. The simulator's own decisions are not recomputed.
[[nodiscard]] std::vector<std::string> find_violations(const Workload& workload,
                                                       const Settings& settings,
                                                       const std::vector<Event>& events,
                                                       const RunResult& result);

}  // namespace cospot::reference
