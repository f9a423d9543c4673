#include "sim_harness/engine/level_engine.hpp"

#include <utility>

#include "core/handshake/offer.hpp"
#include "core/handshake/spot_side.hpp"

namespace cospot {
namespace {

constexpr std::size_t kEventsBetweenPolls = 16;

}  // namespace

LevelEngine::LevelEngine(const EventSchedule& schedule, std::vector<std::uint8_t> level_of,
                         const HostTable& hosts, LevelAllocator allocator)
    : schedule_(&schedule),
      level_of_(std::move(level_of)),
      allocator_(std::move(allocator)),
      levels_(allocator_.chains.size()),
      load_(hosts),
      evictions_(*allocator_.evictor, levels_),
      host_of_(schedule.start.size(), kNoHost),
      first_host_of_(schedule.start.size(), kNoHost),
      placements_(schedule),
      results_(levels_) {
  for (const auto& chain : allocator_.chains) require_placements_seen(schedule, *chain);
  for (std::size_t level = 0; level + 1 < levels_; ++level) {
    View& view = *views_.emplace_back(std::make_unique<View>(hosts));
    view.hosts.lend_spots(view.displaceable);
    view.ranking = allocator_.chains[level]->make_ranking(view.hosts);
  }
  // Beside all instances every table is the same; its VMs are those of the highest level.
  lowest_ranking_ = allocator_.chains.back()->make_ranking(views_.front()->hosts);
}

void LevelEngine::run() {
  for (std::size_t i = 0; i < schedule_->events_to_last_arrival; ++i) {
    if (i % kEventsBetweenPolls == 0) stop_.check();
    const ScheduledEvent event = schedule_->events[i];
    const SimTime now =
        event.is_departure() ? schedule_->end[event.instance] : schedule_->start[event.instance];
    while (forecasts_ != nullptr && forecasts_->next_refresh() <= now) forecasts_->refresh();
    if (event.is_departure()) {
      depart(event);
    } else {
      arrive(event);
    }
  }
}

Request LevelEngine::request_of(const ScheduledEvent& arrival) const {
  Request request = schedule_->request(arrival);
  // Whoever may displace others asks as a VM does.
  request.instance_class = level_of_[arrival.instance] + std::size_t{1} == levels_
                               ? InstanceClass::kSpot
                               : InstanceClass::kVm;
  if (!placements_.empty()) request.placement = placements_.of(arrival.instance);
  if (forecasts_ != nullptr) request.forecasts = &forecasts_->forecasts();
  return request;
}

void LevelEngine::add_revenue(std::size_t level, const Request& request) {
  const Revenue revenue =
      schedule_->revenue(request.vcpus, request.time, schedule_->end[request.instance]);
  ++results_[level].requests;
  results_[level].revenue_requested += revenue;
  results_[level].revenue += revenue;  // what is lost of it comes off
}

void LevelEngine::arrive(const ScheduledEvent& event) {
  const Request request = request_of(event);
  const std::size_t level = level_of_[event.instance];
  add_revenue(level, request);
  HostIndex host = kNoHost;
  if (level + 1 == levels_) {
    lowest_ranking_->start(request);
    host = lowest_ranking_->next();
  } else {
    host = displace(request, level);
  }
  if (host != kNoHost) return place(host, request, level);
  ++results_[level].rejected;
  results_[level].revenue -=
      schedule_->revenue(request.vcpus, request.time, schedule_->end[request.instance]);
  if (forecasts_ != nullptr) forecasts_->rejected(request);
}

/// The plan for one host; false: not enough can be freed there.
bool LevelEngine::plan_on(HostIndex host, const Request& request, std::size_t level,
                          LevelPlan& plan) {
  const View& view = *views_[level];
  const std::span<const RunningSpot> instances = view.displaceable.spots_on(host);
  levels_on_host_.clear();
  for (const RunningSpot& instance : instances) {
    levels_on_host_.push_back(level_of_[instance.instance]);
  }
  return evictions_.make_plan(instances, levels_on_host_, level,
                              shortfall(view.hosts, host, request), request.time, plan);
}

/// Finds the offered host on which least is evicted, and makes room on it.
HostIndex LevelEngine::displace(const Request& request, std::size_t level) {
  HostRanking& ranking = *views_[level]->ranking;
  ranking.start(request);
  OfferWalk offer(ranking, allocator_.otn, allocator_.otn.follows_load() ? load_.of_scarcest() : 0);
  std::vector<HostIndex> offered;
  for (HostIndex host = offer.next(); host != kNoHost; host = offer.next()) {
    offered.push_back(host);
  }
  HostIndex chosen = kNoHost;
  for (const HostIndex host : offered) {
    if (!plan_on(host, request, level, plan_)) continue;
    if (chosen != kNoHost && !plan_.is_better_than(best_)) continue;
    chosen = host;
    std::swap(best_, plan_);
  }
  if (chosen != kNoHost) evict(chosen, best_, level, request);
  return chosen;
}

void LevelEngine::evict(HostIndex host, const LevelPlan& plan, std::size_t displacing,
                        const Request& for_request) {
  std::vector<RunningSpot> victims;
  for (const std::uint32_t position : plan.victims) {
    victims.push_back(views_[displacing]->displaceable.spots_on(host)[position]);
  }
  for (const RunningSpot& victim : victims) {
    const std::size_t level = level_of_[victim.instance];
    remove(victim.instance, victim.resources, level);
    ++results_[level].evictions;
    results_[level].revenue -=
        schedule_->revenue(victim.resources.vcpus, for_request.time, victim.ends_at);
    if (forecasts_ != nullptr) forecasts_->evicted(victim.instance, host, for_request);
  }
}

void LevelEngine::place(HostIndex host, const Request& request, std::size_t level) {
  const ResourceVector size = request.resources();
  const RunningSpot instance{.instance = request.instance,
                             .resources = size,
                             .placed_at = request.time,
                             .ends_at = schedule_->end[request.instance]};
  for (std::size_t viewer = 0; viewer < views_.size(); ++viewer) {
    View& view = *views_[viewer];
    if (level <= viewer) {
      view.hosts.add_vm(host, size);
    } else {
      view.hosts.add_spot(host, size);
      view.displaceable.add(instance, host);
    }
  }
  if (level == 0) load_.add_vm(size);
  host_of_[request.instance] = first_host_of_[request.instance] = host;
  placements_.placed(request.instance, host);
  host_changed(host);
  if (forecasts_ != nullptr) forecasts_->placed(request, host);
}

void LevelEngine::remove(InstanceIndex instance, const ResourceVector& size, std::size_t level) {
  const HostIndex host = std::exchange(host_of_[instance], kNoHost);
  placements_.left(instance, host);
  for (std::size_t viewer = 0; viewer < views_.size(); ++viewer) {
    View& view = *views_[viewer];
    if (level <= viewer) {
      view.hosts.remove_vm(host, size);
    } else {
      view.hosts.remove_spot(host, size);
      view.displaceable.remove(instance, host);
    }
  }
  if (level == 0) load_.remove_vm(size);
}

void LevelEngine::depart(const ScheduledEvent& event) {
  const HostIndex host = host_of_[event.instance];
  if (host == kNoHost) return;
  remove(event.instance, schedule_->resources(event), level_of_[event.instance]);
  host_changed(host);
  if (forecasts_ != nullptr) {
    forecasts_->departed(event.instance, host, schedule_->end[event.instance]);
  }
}

void LevelEngine::host_changed(HostIndex host) {
  for (const std::unique_ptr<View>& view : views_) view->ranking->host_changed(host);
  lowest_ranking_->host_changed(host);
}

}  // namespace cospot
