#pragma once

#include <algorithm>
#include <cstddef>

#include "bindings/policy_entries.hpp"
#include "core/chain.hpp"
#include "core/host_table.hpp"

namespace cospot::bindings {

[[nodiscard]] inline ChainSide side_of(const Request& request, bool saf) {
  if (request.is_spot()) return ChainSide::kSpot;
  return saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
}

/// Puts the best hosts, at most `most`, first in `buffers.ranked`, in order; returns how many.
inline std::size_t rank_hosts(const Chain& chain, const HostView& hosts, const Request& request,
                              std::size_t most, ScanBuffers& buffers) {
  chain.weigh(hosts, request, buffers.scan, buffers.ranked);
  const std::size_t count = std::min(most, buffers.ranked.size());
  std::partial_sort(buffers.ranked.begin(),
                    buffers.ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    buffers.ranked.end(),
                    [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
  return count;
}

}  // namespace cospot::bindings
