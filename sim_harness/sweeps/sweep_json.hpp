#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim_harness/sweeps/sweep.hpp"
#include "sim_harness/sweeps/sweep_grid.hpp"

namespace cospot {

/// The sweep as JSON with every default written out, keys in a fixed order: two sweep files that
/// mean the same give the same text, and so the same SHA-256. Workloads count by label (and
/// recipe), not by where their file lies; their bytes have a SHA-256 of their own. A workload's
/// window is its recorded_window.
[[nodiscard]] std::string sweep_json(const Sweep& sweep);

/// One run's configuration as JSON, in the same words.
[[nodiscard]] std::string run_json(const Sweep& sweep, const RunCoordinates& run,
                                   std::size_t hosts);

/// The window that a sweep's record names: the one in force, unless nobody but the data states it
/// and it is kDefaultWindow. So what was computed over the default window is never continued over
/// another, and databases from before windows could be stated stay valid.
[[nodiscard]] std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated,
                                                     SimTime in_force);

/// The keys in which two texts of sweep_json differ, for a sentence: "otn, saf".
[[nodiscard]] std::string describe_difference(const std::string& one, const std::string& other);

}  // namespace cospot
