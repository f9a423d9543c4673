#pragma once

#include <filesystem>
#include <vector>

namespace cospot {

/// How much would be bought at a price.
struct DemandPoint {
  double spot_price = 0;  ///< of a vCPU-hour
  double share = 1;       ///< of the spots that the history asks for, from 0 to 1
};

/// Reads a CSV file with the columns spot_price and share, at least one row, by price in ascending
/// order. Errors: WorkloadError; also where a higher price has a larger share, or a price stands
/// there twice.
[[nodiscard]] std::vector<DemandPoint> read_demand_curve(const std::filesystem::path& file);

}  // namespace cospot
