#pragma once

#include <cstddef>
#include <optional>

namespace cospot {

/// How many hosts a datacenter has: a share beyond the size that just fits the VMs, or a number.
struct Headroom {
  std::optional<double> percent;
  std::size_t hosts = 0;  ///< only without a percentage
};

}  // namespace cospot
