#include "core/ranking/constrained_ranking.hpp"

#include <utility>

namespace cospot {

ConstrainedRanking::ConstrainedRanking(const Chain& chain, const HostTable& hosts,
                                       std::vector<const Filter*> by_place,
                                       std::unique_ptr<PlaceRanking> ordered)
    : chain_(&chain),
      hosts_(&hosts),
      by_place_(std::move(by_place)),
      ordered_(std::move(ordered)),
      scan_(chain.make_scan(hosts)),
      walked_(ordered_.get()) {
  const HostView view = hosts.view();
  host_in_.assign(view.places.size(), kNoHost);
  for (HostIndex host = 0; host < view.size(); ++host) host_in_[view.place[host]] = host;
}

void ConstrainedRanking::host_changed(HostIndex host) {
  ordered_->host_changed(host);
  scan_->host_changed(host);
}

void ConstrainedRanking::start(const Request& request) {
  // Nothing is asked of the first members of a group.
  const bool by_group = request.placement != nullptr && request.placement->group != nullptr &&
                        !request.placement->members.empty();
  walked_ = by_group ? scan_.get() : ordered_.get();
  if (!by_group) ordered_->allow_places(places_for(request));
  walked_->start(request);
}

std::span<const std::uint8_t> ConstrainedRanking::places_for(const Request& request) {
  if (request.placement == nullptr || request.placement->rules == nullptr) return {};
  const auto [found, is_new] = passes_.try_emplace(request.placement->rules);
  if (is_new) {
    found->second.assign(host_in_.size(), 1);
    std::uint8_t passes = 1;
    for (std::size_t place = 0; place < host_in_.size(); ++place) {
      if (host_in_[place] == kNoHost) continue;
      for (const Filter* filter : by_place_) {
        filter->filter_all(hosts_->view(), {&host_in_[place], 1}, request, {&passes, 1});
        if (passes == 0) found->second[place] = 0;
      }
    }
  }
  return found->second;
}

std::unique_ptr<HostRanking> ConstrainedRanking::clone(const HostTable& copy) const {
  return std::make_unique<ConstrainedRanking>(*chain_, copy, by_place_,
                                              ordered_->clone_places(copy));
}

}  // namespace cospot
