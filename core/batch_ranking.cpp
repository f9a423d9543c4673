#include "core/batch_ranking.hpp"

#include <algorithm>

namespace cospot {
namespace {

bool ranks_after(const RankedHost& a, const RankedHost& b) { return b.ranks_before(a); }

}  // namespace

void BatchRanking::start(const Request& request) {
  chain_->weigh(hosts_->view(), request, scratch_, heap_);
  std::make_heap(heap_.begin(), heap_.end(), ranks_after);
}

HostIndex BatchRanking::next() {
  if (heap_.empty()) return kNoHost;
  std::pop_heap(heap_.begin(), heap_.end(), ranks_after);
  const HostIndex host = heap_.back().host;
  heap_.pop_back();
  return host;
}

}  // namespace cospot
