#pragma once

#include <cstddef>
#include <optional>

namespace cospot {

/// Bounds far beyond every datacenter, which keep host counts from overflowing.
inline constexpr double kMaxHeadroomPercent = 10'000;
inline constexpr std::size_t kMaxHosts = 10'000'000;

/// The base of a headroom.
enum class HeadroomOf {
  kFewest,      ///< the fewest over several VM policies: one size for all of them
  kEachPolicy,  ///< each VM policy's own fewest, as in the CoSpot paper: a worse packer gets more
};

/// The number of hosts of a datacenter: either absolute or a share beyond the size that just fits
/// the VMs.
struct Headroom {
  std::optional<double> percent;
  std::size_t hosts = 0;  ///< only without a percentage
  HeadroomOf of = HeadroomOf::kFewest;
};

}  // namespace cospot
