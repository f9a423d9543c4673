#pragma once

#include <cstddef>
#include <string>

#include "sim_harness/studies/compare/sweep.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"

namespace cospot {

/// The sweep as JSON with every default written out, keys in a fixed order: two sweep files that
/// mean the same give the same text, and so the same SHA-256. Workloads count by label (and
/// recipe), not by where their file lies; their bytes have a SHA-256 of their own. A workload's
/// window is its recorded_window.
[[nodiscard]] std::string sweep_json(const Sweep& sweep);

/// One run's configuration as JSON, in the same words.
[[nodiscard]] std::string run_json(const Sweep& sweep, const RunCoordinates& run,
                                   std::size_t hosts);

}  // namespace cospot
