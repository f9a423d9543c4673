#include "core/batch_ranking.hpp"

#include <algorithm>

namespace cospot {
namespace {

bool ranks_after(const RankedHost& a, const RankedHost& b) { return b.ranks_before(a); }

}  // namespace

void BatchRanking::start(const Request& request) {
  chain_->weigh(hosts_->view(), request, scratch_, heap_);
  std::make_heap(heap_.begin(), heap_.end(), ranks_after);
  given_.clear();
  request_ = request;
}

HostIndex BatchRanking::next() {
  if (heap_.empty()) return kNoHost;
  std::pop_heap(heap_.begin(), heap_.end(), ranks_after);
  given_.push_back(heap_.back());
  heap_.pop_back();
  return given_.back().host;
}

HostIndex BatchRanking::first_without_eviction(std::size_t within) const {
  std::vector<RankedHost> ranked = heap_;
  ranked.insert(ranked.end(), given_.begin(), given_.end());
  within = std::min(within, ranked.size());
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(within);
  std::partial_sort(ranked.begin(), end, ranked.end(),
                    [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
  const auto found = std::find_if(ranked.begin(), end, [this](const RankedHost& host) {
    return request_.resources().fits_in(hosts_->free(host.host, Sees::kVmsAndSpots));
  });
  return found == end ? kNoHost : found->host;
}

}  // namespace cospot
