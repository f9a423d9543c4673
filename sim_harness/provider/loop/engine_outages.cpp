// The events of a LifePlan: hosts leave and come back, VMs change their size.

#include <algorithm>
#include <map>

#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot {
namespace {

/// True if the growth from `from` to `to` fits in `free`. A resource that shrinks always fits.
bool grows_within(const ResourceVector& from, const ResourceVector& to,
                  const ResourceVector& free) {
  const auto fits = [](ResourceAmount growth, ResourceAmount room) {
    return growth <= 0 || growth <= room;
  };
  return fits(to.vcpus - from.vcpus, free.vcpus) &&
         fits(to.memory_mb - from.memory_mb, free.memory_mb) &&
         fits(to.disk_gb - from.disk_gb, free.disk_gb);
}

}  // namespace

/// The requested amount of VMs assumes that every resize is granted; the refused part is lost.
void SimulationEngine::plan_outages_and_resizes() {
  const LifePlan& plan = *parts_.plan;
  for (std::uint32_t i = 0; i < plan.outages.size(); ++i) {
    const Outage& outage = plan.outages[i];
    push({outage.notice, DueKind::kHostDrained, i, i});
    push({outage.start, DueKind::kHostDown, i, i});
    push({outage.end, DueKind::kHostBack, i, i});
  }
  std::map<InstanceIndex, ResourceAmount> vcpus_of;
  for (std::uint32_t i = 0; i < plan.resizes.size(); ++i) {
    const Resize& resize = plan.resizes[i];
    push({resize.time, DueKind::kResize, i, i});
    const auto [before, is_first] =
        vcpus_of.try_emplace(resize.instance, rows_[resize.instance].size.vcpus);
    resizes_requested_ += schedule_->revenue(resize.size.vcpus - before->second, resize.time,
                                             schedule_->end[resize.instance]);
    before->second = resize.size.vcpus;
  }
  lost_[0].add(LossCause::kRoom, resizes_requested_);
}

void SimulationEngine::drain(const Outage& outage) {
  tell(LifeEventKind::kHostDrained, kNoInstance, outage.host);
  hosts_.close(outage.host);
  note_change({.kind = HostChange::Kind::kClosed, .host = outage.host});
  if (outage.notice == outage.start) return;
  for (const InstanceIndex instance : vms_on_[outage.host]) {
    push({now_, DueKind::kMigration, moves_++, instance});
  }
}

/// All on the host stop at once. Its VMs look for others when every host that goes down at this
/// moment has gone, so that none is moved, or has spots evicted, in vain.
void SimulationEngine::go_down(const Outage& outage) {
  const HostIndex host = outage.host;
  const bool is_failure = outage.kind == OutageKind::kFailure;
  ++(is_failure ? life_.host_failures : life_.maintenances);
  tell(LifeEventKind::kHostDown, kNoInstance, host);
  while (!hosts_.spots_on(host).empty()) {
    const InstanceIndex spot = hosts_.spots_on(host).front().instance;
    ++(is_failure ? life_.spots_lost : life_.spots_stopped);
    tell(is_failure ? LifeEventKind::kLoss : LifeEventKind::kStop, spot, host);
    stop_spot(spot, host, LossCause::kOutage, now_);
    tell_counting([&](InstanceObserver& watch) { watch.departed(spot, host, now_); });
    begin_waiting(spot);
  }
  while (!vms_on_[host].empty()) {
    const InstanceIndex vm = vms_on_[host].front();
    const InstanceRow& row = rows_[vm];
    const Revenue lost = schedule_->revenue(row.size.vcpus, now_, row.ends_at);
    take_vm(vm, host);
    std::erase(vms_on_[host], vm);
    lost_[0].add(LossCause::kOutage, lost);
    stopped(vm, lost, LossCause::kOutage);
    tell_counting([&](InstanceObserver& watch) { watch.departed(vm, host, now_); });
    tell(LifeEventKind::kEvacuation, vm, host);
    push({now_, DueKind::kEvacuation, moves_++, vm, row.version});
  }
}

void SimulationEngine::come_back(const Outage& outage) {
  hosts_.reopen(outage.host);
  note_change({.kind = HostChange::Kind::kReopened, .host = outage.host});
  if (hosts_.is_closed(outage.host)) return;  // another outage goes on
  tell(LifeEventKind::kHostBack, kNoInstance, outage.host);
}

void SimulationEngine::take_vm(InstanceIndex instance, HostIndex host) {
  const ResourceVector& size = rows_[instance].size;
  hosts_.remove_vm(instance, size, host);
  note_change({.kind = HostChange::Kind::kLeft,
               .host = host,
               .instance = instance,
               .resources = size,
               .is_vm = true});
}

void SimulationEngine::put_vm(InstanceIndex instance, HostIndex host) {
  const ResourceVector& size = rows_[instance].size;
  hosts_.place_vm(instance, size, host);
  note_change({.kind = HostChange::Kind::kCame,
               .host = host,
               .instance = instance,
               .resources = size,
               .is_vm = true});
}

/// A VM that took_vm() has taken runs on another host, or with another size, from now on.
void SimulationEngine::move_vm(InstanceIndex instance, HostIndex from, HostIndex to) {
  put_vm(instance, to);
  std::erase(vms_on_[from], instance);
  vms_on_[to].push_back(instance);
  learn_of_move(instance, from, to);
}

void SimulationEngine::learn_of_move(InstanceIndex instance, HostIndex from, HostIndex to) {
  tell_counting([&](InstanceObserver& watch) {
    watch.departed(instance, from, now_);
    watch.placed(request_of(instance), to);
  });
}

/// A VM on a host that will go down moves where nobody has to go for it; else it stays for now.
/// Who moves VMs sees the datacenter as it is, and so does who resizes them.
void SimulationEngine::migrate(InstanceIndex instance) {
  // Another outage may have moved it at this very moment.
  if (rows_[instance].stage != Stage::kRunning) return;
  const HostIndex from = hosts_.host_of(instance);
  if (!hosts_.is_closed(from)) return;
  take_vm(instance, from);
  const HostIndex to = hosts_.first_without_eviction(request_of(instance));
  if (to == kNoHost) return put_vm(instance, from);
  move_vm(instance, from, to);
  ++life_.vms_migrated;
  tell(LifeEventKind::kMigration, instance, to);
}

void SimulationEngine::resize(const Resize& resize) {
  InstanceRow& row = rows_[resize.instance];
  if (row.stage != Stage::kRunning) {
    ++life_.resizes_missed;
    return;
  }
  const ResourceVector old = row.size;
  const HostIndex from = hosts_.host_of(resize.instance);
  HostIndex to = from;
  if (grows_within(old, resize.size, hosts().free(from, Sees::kVmsAndSpots))) {
    note_change({.kind = HostChange::Kind::kLeft,
                 .host = from,
                 .instance = resize.instance,
                 .resources = old,
                 .is_vm = true});
    hosts_.resize_vm(old, resize.size, from);
    row.size = resize.size;
    note_change({.kind = HostChange::Kind::kCame,
                 .host = from,
                 .instance = resize.instance,
                 .resources = resize.size,
                 .is_vm = true});
    learn_of_move(resize.instance, from, to);
  } else {
    // It asks with its new size, its old room given up; a refused one gets that back.
    take_vm(resize.instance, from);
    row.size = resize.size;
    to = find_host(request_of(resize.instance));
    if (to == kNoHost) {
      row.size = old;
      put_vm(resize.instance, from);
      ++life_.resizes_refused;
      return tell(LifeEventKind::kResizeRefused, resize.instance, from, resize.size);
    }
    move_vm(resize.instance, from, to);
  }
  lost_[0].add(LossCause::kRoom,
               -schedule_->revenue(resize.size.vcpus - old.vcpus, now_, row.ends_at));
  ++(to == from ? life_.resizes_in_place : life_.resizes_moved);
  tell(LifeEventKind::kResize, resize.instance, to, resize.size);
}

}  // namespace cospot
