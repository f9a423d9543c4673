#pragma once

#include <cstddef>
#include <utility>

#include "bindings/policy_entries.hpp"
#include "core/model/host_table.hpp"
#include "core/ranking/chain.hpp"

namespace cospot::bindings {

[[nodiscard]] inline ChainSide side_of(const Request& request, bool saf) {
  if (request.is_spot()) return ChainSide::kSpot;
  return saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
}

/// The ranking that the chain keeps of a table, if there is one and it is better than a scan for a
/// walk of `most` hosts; else nullptr.
[[nodiscard]] inline HostRanking* kept_ranking(const PythonChain& chain, const HostColumns& hosts,
                                               ChainSide side, std::size_t most) {
  const auto* owned = dynamic_cast<const OwnedHosts*>(&hosts);
  // A long walk costs more than a sort.
  if (owned == nullptr || most > hosts.view.size() / 8) return nullptr;
  return chain.kept_ranking(side, *owned);
}

/// Calls `take(host)` for the best hosts, at most `most`, in order.
template <class Take>
void take_best(const PythonChain& chain, const HostColumns& hosts, const Request& request, bool saf,
               std::size_t most, const Take& take) {
  const ChainSide side = side_of(request, saf);
  if (HostRanking* kept = kept_ranking(chain, hosts, side, most)) {
    kept->start(request);
    for (std::size_t i = 0; i < most; ++i) {
      const HostIndex host = kept->next();
      if (host == kNoHost) return;
      take(host);
    }
    return;
  }
  ScanBuffers buffers = chain.borrow_buffers();
  chain.side(side).rank(hosts.view, request, most, buffers.scan, buffers.ranked);
  for (const RankedHost& ranked : buffers.ranked) take(ranked.host);
  chain.return_buffers(std::move(buffers));
}

}  // namespace cospot::bindings
