#include "sim_harness/provider/schedulers/subset_ranking.hpp"

#include <algorithm>

namespace cospot {

HostIndex SubsetRanking::next_ranked() {
  HostIndex host = ranking_->next();
  while (host != kNoHost && std::ranges::find(declined_, host) != declined_.end()) {
    host = ranking_->next();
  }
  return host;
}

void SubsetRanking::see_first() {
  while (first_.size() < subset_) {
    const HostIndex host = next_ranked();
    if (host == kNoHost) return;
    first_.push_back(host);
  }
}

void SubsetRanking::start(const Request& request) {
  ranking_->start(request);
  first_.clear();
  given_ = 0;
  if (subset_ == 1) return;
  std::uint64_t drawn = UINT64_MAX;
  if (draw_ == Draw::kBeforehand) drawn = random_->below(subset_);
  see_first();
  if (first_.empty() || (first_.size() == 1 && draw_ == Draw::kWhenSeen)) return;
  if (drawn >= first_.size()) drawn = random_->below(first_.size());
  const auto to_front = static_cast<std::ptrdiff_t>(drawn);
  std::rotate(first_.begin(), first_.begin() + to_front, first_.begin() + to_front + 1);
}

HostIndex SubsetRanking::next() {
  return given_ < first_.size() ? first_[given_++] : next_ranked();
}

}  // namespace cospot
