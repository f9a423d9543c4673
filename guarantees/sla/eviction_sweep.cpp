#include "guarantees/sla/eviction_sweep.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "guarantees/sla/lifetime_quantiles.hpp"
#include "guarantees/sla/recorded_hosts.hpp"

namespace cospot {
namespace {

/// Fictitious spots on one host that are of one age among the running recorded spots: a chain of
/// starts through Replay::next_.
struct Cohort {
  std::uint32_t age = 0;  ///< how many recorded spots were placed before
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

constexpr std::uint32_t kLast = UINT32_MAX;

/// A displaced VM's new host, if the fictitious spot is to stay alive.
enum class Outcome : std::uint8_t { kMoves, kStays, kEvicted };

class Replay final : public EvictionSweep {
 public:
  Replay(std::span<const ResourceVector> host_totals, const ResourceVector& size,
         std::span<const SimTime> starts, VictimRule rule)
      : size_(size),
        starts_(starts),
        rule_(rule),
        hosts_(host_totals),
        cohorts_(hosts_.size()),
        next_(starts.size(), kLast),
        spots_(starts.size()) {
    for (HostIndex host = 0; host < hosts_.size(); ++host) {
      slots_on_.push_back(slots_of(size_, hosts_.free(host)));
      slots_ += slots_on_.back();
    }
  }

  void run(std::span<const HistoryEvent> events, SimTime until) override {
    for (; applied_ < events.size() && events[applied_].time <= until; ++applied_) {
      start_before(events[applied_].time);
      apply(events[applied_]);
    }
    start_before(until);
  }

  [[nodiscard]] std::span<const FictitiousSpot> fates() const override { return spots_; }

 private:
  /// Puts the fictitious spots that start before `time` where first fit puts them: after all that
  /// happened up to their own start.
  void start_before(SimTime time) {
    for (; started_ < starts_.size() && starts_[started_] < time; ++started_) {
      if (slots_ == 0) continue;
      spots_[started_].slots = slots_;
      const auto spot = static_cast<std::uint32_t>(started_);
      insert(first_with_room(), {.age = hosts_.spots_placed(), .first = spot, .last = spot});
    }
  }

  HostIndex first_with_room() {
    while (!size_.fits_in(hosts_.free(first_host_))) ++first_host_;  // slots_ > 0: there is one
    return first_host_;
  }

  void apply(const HistoryEvent& event) {
    using Kind = HistoryEvent::Kind;
    now_ = event.time;
    if (event.kind == Kind::kSpotEvicted) evict_younger(event);
    hosts_.apply(event);
    const std::int64_t after = slots_of(size_, hosts_.free(event.host));
    slots_ += after - std::exchange(slots_on_[event.host], after);
    if (after > 0) first_host_ = std::min(first_host_, event.host);
    if (event.kind != Kind::kVmPlaced) return;
    settle(event);
    if (!leaning_.empty()) settle_leaning(event.time);
  }

  /// Whoever is younger than a recorded victim on its host went before it, unless that was promised
  /// nothing any more: then all fictitious spots stayed.
  void evict_younger(const HistoryEvent& event) {
    if (event.time >= event.promised_until) return;
    std::vector<Cohort>& there = cohorts_[event.host];
    while (!there.empty() && there.back().age > event.spot) {
      evict(there.back(), event.time);
      there.pop_back();
    }
  }

  [[nodiscard]] bool has_its_room(HostIndex host, const Cohort& cohort) const {
    return size_.fits_in(hosts_.free_beside_promised(host, cohort.age, now_));
  }

  /// The hosts at which searches of a VM's cohorts begin. The cohorts are searched for from the
  /// oldest on: a host that is too full beside what an older one has to respect is too full beside
  /// what a younger one has to.
  struct Searched {
    std::optional<HostIndex> free_for_vm{};  ///< the same for all
    HostIndex made_free_for_vm = 0;
    HostIndex free_for_spot = 0;
  };

  /// A VM was recorded on a host: which fictitious spots there does it meet, the youngest first?
  void settle(const HistoryEvent& vm) {
    std::vector<Cohort>& there = cohorts_[vm.host];
    std::size_t met = there.size();
    while (met > 0 && !has_its_room(vm.host, there[met - 1])) --met;
    if (met == there.size()) return;
    Searched searched;
    const std::vector<Cohort> pushed(there.begin() + static_cast<std::ptrdiff_t>(met), there.end());
    there.resize(met);
    bool leans = false;
    for (const Cohort& cohort : pushed) {
      HostIndex to = kNoHost;
      switch (outcome(vm, cohort, searched, to)) {
        case Outcome::kMoves:
          insert(to, cohort);
          break;
        case Outcome::kStays:
          insert(vm.host, cohort);
          leans = true;
          break;
        case Outcome::kEvicted:
          evict(cohort, vm.time);
          break;
      }
    }
    if (leans && std::ranges::find(leaning_, vm.host) == leaning_.end()) {
      leaning_.push_back(vm.host);
    }
  }

  Outcome outcome(const HistoryEvent& vm, const Cohort& cohort, Searched& searched,
                  HostIndex& to) const {
    const HostIndex vm_goes_to = other_host_for(vm, cohort, searched);
    if (vm_goes_to == kNoHost) return Outcome::kEvicted;
    to = vm_goes_to;
    if (has_its_room(to, cohort)) return Outcome::kMoves;
    to = searched.free_for_spot = first_beside_promised(searched.free_for_spot, size_, cohort,
                                                        [](HostIndex /*host*/) { return true; });
    return to == kNoHost ? Outcome::kStays : Outcome::kMoves;
  }

  /// The first host from one on for which `is_fit` holds; kNoHost: none.
  template <class IsFit>
  [[nodiscard]] HostIndex first_host(const IsFit& is_fit, HostIndex host = 0) const {
    while (host < hosts_.size() && !is_fit(host)) ++host;
    return host < hosts_.size() ? host : kNoHost;
  }

  /// The first of these hosts that has an amount free beside what a cohort has to respect.
  template <class IsWanted>
  [[nodiscard]] HostIndex first_beside_promised(HostIndex from, const ResourceVector& amount,
                                                const Cohort& cohort,
                                                const IsWanted& is_wanted) const {
    return first_host(
        [&](HostIndex host) {
          // Most hosts are full of VMs: their spots need no look.
          return amount.fits_in(hosts_.free_ignoring_spots(host)) && is_wanted(host) &&
                 amount.fits_in(hosts_.free_beside_promised(host, cohort.age, now_));
        },
        from);
  }

  /// The host of a VM if the fictitious spot keeps its capacity on the VM's recorded host; kNoHost:
  /// none, the spot is evicted for it.
  [[nodiscard]] HostIndex other_host_for(const HistoryEvent& vm, const Cohort& cohort,
                                         Searched& searched) const {
    if (!searched.free_for_vm) {
      searched.free_for_vm = first_host([&](HostIndex host) {
        return host != vm.host && vm.resources.fits_in(hosts_.free(host));
      });
    }
    if (*searched.free_for_vm != kNoHost) return *searched.free_for_vm;
    switch (rule_) {
      case VictimRule::kYoungest:  // where younger ones make room
        return searched.made_free_for_vm =
                   first_beside_promised(searched.made_free_for_vm, vm.resources, cohort,
                                         [&](HostIndex host) { return host != vm.host; });
      case VictimRule::kFirstHost:
        return first_host([&](HostIndex host) {
          return host < vm.host && vm.resources.fits_in(hosts_.free_ignoring_spots(host));
        });
      case VictimRule::kFewest:
        return where_fewer_make_room(vm, cohort);
    }
    return kNoHost;
  }

  /// The number of spots evicted for the VM on a host: spots with a promise of a longer life, and
  /// others.
  struct Victims {
    std::size_t promised = SIZE_MAX;  ///< SIZE_MAX: all do not suffice
    std::size_t others = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
    friend auto operator<=>(const Victims&, const Victims&) = default;
  };

  [[nodiscard]] Victims victims_on(HostIndex host, const ResourceVector& vm) const {
    ResourceVector others;
    for (const auto& spot : hosts_.spots_on(host)) {
      if (!spot.is_promised(now_)) others += spot.resources;
    }
    ResourceVector free = hosts_.free(host);
    const std::size_t promised = evict_youngest(host, true, vm - others, free);
    if (promised == SIZE_MAX) return {};
    return {.promised = promised, .others = evict_youngest(host, false, vm, free)};
  }

  /// The number of the youngest spots, promised or not, whose evictions free `needed`; SIZE_MAX:
  /// all do not suffice. Adds their capacity to `free`.
  [[nodiscard]] std::size_t evict_youngest(HostIndex host, bool promised,
                                           const ResourceVector& needed,
                                           ResourceVector& free) const {
    std::size_t victims = 0;
    const auto spots = hosts_.spots_on(host);
    for (auto spot = spots.rbegin(); spot != spots.rend() && !needed.fits_in(free); ++spot) {
      if (spot->is_promised(now_) != promised) continue;
      free += spot->resources;
      ++victims;
    }
    return needed.fits_in(free) ? victims : SIZE_MAX;
  }

  [[nodiscard]] HostIndex where_fewer_make_room(const HistoryEvent& vm,
                                                const Cohort& cohort) const {
    const auto spots = hosts_.spots_on(vm.host);
    Victims fewest{.promised = 1 + static_cast<std::size_t>(
                                       std::ranges::count_if(spots, [&](const auto& spot) {
                                         return spot.number >= cohort.age && spot.is_promised(now_);
                                       }))};
    HostIndex best = vm.host;
    for (HostIndex host = 0; host < hosts_.size(); ++host) {
      if (host == vm.host) continue;
      const Victims victims = victims_on(host, vm.resources);
      if (victims < fewest || (victims == fewest && host < best)) {
        fewest = victims;
        best = host;
      }
    }
    return best == vm.host ? kNoHost : best;
  }

  /// Fictitious spots that stayed although recorded VMs have their room: some other host must have
  /// room for what those VMs displace, or they are evicted after all.
  void settle_leaning(SimTime now) {
    std::erase_if(leaning_, [&](HostIndex host) {
      std::vector<Cohort>& there = cohorts_[host];
      bool leans = false;
      std::erase_if(there, [&](const Cohort& cohort) {
        if (has_its_room(host, cohort)) return false;
        if (can_lean(host, cohort)) {
          leans = true;
          return false;
        }
        evict(cohort, now);
        return true;
      });
      return !leans;
    });
  }

  [[nodiscard]] bool can_lean(HostIndex on, const Cohort& cohort) const {
    const ResourceVector displaced = size_ - hosts_.free_beside_promised(on, cohort.age, now_);
    return first_beside_promised(0, displaced, cohort,
                                 [&](HostIndex host) { return host != on; }) != kNoHost;
  }

  /// Adds a cohort to a host, by age; those that no running spot tells apart become one.
  void insert(HostIndex host, const Cohort& cohort) {
    std::vector<Cohort>& there = cohorts_[host];
    const auto after = std::ranges::upper_bound(there, cohort.age, {}, &Cohort::age);
    const std::size_t older = hosts_.running_older(cohort.age);
    if (after != there.begin() && hosts_.running_older(std::prev(after)->age) == older) {
      append(*std::prev(after), cohort);
    } else if (after != there.end() && hosts_.running_older(after->age) == older) {
      append(*after, cohort);
    } else {
      there.insert(after, cohort);
    }
  }

  void append(Cohort& to, const Cohort& cohort) {
    next_[to.last] = cohort.first;
    to.last = cohort.last;
  }

  void evict(const Cohort& cohort, SimTime now) {
    for (std::uint32_t spot = cohort.first; spot != kLast; spot = next_[spot]) {
      spots_[spot].lifetime = now - starts_[spot];
    }
  }

  ResourceVector size_;
  std::span<const SimTime> starts_;
  VictimRule rule_;
  RecordedHosts hosts_;
  SimTime now_{0};                      // of the last event
  std::vector<std::int64_t> slots_on_;  // each host
  std::int64_t slots_ = 0;
  HostIndex first_host_ = 0;  // no host before it has room
  std::size_t applied_ = 0;   // events
  std::size_t started_ = 0;
  std::vector<std::vector<Cohort>> cohorts_;  // on each host, the oldest first
  std::vector<std::uint32_t> next_;           // of a start in its cohort
  std::vector<HostIndex> leaning_;
  std::vector<FictitiousSpot> spots_;
};

}  // namespace

std::vector<FictitiousSpot> sweep_evictions(const History& history, const ResourceVector& size,
                                            std::span<const SimTime> starts, VictimRule rule,
                                            SimTime until) {
  const auto sweep = make_eviction_sweep(history.host_totals(), size, starts, rule);
  sweep->run(history.events(), until);
  const std::span<const FictitiousSpot> fates = sweep->fates();
  return {fates.begin(), fates.end()};
}

std::unique_ptr<EvictionSweep> make_eviction_sweep(std::span<const ResourceVector> host_totals,
                                                   const ResourceVector& size,
                                                   std::span<const SimTime> starts,
                                                   VictimRule rule) {
  return std::make_unique<Replay>(host_totals, size, starts, rule);
}

}  // namespace cospot
