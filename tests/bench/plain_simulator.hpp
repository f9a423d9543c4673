#pragma once

#include <cstddef>
#include <cstdint>

#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The simulator one would write first, with some care: every request scans all hosts, in one
/// file, with nothing kept in order and nothing shared between runs. It is what the engine's speed
/// is measured against, and must give the same counts and revenue. Only LPO's search is the
/// product's own. Times are left 0.
///
/// `by_blocks`: hosts are scored 64 at a time by vector instructions, and only a block with a host
/// that belongs among the best is looked at one by one.
///
/// `settings` names policies of the paper (UTIL COS DPD with their s and vma forms; FIFO, LPO).
/// Hosts have no disk.
[[nodiscard]] RunResult simulate_plainly(const EventSchedule& schedule, const RunSettings& settings,
                                         bool by_blocks);

/// Counts for every request the hosts that hold it, and does nothing else: what a scan costs at
/// least. Returns the sum.
[[nodiscard]] std::int64_t pass_over_hosts(const EventSchedule& schedule, std::size_t hosts);

}  // namespace cospot
