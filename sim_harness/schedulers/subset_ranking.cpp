#include "sim_harness/schedulers/subset_ranking.hpp"

#include <algorithm>

namespace cospot {

HostIndex SubsetRanking::next_ranked() {
  HostIndex host = ranking_->next();
  while (host != kNoHost && std::ranges::find(declined_, host) != declined_.end()) {
    host = ranking_->next();
  }
  return host;
}

void SubsetRanking::start(const Request& request) {
  ranking_->start(request);
  first_.clear();
  given_ = 0;
  if (subset_ == 1) return;
  while (first_.size() < subset_) {
    const HostIndex host = next_ranked();
    if (host == kNoHost) break;
    first_.push_back(host);
  }
  if (first_.size() < 2) return;
  const auto drawn = static_cast<std::ptrdiff_t>(random_->below(first_.size()));
  std::rotate(first_.begin(), first_.begin() + drawn, first_.begin() + drawn + 1);
}

HostIndex SubsetRanking::next() {
  return given_ < first_.size() ? first_[given_++] : next_ranked();
}

}  // namespace cospot
