// What LifeEngine does when hosts go and come back.

#include "sim_harness/engine/life_engine.hpp"

namespace cospot {

void LifeEngine::drain(const Outage& outage) {
  tell(LifeEventKind::kHostDrained, kNoInstance, outage.host);
  hosts_.close(outage.host);
  if (outage.notice == outage.start) return;
  for (const InstanceIndex instance : vms_on_[outage.host]) {
    plan({now_, DueKind::kMigration, moves_++, instance});
  }
}

/// All on the host stop at once. Its VMs look for others when every host that goes down at this
/// moment has gone, so that none is moved, or has spots evicted, in vain.
void LifeEngine::go_down(const Outage& outage) {
  const bool is_failure = outage.kind == OutageKind::kFailure;
  ++(is_failure ? result_.host_failures : result_.maintenances);
  tell(LifeEventKind::kHostDown, kNoInstance, outage.host);
  while (!hosts_.spots_on(outage.host).empty()) {
    const InstanceIndex spot = hosts_.spots_on(outage.host).front().instance;
    ++(is_failure ? result_.spots_lost : result_.spots_stopped);
    tell(is_failure ? LifeEventKind::kLoss : LifeEventKind::kStop, spot, outage.host);
    stop_spot(spot);
  }
  while (!vms_on_[outage.host].empty()) {
    const InstanceIndex vm = vms_on_[outage.host].front();
    Instance& row = instances_[vm];
    hosts_.remove_vm(vm, row.size, outage.host);
    forget_vm(vm, outage.host);
    pay(row, now_);
    row.stage = Stage::kWaiting;
    row.left = row.ends_at == kNever ? kNever : row.ends_at - now_;
    ++row.version;
    tell(LifeEventKind::kEvacuation, vm, outage.host);
    plan({now_, DueKind::kEvacuation, moves_++, vm, row.version});
  }
}

void LifeEngine::come_back(const Outage& outage) {
  hosts_.reopen(outage.host);
  if (hosts_.is_closed(outage.host)) return;  // another outage goes on
  tell(LifeEventKind::kHostBack, kNoInstance, outage.host);
}

void LifeEngine::evacuate(InstanceIndex instance) {
  if (try_to_place(instance)) {
    ++result_.vms_evacuated;
  } else {
    begin_waiting(instance, instances_[instance].left);
  }
}

/// A VM on a host that will go down moves where nobody has to go for it; else it stays for now.
void LifeEngine::migrate(InstanceIndex instance) {
  // Another outage may have moved it at this very moment.
  if (instances_[instance].stage != Stage::kRunning) return;
  if (!hosts_.is_closed(hosts_.host_of(instance))) return;
  const ResourceVector& size = instances_[instance].size;
  const HostIndex from = hosts_.host_of(instance);
  hosts_.remove_vm(instance, size, from);
  const HostIndex to = hosts_.first_without_eviction(request_of(instance));
  if (to == kNoHost) return hosts_.place_vm(instance, size, from);
  hosts_.place_vm(instance, size, to);
  move_vm(instance, from, to);
  ++result_.vms_migrated;
  tell(LifeEventKind::kMigration, instance, to);
}

}  // namespace cospot
