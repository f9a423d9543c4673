#include "core/ranking/batch_ranking.hpp"

#include <algorithm>
#include <limits>

namespace cospot {
namespace {

constexpr auto kRanksAfter = [](const RankedHost& a, const RankedHost& b) {
  return b.ranks_before(a);
};

}  // namespace

void BatchRanking::start(const Request& request) {
  chain_->weigh(view(), request, scratch_, candidates_);
  given_.clear();
  request_ = request;
}

HostIndex BatchRanking::next() {
  if (candidates_.empty()) return kNoHost;
  if (given_.empty()) {
    // Most walks end here, so the candidates become a heap only when a second one is asked for.
    std::iter_swap(std::max_element(candidates_.begin(), candidates_.end(), kRanksAfter),
                   candidates_.end() - 1);
  } else {
    if (given_.size() == 1) std::make_heap(candidates_.begin(), candidates_.end(), kRanksAfter);
    std::pop_heap(candidates_.begin(), candidates_.end(), kRanksAfter);
  }
  given_.push_back(candidates_.back());
  candidates_.pop_back();
  return given_.back().host;
}

HostIndex BatchRanking::first_without_eviction(std::size_t within) const {
  std::vector<RankedHost> ranked = candidates_;
  ranked.insert(ranked.end(), given_.begin(), given_.end());
  within = std::min(within, ranked.size());
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(within);
  std::partial_sort(ranked.begin(), end, ranked.end(),
                    [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
  const HostView hosts = view();
  const auto found = std::find_if(ranked.begin(), end, [&](const RankedHost& host) {
    return request_.resources().fits_in(hosts[host.host].free(Sees::kVmsAndSpots));
  });
  return found == end ? kNoHost : found->host;
}

Standing BatchRanking::standing_of(HostIndex host) const {
  for (const std::vector<RankedHost>* ranked : {&given_, &candidates_}) {
    for (const RankedHost& other : *ranked) {
      if (other.host == host) return {.tiers = other.tiers, .weight = other.weight};
    }
  }
  return {};
}

double BatchRanking::weight_spread() const {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const std::vector<RankedHost>* ranked : {&given_, &candidates_}) {
    for (const RankedHost& host : *ranked) {
      least = std::min(least, host.weight);
      greatest = std::max(greatest, host.weight);
    }
  }
  return greatest - least;
}

}  // namespace cospot
