#pragma once

#include <algorithm>
#include <cstddef>

#include "bindings/policy_entries.hpp"
#include "core/model/host_table.hpp"
#include "core/ranking/chain.hpp"

namespace cospot::bindings {

[[nodiscard]] inline ChainSide side_of(const Request& request, bool saf) {
  if (request.is_spot()) return ChainSide::kSpot;
  return saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
}

/// The best hosts, at most `most`, in order: from the ranking that is kept for their table if there
/// is one, else by a scan. Calls `take(host)` for each.
template <class Take>
void take_best(const PythonChain& chain, const HostColumns& hosts, const Request& request, bool saf,
               std::size_t most, const Take& take);

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

template <class Take>
void take_best(const PythonChain& chain, const HostColumns& hosts, const Request& request, bool saf,
               std::size_t most, const Take& take) {
  const ChainSide side = side_of(request, saf);
  const auto* owned = dynamic_cast<const OwnedHosts*>(&hosts);
  // A long walk costs more than a sort.
  HostRanking* kept = owned != nullptr && most <= hosts.view.size() / 8
                          ? chain.kept_ranking(side, *owned)
                          : nullptr;
  if (kept != nullptr) {
    kept->start(request);
    for (std::size_t i = 0; i < most; ++i) {
      const HostIndex host = kept->next();
      if (host == kNoHost) return;
      take(host);
    }
    return;
  }
  ScanBuffers buffers = chain.borrow_buffers();
  const std::size_t count = rank_hosts(chain.side(side), hosts.view, request, most, buffers);
  for (std::size_t i = 0; i < count; ++i) take(buffers.ranked[i].host);
  chain.return_buffers(std::move(buffers));
}

}  // namespace cospot::bindings
