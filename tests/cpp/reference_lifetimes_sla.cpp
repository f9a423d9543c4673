#include "tests/cpp/reference_lifetimes_sla.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/random.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot::reference {
namespace {

using Kind = HistoryEvent::Kind;

/// An instance of the simulation: placements are numbered by their event.
struct Instance {
  HostIndex host = 0;
  ResourceVector resources;
  bool is_spot = false;
  std::uint32_t age = 0;  ///< of a spot: the greater the younger
  SimTime promised_until = kNever;
};

/// Hosts under first fit.
struct Cloud {
  std::vector<ResourceVector> free;
  std::map<std::uint32_t, Instance> running;

  explicit Cloud(std::span<const ResourceVector> totals) : free(totals.begin(), totals.end()) {}

  void put(std::uint32_t id, const Instance& instance) {
    free[instance.host] -= instance.resources;
    running[id] = instance;
  }
  void remove(std::uint32_t id) {
    free[running.at(id).host] += running.at(id).resources;
    running.erase(id);
  }
  [[nodiscard]] std::optional<HostIndex> first_fit(const ResourceVector& size) const {
    for (HostIndex host = 0; host < free.size(); ++host) {
      if (size.fits_in(free[host])) return host;
    }
    return std::nullopt;
  }
  /// Those who go from a host.
  struct Victims {
    std::vector<std::uint32_t> promised{}, others{};  ///< the youngest first
  };

  /// The youngest spots of a host that make room: of those with a promise as few as suffice when
  /// all others have gone, of the others as few as suffice beside them. None: all do not suffice.
  [[nodiscard]] std::optional<Victims> victims(HostIndex host, const ResourceVector& size,
                                               SimTime now) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> spots;  // age, id
    for (const auto& [id, instance] : running) {
      if (instance.host == host && instance.is_spot) spots.emplace_back(instance.age, id);
    }
    std::sort(spots.rbegin(), spots.rend());
    Victims chosen;
    ResourceVector room = free[host];
    ResourceVector room_without_others = room;
    for (const auto& [age, id] : spots) {
      const Instance& spot = running.at(id);
      if (spot.promised_until <= now) room_without_others += spot.resources;
    }
    for (const auto& [age, id] : spots) {
      const Instance& spot = running.at(id);
      if (spot.promised_until <= now || size.fits_in(room_without_others)) continue;
      room_without_others += spot.resources;
      room += spot.resources;
      chosen.promised.push_back(id);
    }
    if (!size.fits_in(room_without_others)) return std::nullopt;
    for (const auto& [age, id] : spots) {
      const Instance& spot = running.at(id);
      if (spot.promised_until > now || size.fits_in(room)) continue;
      room += spot.resources;
      chosen.others.push_back(id);
    }
    return chosen;
  }

  /// Where a VM goes, and who goes for it. Nothing: it is rejected.
  [[nodiscard]] std::optional<std::pair<HostIndex, std::vector<std::uint32_t>>> place_vm(
      const ResourceVector& size, VictimRule rule, SimTime now) const {
    if (const auto host = first_fit(size)) return std::pair(*host, std::vector<std::uint32_t>{});
    std::optional<std::pair<HostIndex, Victims>> best;
    const auto badness = [&](const std::vector<std::uint32_t>& list) {
      if (rule == VictimRule::kFewest) return static_cast<double>(list.size());
      // The oldest victim is the last one; the younger it is, the better, and none is best.
      return list.empty() ? -1e9 : -static_cast<double>(running.at(list.back()).age);
    };
    const auto badnesses = [&](const Victims& of) {
      return std::pair(badness(of.promised), badness(of.others));
    };
    for (HostIndex host = 0; host < free.size(); ++host) {
      const auto of = victims(host, size, now);
      if (!of) continue;
      if (!best || (rule != VictimRule::kFirstHost && badnesses(*of) < badnesses(best->second))) {
        best = {host, *of};
      }
    }
    if (!best) return std::nullopt;
    std::vector<std::uint32_t> all = best->second.others;
    all.insert(all.end(), best->second.promised.begin(), best->second.promised.end());
    return std::pair(best->first, all);
  }
  /// Where a recorded VM goes that a fictitious spot of some age keeps from its host; none:
  /// nowhere.
  template <class Left>
  [[nodiscard]] std::optional<HostIndex> elsewhere(const HistoryEvent& vm, std::uint32_t age,
                                                   VictimRule rule, const Left& left) const {
    std::tuple<std::size_t, std::size_t, HostIndex> fewest{1, 0, vm.host};  // the fictitious spot
    for (const auto& [id, one] : running) {
      const bool is_promised = one.is_spot && one.promised_until > vm.time;
      if (one.host == vm.host && is_promised && one.age >= age) ++std::get<0>(fewest);
    }
    for (HostIndex host = 0; host < free.size(); ++host) {
      if (host != vm.host && vm.resources.fits_in(free[host])) return host;
    }
    for (HostIndex host = 0; host < free.size(); ++host) {
      if (host == vm.host) continue;
      if (rule == VictimRule::kYoungest && vm.resources.fits_in(left(host, age))) return host;
      const bool is_before = rule == VictimRule::kFirstHost && host < vm.host;
      if (is_before && vm.resources.fits_in(left(host, 0))) return host;
      const auto of = victims(host, vm.resources, vm.time);
      if (of) fewest = std::min(fewest, {of->promised.size(), of->others.size(), host});
    }
    if (rule != VictimRule::kFewest || std::get<2>(fewest) == vm.host) return std::nullopt;
    return std::get<2>(fewest);
  }
};

/// For every event that ends an instance, the event that placed it; both by index.
std::map<std::size_t, std::uint32_t> placements_of_ends(const History& history) {
  std::map<std::size_t, std::uint32_t> result;
  std::map<std::uint32_t, std::uint32_t> spots;
  std::vector<std::uint32_t> vms;  // running, by event
  const auto events = history.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HistoryEvent& event = events[i];
    const auto id = static_cast<std::uint32_t>(i);
    if (event.kind == Kind::kVmPlaced) vms.push_back(id);
    if (event.kind == Kind::kSpotPlaced) spots[event.spot] = id;
    if (event.kind == Kind::kSpotEnded || event.kind == Kind::kSpotEvicted) {
      result[i] = spots.at(event.spot);
    }
    if (event.kind != Kind::kVmEnded) continue;
    // Any running VM of that size on that host will do: they are alike.
    const auto found = std::find_if(vms.begin(), vms.end(), [&](std::uint32_t vm) {
      return events[vm].host == event.host && events[vm].resources == event.resources;
    });
    result[i] = *found;
    vms.erase(found);
  }
  return result;
}

}  // namespace

FictitiousSpot shortcut(const History& history, const ResourceVector& size, SimTime start) {
  ResourceVector total;
  for (const ResourceVector& host : history.host_totals()) total += host;
  ResourceVector vms;
  std::map<std::uint32_t, HistoryEvent> older;
  std::vector<std::uint32_t> victims;
  bool started = false;
  FictitiousSpot fate;
  std::vector<ResourceVector> free(history.host_totals().begin(), history.host_totals().end());
  const auto begin = [&] {
    started = true;
    for (const ResourceVector& host : free) fate.slots += slots_of(size, host);
  };
  for (const HistoryEvent& event : history.events()) {
    if (!started && event.time > start) begin();
    if (started && fate.slots == 0) return fate;
    const bool comes = event.kind == Kind::kVmPlaced || event.kind == Kind::kSpotPlaced;
    (comes ? free[event.host] -= event.resources : free[event.host] += event.resources);
    if (event.kind == Kind::kVmPlaced) vms += event.resources;
    if (event.kind == Kind::kVmEnded) vms -= event.resources;
    if (event.kind == Kind::kSpotPlaced && !started) older[event.spot] = event;
    if (event.kind == Kind::kSpotEnded) older.erase(event.spot);
    if (event.kind == Kind::kSpotEvicted) victims.push_back(event.spot);
    if (event.kind != Kind::kVmPlaced) continue;
    ResourceVector held = vms + size;
    for (const auto& [number, placed] : older) {
      if (placed.promised_until > event.time) held += placed.resources;
    }
    // A recorded victim is gone only now: the younger go first, so it counts against the spot.
    for (const std::uint32_t victim : victims) older.erase(victim);
    victims.clear();
    if (!started || held.fits_in(total)) continue;
    fate.lifetime = event.time - start;
    return fate;
  }
  if (!started) begin();
  return fate;
}

FictitiousSpot full_replay(const History& history, const ResourceVector& size, SimTime start,
                           VictimRule rule) {
  constexpr std::uint32_t kFictitious = UINT32_MAX;
  const auto placement_of = placements_of_ends(history);
  const auto events = history.events();
  Cloud cloud(history.host_totals());
  FictitiousSpot fate;
  bool started = false;
  std::uint32_t age = 0;
  const auto begin = [&] {
    started = true;
    for (const ResourceVector& host : cloud.free) fate.slots += slots_of(size, host);
    if (fate.slots == 0) return;
    cloud.put(kFictitious, {*cloud.first_fit(size), size, true, age++, kNever});
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    const HistoryEvent& event = events[i];
    const auto id = static_cast<std::uint32_t>(i);
    if (!started && event.time > start) begin();
    if (started && fate.slots == 0) return fate;
    if (event.kind == Kind::kVmPlaced || event.kind == Kind::kSpotPlaced) {
      const bool is_spot = event.kind == Kind::kSpotPlaced;
      HostIndex host = event.host;
      if (started && is_spot) {
        const auto found = cloud.first_fit(event.resources);
        if (!found) continue;
        host = *found;
      } else if (started) {
        const auto found = cloud.place_vm(event.resources, rule, event.time);
        if (!found) continue;
        host = found->first;
        for (const std::uint32_t victim : found->second) {
          if (victim == kFictitious) {
            fate.lifetime = event.time - start;
            return fate;
          }
          cloud.remove(victim);
        }
      }
      cloud.put(id, {host, event.resources, is_spot, is_spot ? age++ : 0, event.promised_until});
    } else if (cloud.running.contains(placement_of.at(i))) {
      cloud.remove(placement_of.at(i));
    }
  }
  if (!started) begin();
  return fate;
}

FictitiousSpot one_by_one(const History& history, const ResourceVector& size, SimTime start,
                          VictimRule rule) {
  const auto placement_of = placements_of_ends(history);
  Cloud cloud(history.host_totals());  // as it was recorded
  FictitiousSpot fate;
  std::optional<HostIndex> at;
  std::uint32_t age = 0, spots = 0;  // spots that are recorded
  const auto begin = [&] {
    for (const ResourceVector& host : cloud.free) fate.slots += slots_of(size, host);
    at = cloud.first_fit(size);
    age = spots;
  };
  for (std::uint32_t i = 0; i < history.events().size(); ++i) {
    const HistoryEvent& event = history.events()[i];
    const SimTime lived = event.time - start;
    if (!at && event.time > start) begin();
    if (!at && event.time > start) return fate;
    const bool is_spot = event.kind == Kind::kSpotPlaced;
    if (!is_spot && event.kind != Kind::kVmPlaced) {
      const bool is_promised = event.time < event.promised_until;
      if (event.kind == Kind::kSpotEvicted && at == event.host && event.spot < age && is_promised) {
        return {fate.slots, lived};
      }
      cloud.remove(placement_of.at(i));
      continue;
    }
    cloud.put(i,
              {event.host, event.resources, is_spot, is_spot ? spots++ : 0, event.promised_until});
    if (is_spot || !at) continue;
    // What VMs leave on a host, and promised spots older than one of some age.
    const auto left = [&](HostIndex host, std::uint32_t than) {
      ResourceVector room = cloud.free[host];
      for (const auto& [id, one] : cloud.running) {
        const bool keeps = one.age < than && one.promised_until > event.time;
        if (one.host == host && one.is_spot && !keeps) room += one.resources;
      }
      return room;
    };
    const auto has_room = [&](HostIndex host) { return size.fits_in(left(host, age)); };
    if (at == event.host && !has_room(*at)) {
      const auto to = cloud.elsewhere(event, age, rule, left);
      if (!to) return {fate.slots, lived};
      if (has_room(*to)) at = to;
      for (HostIndex host = 0; host < cloud.free.size() && !has_room(*at); ++host) {
        if (has_room(host)) at = host;
      }
    }
    const ResourceVector displaced = size - left(*at, age);
    bool finds_room = has_room(*at);
    for (HostIndex host = 0; host < cloud.free.size(); ++host) {
      finds_room |= host != *at && displaced.fits_in(left(host, age));
    }
    if (!finds_room) return {fate.slots, lived};
  }
  if (!at) begin();
  return fate;
}

History random_history(const RandomHistory& recipe, std::uint64_t seed) {
  Random random(seed);
  History history(std::vector<ResourceVector>(recipe.hosts, {recipe.host_vcpus, 0, 0}));
  Cloud cloud(history.host_totals());
  std::set<std::pair<SimTime, std::uint32_t>> ends;
  SimTime now{0};
  const auto minutes = [](double count) {
    return SimTime(static_cast<std::int64_t>(count * 60e6) + 1);
  };
  for (std::uint32_t id = 0; id < recipe.requests; ++id) {
    now += minutes(random.exponential(1));
    while (!ends.empty() && ends.begin()->first <= now) {
      const auto [time, ended] = *ends.begin();
      ends.erase(ends.begin());
      if (!cloud.running.contains(ended)) continue;
      cloud.remove(ended);
      history.end(ended, time);
    }
    const bool is_spot = random.below(2) == 0;
    Request request{.vcpus = static_cast<ResourceAmount>(
                        1 + random.below(static_cast<std::uint64_t>(recipe.largest))),
                    .instance_class = is_spot ? InstanceClass::kSpot : InstanceClass::kVm,
                    .instance = id,
                    .time = now};
    const SimTime end = now + minutes(random.exponential(1 / recipe.mean_minutes));
    std::optional<HostIndex> host = cloud.first_fit(request.resources());
    if (!is_spot) {
      const auto found = cloud.place_vm(request.resources(), recipe.rule, now);
      if (!found) continue;
      host = found->first;
      for (const std::uint32_t victim : found->second) {
        cloud.remove(victim);
        history.evict(victim, now);
      }
    }
    if (!host) continue;
    SimTime promised_until = kNever;
    if (recipe.promised_percent < 100 && random.below(100) >= recipe.promised_percent) {
      const bool has_none = random.below(2) == 0;
      promised_until = has_none ? kNoPromisedEnd : now + minutes(random.exponential(0.2));
    }
    cloud.put(id, {*host, request.resources(), is_spot, id, promised_until});
    history.place(request, *host, promised_until);
    ends.emplace(end, id);
  }
  return history;
}

}  // namespace cospot::reference
