#include "tests/cpp/event_log_checks.hpp"

#include <algorithm>

namespace cospot::reference {
namespace {

/// What a host holds; spots in order of placement.
struct HeldInstances {
  std::vector<InstanceIndex> vms{};
  std::vector<InstanceIndex> spots{};
};

class Replay {
 public:
  Replay(const Workload& workload, const Settings& settings)
      : workload_(workload),
        settings_(settings),
        arrivals_(arrival_order(workload)),
        hosts_(settings.hosts) {}

  std::vector<std::string> check(const std::vector<Event>& events, const RunResult& result) {
    for (const Event& event : events) replay(event);
    require(victims_.empty(), "the log ends between an eviction and a placement");
    require(requests_ == arrivals_.size(), "a row was neither placed nor rejected");
    count_alive();
    compare(result);
    return violations_;
  }

 private:
  const WorkloadRow& row(InstanceIndex instance) const { return workload_.rows[instance]; }
  bool is_spot(InstanceIndex instance) const {
    return row(instance).instance_class == InstanceClass::kSpot;
  }
  void require(bool holds, const std::string& violation) {
    if (!holds) violations_.push_back(violation);
  }
  static std::string name(const Event& event) {
    return "instance " + std::to_string(event.instance) + " at " +
           std::to_string(event.time.count()) + " us: ";
  }

  ResourceVector left(const HeldInstances& host, bool beside_spots) const {
    ResourceVector room = settings_.host;
    for (const InstanceIndex vm : host.vms) room -= row(vm).resources;
    if (beside_spots) {
      for (const InstanceIndex spot : host.spots) room -= row(spot).resources;
    }
    return room;
  }
  bool fits(InstanceIndex instance, const HeldInstances& host, bool beside_spots) const {
    return row(instance).resources.fits_in(left(host, beside_spots));
  }
  bool fits_somewhere(InstanceIndex instance, const std::vector<HeldInstances>& hosts,
                      bool beside_spots) const {
    return std::any_of(hosts.begin(), hosts.end(), [&](const HeldInstances& host) {
      return fits(instance, host, beside_spots);
    });
  }

  void replay(const Event& event);
  void arrive(const Event& event);
  void place(const Event& event);
  void check_evictions(const Event& event);
  std::size_t fewest_fifo_victims(InstanceIndex vm) const;
  void leave(const Event& event);
  void count_alive();
  void compare(const RunResult& result);
  void earn(InstanceIndex instance, SimTime until) {
    const Revenue revenue = earned(row(instance), until, workload_.window);
    (is_spot(instance) ? tally_.spot_revenue : tally_.vm_revenue) += revenue;
  }

  const Workload& workload_;
  const Settings& settings_;
  std::vector<InstanceIndex> arrivals_;
  std::vector<HeldInstances> hosts_;
  std::vector<HeldInstances> before_evictions_;  ///< valid while there are victims_
  std::vector<Event> victims_;                   ///< evicted, their VM not yet placed
  SimTime now_ = SimTime::min();
  std::size_t requests_ = 0;
  RunResult tally_;
  std::size_t placed_ = 0;
  std::size_t ended_ = 0;
  std::vector<std::string> violations_;
};

void Replay::replay(const Event& event) {
  require(event.time >= now_, name(event) + "earlier than the event before it");
  now_ = event.time;
  switch (event.kind) {
    case EventKind::kPlaced:
    case EventKind::kRejected:
      return arrive(event);
    case EventKind::kEvicted:
      if (victims_.empty()) before_evictions_ = hosts_;
      victims_.push_back(event);
      require(is_spot(event.instance), name(event) + "a VM was evicted");
      ++tally_.evictions;
      return leave(event);
    case EventKind::kEnded:
      require(event.time == row(event.instance).end, name(event) + "did not end at its end");
      require(victims_.empty(), name(event) + "ended between an eviction and a placement");
      ++ended_;
      return leave(event);
  }
}

void Replay::arrive(const Event& event) {
  const bool in_order = requests_ < arrivals_.size() && arrivals_[requests_] == event.instance;
  ++requests_;
  require(in_order, name(event) + "requested out of order");
  require(event.time == row(event.instance).start, name(event) + "not requested at its start");
  for (const HeldInstances& host : hosts_) {
    for (const auto* list : {&host.vms, &host.spots}) {
      for (const InstanceIndex other : *list) {
        require(row(other).end > event.time, name(event) + "came before a departure that was due");
      }
    }
  }
  const bool spot = is_spot(event.instance);
  ++(spot ? tally_.spot_requests : tally_.vm_requests);
  (spot ? tally_.spot_revenue_requested : tally_.vm_revenue_requested) +=
      earned(row(event.instance), row(event.instance).end, workload_.window);
  if (event.kind == EventKind::kPlaced) return place(event);
  require(victims_.empty(), name(event) + "rejected after evictions");
  require(!fits_somewhere(event.instance, hosts_, spot), name(event) + "rejected, yet it fits");
  if (spot) return;
  ++tally_.vm_rejected;
  if (!row(event.instance).resources.fits_in(settings_.host)) ++tally_.vm_too_large;
}

void Replay::place(const Event& event) {
  ++placed_;
  const bool spot = is_spot(event.instance);
  if (spot) ++tally_.spot_admitted;
  if (event.host >= hosts_.size()) return require(false, name(event) + "placed on no host");
  HeldInstances& host = hosts_[event.host];
  if (!victims_.empty()) check_evictions(event);
  victims_.clear();
  (spot ? host.spots : host.vms).push_back(event.instance);
  require(ResourceVector{}.fits_in(left(host, true)), name(event) + "overcommits its host");
}

void Replay::check_evictions(const Event& event) {
  require(!is_spot(event.instance), name(event) + "a spot evicted others");
  for (const Event& victim : victims_) {
    require(victim.host == event.host, name(event) + "spots of another host were evicted");
    require(victim.time == event.time, name(event) + "spots were evicted at another time");
  }
  require(!fits(event.instance, before_evictions_[event.host], true),
          name(event) + "evicted spots it fits beside");
  const bool all_offered = settings_.otn >= hosts_.size();
  if (settings_.saf || all_offered) {
    require(!fits_somewhere(event.instance, before_evictions_, true),
            name(event) + "evicted spots where another host needs no eviction");
  }
  if (all_offered && settings_.evictor == "FIFO") {
    require(victims_.size() == fewest_fifo_victims(event.instance),
            name(event) + "another host needs fewer victims");
  }
}

/// The fewest spots, oldest first, that any host must give up for `vm`.
std::size_t Replay::fewest_fifo_victims(InstanceIndex vm) const {
  std::size_t fewest = workload_.rows.size();
  for (HeldInstances host : before_evictions_) {
    if (!fits(vm, host, false)) continue;
    std::size_t victims = 0;
    for (; !fits(vm, host, true); ++victims) host.spots.erase(host.spots.begin());
    fewest = std::min(fewest, victims);
  }
  return fewest;
}

void Replay::leave(const Event& event) {
  if (event.host >= hosts_.size()) return require(false, name(event) + "left no host");
  HeldInstances& host = hosts_[event.host];
  const std::size_t removed =
      std::erase(host.vms, event.instance) + std::erase(host.spots, event.instance);
  require(removed == 1, name(event) + "left a host it was not on");
  earn(event.instance, event.time);
}

void Replay::count_alive() {
  std::size_t alive = 0;
  for (const HeldInstances& host : hosts_) {
    for (const auto* list : {&host.vms, &host.spots}) {
      for (const InstanceIndex instance : *list) {
        ++alive;
        require(row(instance).end == kNever,
                "instance " + std::to_string(instance) + ": still there after its end");
        earn(instance, row(instance).end);
      }
    }
  }
  require(placed_ == ended_ + tally_.evictions + alive, "placed is not ended + evicted + alive");
}

void Replay::compare(const RunResult& result) {
  require(result.hosts == settings_.hosts, "hosts differ from the settings");
  require(result.vm_requests == tally_.vm_requests, "vm_requests differ from the log");
  require(result.vm_rejected == tally_.vm_rejected, "vm_rejected differ from the log");
  require(result.vm_too_large == tally_.vm_too_large, "vm_too_large differ from the log");
  require(result.spot_requests == tally_.spot_requests, "spot_requests differ from the log");
  require(result.spot_admitted == tally_.spot_admitted, "spot_admitted differ from the log");
  require(result.evictions == tally_.evictions, "evictions differ from the log");
  require(result.vm_revenue_requested == tally_.vm_revenue_requested,
          "vm_revenue_requested differs from the log");
  require(result.vm_revenue == tally_.vm_revenue, "vm_revenue differs from the log");
  require(result.spot_revenue_requested == tally_.spot_revenue_requested,
          "spot_revenue_requested differs from the log");
  require(result.spot_revenue == tally_.spot_revenue, "spot_revenue differs from the log");
}

}  // namespace

std::vector<std::string> find_violations(const Workload& workload, const Settings& settings,
                                         const std::vector<Event>& events,
                                         const RunResult& result) {
  return Replay(workload, settings).check(events, result);
}

}  // namespace cospot::reference
