#include "sim_harness/provider/notices/reserve_keeper.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cospot {

ReserveKeeper::ReserveKeeper(const ProviderHosts& hosts, const ReserveSettings& settings,
                             std::size_t instances, SimTime window)
    : hosts_(&hosts),
      settings_(settings),
      window_(window),
      evictions_(*hosts.allocator().evictor),
      told_at_(instances, kNever),
      going_(hosts.table().size()),
      seen_generation_(hosts.table().size()),
      now_(settings.reserved, hosts.table().size()),
      then_(settings.reserved, hosts.table().size()) {
  for (HostIndex host = 0; host < table().size(); ++host) count_anew(host);
}

void ReserveKeeper::look() {
  for (HostIndex host = 0; host < table().size(); ++host) {
    if (table().generation(host) != seen_generation_[host]) count_anew(host);
  }
}

/// A host that takes no VM has no free capacity, whoever leaves it.
void ReserveKeeper::count_anew(HostIndex host) {
  seen_generation_[host] = table().generation(host);
  if (hosts_->is_closed(host)) {
    now_.set(host, std::nullopt);
    then_.set(host, std::nullopt);
    return;
  }
  const ResourceVector free = table().free(host, Sees::kVmsAndSpots);
  now_.set(host, free);
  then_.set(host, free + going_[host]);
}

void ReserveKeeper::end(const Notice& notice) {
  told_at_[notice.spot] = kNever;
  going_[notice.host] -= notice.size;
  count_anew(notice.host);
}

ReserveKeeper::News ReserveKeeper::keep(SimTime now) {
  look();
  News news{.withdrawn = withdraw(), .given = give(now)};
  // The last spot noticed may free more than was lacking, so that an earlier one can stay.
  for (const Notice& notice : withdraw()) {
    const auto is_new = std::ranges::find(news.given, notice.spot, &Notice::spot);
    if (is_new == news.given.end()) {
      news.withdrawn.push_back(notice);
    } else {
      news.given.erase(is_new);  // nobody has heard of it
      --result_.withdrawn;
      --result_.given;
    }
  }
  note_lack(now);
  return news;
}

std::vector<Notice> ReserveKeeper::withdraw_needless() {
  look();
  return withdraw();
}

std::vector<Notice> ReserveKeeper::withdraw() {
  std::vector<Notice> withdrawn;
  std::erase_if(notices_, [&](const Notice& notice) {
    if (!hosts_->is_closed(notice.host)) return false;
    end(notice);
    withdrawn.push_back(notice);
    return true;
  });
  std::vector<NoticedSpot> noticed;
  for (const Notice& notice : notices_) noticed.push_back({notice.host, notice.size});
  for (const std::size_t i : then_.withdraw_needless(noticed)) {
    const Notice notice = notices_[i];
    notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(i));
    end(notice);
    withdrawn.push_back(notice);
  }
  result_.withdrawn += withdrawn.size();
  return withdrawn;
}

std::vector<Notice> ReserveKeeper::give(SimTime now) {
  std::vector<Notice> given;
  while (then_.missing() > 0) {
    const std::optional<ReserveCandidate> chosen = best(now);
    if (!chosen) break;
    for (const RunningSpot& spot : chosen->spots) {
      given.push_back({.spot = spot.instance,
                       .host = chosen->host,
                       .size = spot.resources,
                       .given_at = now,
                       .evict_at = now + settings_.notice});
      told_at_[spot.instance] = now;
      going_[chosen->host] += spot.resources;
    }
    count_anew(chosen->host);
  }
  notices_.insert(notices_.end(), given.begin(), given.end());
  result_.given += given.size();
  return given;
}

std::vector<Notice> ReserveKeeper::over(SimTime now) const {
  std::vector<Notice> over;
  for (const Notice& notice : notices_) {
    if (notice.evict_at <= now) over.push_back(notice);
  }
  return over;
}

void ReserveKeeper::note_lack(SimTime now) {
  const bool lacks = now_.missing() > 0;
  if (lacks == lacks_since_.has_value()) return;
  if (lacks) {
    lacks_since_ = now;
    return;
  }
  const auto clamped = [this](SimTime time) { return std::clamp(time, SimTime{0}, window_); };
  result_.lacking += clamped(now) - clamped(*lacks_since_);
  lacks_since_.reset();
}

void ReserveKeeper::evicted(InstanceIndex spot, SimTime now, bool for_reserve) {
  if (for_reserve) ++result_.evictions_for_reserve;
  if (!is_told(spot) || told_at_[spot] == now) return;
  const SimTime length = now - told_at_[spot];
  result_.lengths.push_back(length);
  ++(length >= settings_.notice ? result_.evictions_with_full_notice
                                : result_.evictions_with_short_notice);
}

void ReserveKeeper::left(InstanceIndex spot) {
  if (!is_told(spot)) return;
  const auto found = std::ranges::find(notices_, spot, &Notice::spot);
  const Notice notice = *found;
  notices_.erase(found);
  end(notice);
}

NoticeResult ReserveKeeper::result() const {
  NoticeResult result = result_;
  if (lacks_since_ && *lacks_since_ < window_) {
    result.lacking += window_ - std::max(*lacks_since_, SimTime{0});
  }
  return result;
}

bool ReserveKeeper::may_be_told(const RunningSpot& spot) const {
  const PriorityLevels& levels = hosts_->levels();
  return !is_told(spot.instance) && levels.of_displaceable(spot.instance) + 1 == levels.count;
}

std::optional<ReserveCandidate> ReserveKeeper::best(SimTime now) {
  const auto may_go = [this](const RunningSpot& spot) { return may_be_told(spot); };
  std::vector<ResourceVector> held(table().size());
  for (HostIndex host = 0; host < table().size(); ++host) {
    for (const RunningSpot& spot : hosts_->spots_on(host)) {
      if (may_go(spot)) held[host] += spot.resources;
    }
  }
  std::optional<ReserveCandidate> best;
  std::vector<RunningSpot> spots;
  for (const HostIndex host : then_.nearest(held)) {
    spots.clear();
    std::ranges::copy_if(hosts_->spots_on(host), std::back_inserter(spots), may_go);
    std::optional<ReserveCandidate> found = then_.candidate(host, spots, now, evictions_);
    if (found && (!best || found->is_better_than(*best))) best = std::move(found);
  }
  return best;
}

}  // namespace cospot
