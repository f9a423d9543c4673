#pragma once

#include <filesystem>
#include <vector>

namespace cospot {

/// The demand at a price.
struct DemandPoint {
  double spot_price = 0;  ///< per vCPU-hour
  double share = 1;       ///< fraction of the history's requested spots, from 0 to 1
};

/// Reads a CSV file with the columns spot_price and share and at least one row, by ascending price.
/// Errors: WorkloadError, also if a higher price has a larger share or a price occurs twice.
[[nodiscard]] std::vector<DemandPoint> read_demand_curve(const std::filesystem::path& file);

}  // namespace cospot
