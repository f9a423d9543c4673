#include "tests/cpp/reference_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "tests/cpp/reference_life_cloud.hpp"

namespace cospot::reference {
namespace {

/// What is to be done, in this order at equal times.
enum Kind { kDepart, kBack, kDrain, kDown, kEvacuate, kMigrate, kResizeVm, kAgain, kArrive };

class Simulator : LifeCloud {
 public:
  Simulator(const Workload& workload, const Settings& settings, const LifePlan& plan)
      : LifeCloud(workload, settings), plan_(plan) {}

  LifeOutcome run() {
    ask_for_all();
    std::map<InstanceIndex, ResourceAmount> last;
    for (std::uint32_t i = 0; i < plan_.resizes.size(); ++i) {
      const Resize& resize = plan_.resizes[i];
      add(resize.time, kResizeVm, i, i);
      if (!last.contains(resize.instance)) last[resize.instance] = all_[resize.instance].size.vcpus;
      const ResourceAmount more = resize.size.vcpus - last[resize.instance];
      result().vm_revenue_requested +=
          worth(more, resize.time, workload_.rows[resize.instance].end);
      last[resize.instance] = resize.size.vcpus;
    }
    for (std::uint32_t i = 0; i < plan_.outages.size(); ++i) {
      const Outage& outage = plan_.outages[i];
      add(outage.notice, kDrain, i, i);
      add(outage.start, kDown, i, i);
      add(outage.end, kBack, i, i);
    }
    while (!todo_.empty()) {
      const auto [key, subject] = *todo_.begin();
      todo_.erase(todo_.begin());
      now_ = std::get<0>(key);
      act(std::get<1>(key), subject);
    }
    for (One& one : all_) close(one);
    result().spot_revenue_first_hour_free = result().spot_revenue - free_;
    return outcome_;
  }

 private:
  using Key = std::tuple<SimTime, int, std::int64_t>;

  RunResult& result() { return outcome_.result.run; }

  void ask_for_all() {
    result().hosts = settings_.hosts;
    for (const InstanceIndex id : arrival_order(workload_)) {
      const WorkloadRow& row = workload_.rows[id];
      all_[id].arrived = 1;
      add(row.start, kArrive, id, id);
      ++(row.is_spot() ? result().spot_requests : result().vm_requests);
      (row.is_spot() ? result().spot_revenue_requested : result().vm_revenue_requested) +=
          worth(row.resources.vcpus, row.start, row.end);
    }
  }

  void add(SimTime time, Kind kind, std::int64_t order, std::uint32_t subject) {
    const bool ever = time < workload_.window || kind == kDepart;
    if (ever) todo_.emplace(Key(time, kind, order), subject);
  }

  Revenue worth(ResourceAmount vcpus, SimTime from, SimTime to) const {
    from = std::max(from, SimTime{0});
    to = std::min(to, workload_.window);
    return from < to ? Revenue{vcpus} * (to - from).count() : Revenue{0};
  }
  void pay(One& one) {
    (one.is_spot ? result().spot_revenue : result().vm_revenue) +=
        worth(one.size.vcpus, one.paid_until, now_);
    one.paid_until = now_;
  }

  void log(const char* event, const One& one) {
    outcome_.events.push_back(life_line(
        now_, event, one.id, one.host ? static_cast<std::int64_t>(*one.host) : -1, one.size));
  }
  void log_host(const char* event, HostIndex host) {
    outcome_.events.push_back(life_line(now_, event, -1, host));
  }

  void act(int kind, std::uint32_t subject) {
    LifeResult& counts = outcome_.result;
    if (kind == kArrive) {
      One& one = all_[subject];
      const SimTime end = workload_.rows[subject].end;
      if (end != kNever) one.left = end - now_;
      if (!ask(one)) stand_by(one);
    } else if (kind == kDepart) {
      One& one = all_[subject];
      if (one.host && one.end == now_) leave_at_end(one);
    } else if (kind == kBack) {
      const HostIndex host = plan_.outages[subject].host;
      if (--outs_[host] == 0) log_host("back", host);
    } else if (kind == kDrain) {
      drain(plan_.outages[subject]);
    } else if (kind == kDown) {
      go_down(plan_.outages[subject]);
    } else if (kind == kEvacuate) {
      One& one = all_[subject];
      one.waits = false;
      if (ask(one)) {
        ++counts.vms_evacuated;
      } else {
        stand_by(one);
      }
    } else if (kind == kMigrate) {
      migrate(all_[subject]);
    } else if (kind == kResizeVm) {
      resize(plan_.resizes[subject]);
    } else if (kind == kAgain) {
      again(all_[subject]);
    }
  }

  // What happens to one.

  bool ask(One& one) {
    log("asked", one);
    const Choice choice = choose(one);
    if (!choice.host) {
      log("rejected", one);
      return false;
    }
    evict(choice);
    one.host = choice.host;
    one.came = ++comings_;
    one.placed = one.paid_until = now_;
    one.waits = false;
    one.ran = true;
    one.end = one.left ? now_ + *one.left : kNever;
    if (plan_.ends_stay) one.end = workload_.rows[one.id].end;
    log("placed", one);
    if (one.end == now_) {
      leave_at_end(one);
    } else if (one.end != kNever) {
      add(one.end, kDepart, one.id, one.id);
    }
    return true;
  }

  void evict(const Choice& choice) {
    for (const InstanceIndex victim : choice.victims) {
      ++result().evictions;
      log("evicted", all_[victim]);
      stop(all_[victim]);
    }
  }

  void leave_at_end(One& one) {
    log("ended", one);
    pay(one);
    one.host.reset();
  }

  void take_off(One& one) {
    pay(one);
    one.host.reset();
    one.left.reset();
    if (one.end != kNever) one.left = one.end - now_;
  }

  void stop(One& spot) {
    if (now_ < spot.placed + std::chrono::hours(1)) {
      free_ += worth(spot.size.vcpus, spot.placed, now_);
    }
    take_off(spot);
    stand_by(spot);
  }

  const Backoff& rule(const One& one) const {
    return one.is_spot && one.ran ? plan_.returning_spots : plan_.retries;
  }

  void stand_by(One& one) {
    one.waits = true;
    one.asked = now_;
    one.wait = std::min(rule(one).first_wait, rule(one).longest_wait);
    look_ahead(one);
  }

  void look_ahead(One& one) {
    const Backoff& how = rule(one);
    const bool may = how.patience > SimTime{0} && (one.is_spot ? how.spots : how.vms);
    one.next_try = now_ + one.wait;
    const bool in_time = one.next_try - one.asked <= how.patience;
    const bool too_late = plan_.ends_stay && workload_.rows[one.id].end <= one.next_try;
    if (may && in_time && !too_late) return add(one.next_try, kAgain, one.id, one.id);
    one.waits = false;
    if (may) log("gave up", one);
  }

  void again(One& one) {
    LifeResult& counts = outcome_.result;
    const bool had_run = one.ran;
    if (!had_run) ++(one.is_spot ? counts.spot_retries : counts.vm_retries);
    if (!ask(one)) {
      // Factors of the tests have at most 6 decimals; a wait is far from overflowing with them.
      constexpr std::int64_t kMillion = 1'000'000;
      const std::int64_t millionths = std::llround(rule(one).factor.number() * 1e6);
      const std::int64_t longer = one.wait.count() / kMillion * millionths +
                                  one.wait.count() % kMillion * millionths / kMillion;
      one.wait = std::min(SimTime(longer), rule(one).longest_wait);
      return look_ahead(one);
    }
    if (had_run) {
      ++(one.is_spot ? counts.spots_returned : counts.vms_restarted);
    } else {
      ++(one.is_spot ? counts.spots_late : counts.vms_late);
      (one.is_spot ? counts.spot_wait : counts.vm_wait) += now_ - one.asked;
    }
  }

  // What happens to hosts.

  void drain(const Outage& outage) {
    log_host("drained", outage.host);
    ++outs_[outage.host];
    if (outage.notice == outage.start) return;
    for (const One* vm : on(outage.host, false)) add(now_, kMigrate, ++moves_, vm->id);
  }

  void migrate(One& vm) {
    const std::optional<HostIndex> from = vm.host;
    if (!from || outs_[*from] == 0) return;  // it went meanwhile
    vm.host.reset();
    for (const HostIndex host : rank(vm)) {
      if (!fits(vm, host, true)) continue;
      vm.host = host;
      vm.came = ++comings_;
      ++outcome_.result.vms_migrated;
      return log("migrated", vm);
    }
    vm.host = from;
  }

  void go_down(const Outage& outage) {
    LifeResult& counts = outcome_.result;
    const bool fails = outage.kind == OutageKind::kFailure;
    ++(fails ? counts.host_failures : counts.maintenances);
    log_host("down", outage.host);
    for (const One* spot : on(outage.host, true)) {
      ++(fails ? counts.spots_lost : counts.spots_stopped);
      log(fails ? "lost" : "stopped", all_[spot->id]);
      stop(all_[spot->id]);
    }
    for (const One* vm : on(outage.host, false)) {
      log("evacuated", all_[vm->id]);
      take_off(all_[vm->id]);
      all_[vm->id].waits = true;
      add(now_, kEvacuate, ++moves_, vm->id);
    }
  }

  void resize(const Resize& resize) {
    LifeResult& counts = outcome_.result;
    One& vm = all_[resize.instance];
    if (!vm.host) {
      ++counts.resizes_missed;
      return;
    }
    const HostIndex from = *vm.host;
    const ResourceVector old = vm.size;
    pay(vm);
    const ResourceVector room = total(from) - taken(from, true, {vm.id});
    const bool shrinks = resize.size.fits_in(old);
    if (shrinks || (outs_[from] == 0 && fits_where_it_grows(old, resize.size, room))) {
      vm.size = resize.size;
      ++counts.resizes_in_place;
      return log("resized", vm);
    }
    vm.host.reset();
    vm.size = resize.size;
    log("asked", vm);
    const Choice choice = choose(vm);
    if (!choice.host) {
      vm.host = from;
      log("refused", vm);
      vm.size = old;
      ++counts.resizes_refused;
      return;
    }
    evict(choice);
    vm.host = choice.host;
    vm.came = ++comings_;
    ++(choice.host == from ? counts.resizes_in_place : counts.resizes_moved);
    log("resized", vm);
  }

  /// `room` is that of the host without the VM.
  static bool fits_where_it_grows(const ResourceVector& old, const ResourceVector& to,
                                  const ResourceVector& room) {
    return (to.vcpus <= old.vcpus || to.vcpus <= room.vcpus) &&
           (to.memory_mb <= old.memory_mb || to.memory_mb <= room.memory_mb) &&
           (to.disk_gb <= old.disk_gb || to.disk_gb <= room.disk_gb);
  }

  void close(One& one) {
    LifeResult& counts = outcome_.result;
    now_ = workload_.window;
    if (one.is_spot && one.ran) ++result().spot_admitted;
    if (one.host) return pay(one);
    if (one.arrived == 0) return;
    if (one.waits) ++counts.waiting;
    if (one.is_spot) return;
    if (!one.ran) {
      ++result().vm_rejected;
      bool some = false;
      for (HostIndex host = 0; host < outs_.size(); ++host) {
        some = some || one.size.fits_in(total(host));
      }
      if (!some) ++result().vm_too_large;
    } else if (one.waits || one.paid_until < one.end) {
      ++counts.vms_lost;
    }
  }

  const LifePlan& plan_;
  std::multimap<Key, std::uint32_t> todo_;
  std::int64_t comings_ = 0, moves_ = 0;
  Revenue free_ = 0;
  LifeOutcome outcome_;
};

}  // namespace

LifeOutcome simulate_life(const Workload& workload, const Settings& settings,
                          const LifePlan& plan) {
  return Simulator(workload, settings, plan).run();
}

std::string life_line(SimTime time, const std::string& event, std::int64_t instance,
                      std::int64_t host, ResourceVector size) {
  return fmt::format("{} {} {} {} {}x{}x{}", time.count(), event, instance, host, size.vcpus,
                     size.memory_mb, size.disk_gb);
}

}  // namespace cospot::reference
