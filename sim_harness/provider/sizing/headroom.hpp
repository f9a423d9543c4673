#pragma once

#include <cstddef>
#include <optional>

namespace cospot {

/// Bounds that no datacenter reaches; they keep host counts far from overflow.
inline constexpr double kMaxHeadroomPercent = 10'000;
inline constexpr std::size_t kMaxHosts = 10'000'000;

/// Whose fewest hosts a headroom counts from.
enum class HeadroomOf {
  kFewest,      ///< the fewest over several VM policies: one size for all of them
  kEachPolicy,  ///< each VM policy's own fewest, as in the CoSpot paper: a worse packer gets more
};

/// How many hosts a datacenter has: a share beyond the size that just fits the VMs, or a number.
struct Headroom {
  std::optional<double> percent;
  std::size_t hosts = 0;  ///< only without a percentage
  HeadroomOf of = HeadroomOf::kFewest;
};

}  // namespace cospot
