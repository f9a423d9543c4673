#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/model/resource_vector.hpp"

namespace cospot {

/// Capacity that is kept free of spots for so many VMs of a size, each on one host; as the options
/// `reserve` and `default_reserve` of cospot-evictor say it.
struct ReservedCapacity {
  ResourceVector size{};   ///< of one such VM; what is 0 is not looked at
  std::int64_t count = 0;  ///< of VMs; 0: nothing is reserved

  /// The number of such VMs that fit into a host's free capacity; 0 if that is negative.
  [[nodiscard]] std::int64_t vms_in(const ResourceVector& free) const {
    if (!size.fits_in(free)) return 0;
    std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto bound = [&most](ResourceAmount amount, ResourceAmount each) {
      if (each > 0) most = std::min(most, std::int64_t{amount / each});
    };
    bound(free.vcpus, size.vcpus);
    bound(free.memory_mb, size.memory_mb);
    bound(free.disk_gb, size.disk_gb);
    return most;
  }

  friend bool operator==(const ReservedCapacity&, const ReservedCapacity&) = default;
};

}  // namespace cospot
