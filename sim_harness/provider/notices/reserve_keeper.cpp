#include "sim_harness/provider/notices/reserve_keeper.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace cospot {
namespace {

/// Spots are looked for on so many hosts, those that lack the least for one more VM.
constexpr std::size_t kMostHosts = 20;

bool frees_some(const RunningSpot& spot, const ResourceVector& need) {
  return (need.vcpus > 0 && spot.resources.vcpus > 0) ||
         (need.memory_mb > 0 && spot.resources.memory_mb > 0) ||
         (need.disk_gb > 0 && spot.resources.disk_gb > 0);
}

std::int64_t sum_of_amounts(const ResourceVector& amounts) {
  return std::int64_t{amounts.vcpus} + amounts.memory_mb + amounts.disk_gb;
}

}  // namespace

bool ReserveKeeper::Candidate::is_better_than(const Candidate& other) const {
  return std::tie(promised, score, host) < std::tie(other.promised, other.score, other.host);
}

ReserveKeeper::ReserveKeeper(const ProviderHosts& hosts, const ReserveSettings& settings,
                             std::size_t instances, SimTime window)
    : hosts_(&hosts),
      settings_(settings),
      window_(window),
      evictions_(*hosts.allocator().evictor),
      plan_(evictions_.no_plan()),
      told_at_(instances, kNever),
      going_(hosts.table().size()),
      seen_generation_(hosts.table().size()),
      vms_now_(hosts.table().size()),
      vms_then_(hosts.table().size()) {
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
  const bool is_open = !hosts_->is_closed(host);
  const std::int64_t now =
      is_open ? settings_.reserved.vms_in(table().free(host, Sees::kVmsAndSpots)) : 0;
  const std::int64_t then = is_open ? settings_.reserved.vms_in(free_then(host)) : 0;
  all_now_ += now - std::exchange(vms_now_[host], now);
  all_then_ += then - std::exchange(vms_then_[host], then);
}

void ReserveKeeper::end(const Notice& notice) {
  told_at_[notice.spot] = kNever;
  going_[notice.host] -= notice.size;
  count_anew(notice.host);
}

ReserveKeeper::News ReserveKeeper::keep(SimTime now) {
  News news{.withdrawn = withdraw_needless(), .given = give(now)};
  // The last spot noticed may free more than was lacking, so that an earlier one can stay.
  for (const Notice& notice : withdraw_needless()) {
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
  std::vector<Notice> withdrawn;
  std::erase_if(notices_, [&](const Notice& notice) {
    if (!hosts_->is_closed(notice.host)) return false;
    end(notice);
    withdrawn.push_back(notice);
    return true;
  });
  for (std::size_t i = notices_.size(); i-- > 0 && all_then_ >= settings_.reserved.count;) {
    const Notice notice = notices_[i];
    const std::int64_t without = settings_.reserved.vms_in(free_then(notice.host) - notice.size);
    if (all_then_ - vms_then_[notice.host] + without < settings_.reserved.count) continue;
    notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(i));
    end(notice);
    withdrawn.push_back(notice);
  }
  result_.withdrawn += withdrawn.size();
  return withdrawn;
}

std::vector<Notice> ReserveKeeper::give(SimTime now) {
  look();
  std::vector<Notice> given;
  while (all_then_ < settings_.reserved.count) {
    const std::optional<Candidate> chosen = best(now);
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
  look();
  const bool lacks = all_now_ < settings_.reserved.count;
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

ResourceVector ReserveKeeper::need(HostIndex host) const {
  const ResourceVector& size = settings_.reserved.size;
  const ResourceVector free = free_then(host);
  const std::int64_t vms = settings_.reserved.vms_in(free) + 1;
  const auto lack = [vms](ResourceAmount each, ResourceAmount has) {
    return each == 0 ? 0 : static_cast<ResourceAmount>(std::max<std::int64_t>(vms * each - has, 0));
  };
  return {lack(size.vcpus, free.vcpus), lack(size.memory_mb, free.memory_mb),
          lack(size.disk_gb, free.disk_gb)};
}

/// The hosts that lack least, of those whose spots hold what is lacking.
std::vector<HostIndex> ReserveKeeper::nearest() const {
  std::vector<std::pair<std::int64_t, HostIndex>> by_need;
  for (HostIndex host = 0; host < table().size(); ++host) {
    if (hosts_->is_closed(host)) continue;
    const ResourceVector lacks = need(host);
    ResourceVector held;
    for (const RunningSpot& spot : hosts_->spots_on(host)) {
      if (may_be_told(spot)) held += spot.resources;
    }
    if (lacks.fits_in(held)) by_need.emplace_back(sum_of_amounts(lacks), host);
  }
  const std::size_t most = std::min(by_need.size(), kMostHosts);
  const auto end = by_need.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(by_need.begin(), end, by_need.end());
  std::vector<HostIndex> hosts;
  std::transform(by_need.begin(), end, std::back_inserter(hosts),
                 [](const auto& each) { return each.second; });
  return hosts;
}

std::optional<ReserveKeeper::Candidate> ReserveKeeper::best(SimTime now) {
  std::optional<Candidate> best;
  for (const HostIndex host : nearest()) {
    std::optional<Candidate> found = candidate(host, now);
    if (found && (!best || found->is_better_than(*best))) best = std::move(found);
  }
  return best;
}

std::optional<ReserveKeeper::Candidate> ReserveKeeper::candidate(HostIndex host, SimTime now) {
  const ResourceVector lacks = need(host);
  std::vector<RunningSpot> chosen;
  for (const RunningSpot& spot : hosts_->spots_on(host)) {
    if (may_be_told(spot) && frees_some(spot, lacks)) chosen.push_back(spot);
  }
  Candidate found{.host = host};
  if (!plan(chosen, lacks, now, found.score)) return std::nullopt;
  found.spots = needed(host, chosen);
  if (found.spots.size() < chosen.size()) {
    // For its score.
    std::vector<RunningSpot> again = found.spots;
    (void)plan(again, lacks, now, found.score);
  }
  const auto is_promised = [now](const RunningSpot& spot) { return spot.is_promised(now); };
  found.promised = static_cast<std::size_t>(std::ranges::count_if(found.spots, is_promised));
  return found;
}

/// Makes `spots` those that the evictor takes, the promised ones last, and `score` what they cost.
bool ReserveKeeper::plan(std::vector<RunningSpot>& spots, const ResourceVector& need, SimTime now,
                         double& score) {
  const EvictionCase eviction{.spots = spots, .shortfall = need, .now = now};
  if (!evictions_.make_plan(eviction, nullptr, plan_)) return false;
  score = plan_.plan.score;
  std::vector<RunningSpot> victims;
  for (const std::uint32_t victim : plan_.plan.victims) victims.push_back(spots[victim]);
  std::stable_partition(victims.begin(), victims.end(),
                        [now](const RunningSpot& spot) { return !spot.is_promised(now); });
  spots = std::move(victims);
  return true;
}

/// The spots without those that the others do without, the last one asked first: an evictor that
/// takes one after the other may come to a spot that suffices alone.
std::vector<RunningSpot> ReserveKeeper::needed(HostIndex host,
                                               const std::vector<RunningSpot>& chosen) const {
  std::vector<RunningSpot> kept = chosen;
  for (std::size_t i = chosen.size(); i-- > 0;) {
    ResourceVector free = free_then(host);
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (j != i) free += kept[j].resources;
    }
    if (settings_.reserved.vms_in(free) > vms_then_[host]) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return kept;
}

}  // namespace cospot
