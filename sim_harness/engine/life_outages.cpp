// What LifeEngine does when hosts go and come back.

#include "sim_harness/engine/life_engine.hpp"

namespace cospot {

void LifeEngine::drain(const Outage& outage) {
  tell(LifeEventKind::kHostDrained, kNoInstance, outage.host);
  hosts_.take_out(outage.host);
  if (outage.notice == outage.start) return;
  for (const InstanceIndex instance : hosts_.vms_on(outage.host)) {
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
  while (!hosts_.vms_on(outage.host).empty()) {
    const InstanceIndex vm = hosts_.vms_on(outage.host).front();
    Instance& row = instances_[vm];
    (void)hosts_.remove_vm(vm, row.size);
    pay(row, now_);
    row.stage = Stage::kWaiting;
    row.left = row.ends_at == kNever ? kNever : row.ends_at - now_;
    ++row.version;
    tell(LifeEventKind::kEvacuation, vm, outage.host);
    plan({now_, DueKind::kEvacuation, moves_++, vm, row.version});
  }
}

void LifeEngine::come_back(const Outage& outage) {
  hosts_.take_back(outage.host);
  if (hosts_.is_out(outage.host)) return;  // another outage goes on
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
  if (!hosts_.is_out(hosts_.host_of(instance))) return;
  const ResourceVector& size = instances_[instance].size;
  const HostIndex from = hosts_.lift_vm(instance, size);
  const HostIndex to = hosts_.choose_beside_spots(request_of(instance));
  if (to == kNoHost) return hosts_.put_back_vm(instance, size, from);
  hosts_.set_down_vm(instance, size, from, to);
  ++result_.vms_migrated;
  tell(LifeEventKind::kMigration, instance, to);
}

}  // namespace cospot
