#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/run_result.hpp"

/// A second, slow simulator for the tests: it recomputes every sum from the instances, ranks every
/// host by a full sort and tries every subset of spots. It shares only plain values with the
/// product, so that a mistake there cannot hide here.
namespace cospot::reference {

/// An offer of the first hosts, fewer the fuller the datacenter is of VMs.
struct AdaptiveOffer {
  std::size_t at_low_load = 1;
  std::size_t at_high_load = 1;
  double from = 0;
  double to = 1;
};

/// A host, where they are not all alike.
struct HostSettings {
  ResourceVector total{};
  std::string zone{};
  std::map<std::string, std::set<std::string>> metadata{};
};

/// One run. `vm` is UTIL, COS, DPD, FirstFit, FewestSpots or SpotHour; `spot` is sUTIL, sCOS, sDPD,
/// vmaUTIL, vmaCOS, vmaDPD or FirstFit (the lowest host that fits); `evictor` is FIFO, YJF, LPO or
/// LPML (with the model that is built in).
struct Settings {
  ResourceVector host{};
  std::size_t hosts = 0;
  std::string vm = "UTIL";
  std::string spot = "sUTIL";
  std::string evictor = "FIFO";
  bool saf = false;
  std::size_t otn = 1;
  std::optional<AdaptiveOffer> adaptive{};  ///< used instead of otn, if set
  std::optional<double> epsilon{};          ///< used instead of both, if set
  std::vector<HostSettings> each{};         ///< the hosts one by one, used instead of host, if set
};

enum class EventKind { kPlaced, kRejected, kEvicted, kEnded };

/// What happened to an instance. The victims of a VM come right before its placement, in their
/// order of placement. The host of a rejected request is kNoHost.
struct Event {
  SimTime time{0};
  EventKind kind = EventKind::kPlaced;
  InstanceIndex instance = 0;
  HostIndex host = kNoHost;

  friend bool operator==(const Event&, const Event&) = default;
};

struct Eviction {
  SimTime time{0};
  HostIndex host = kNoHost;
  InstanceIndex victim = 0;

  friend bool operator==(const Eviction&, const Eviction&) = default;
};

struct Outcome {
  std::vector<HostIndex> placements;  ///< by workload row; kNoHost: rejected
  std::vector<Eviction> evictions;    ///< in the order they happen
  std::vector<Event> events;          ///< all of them, in order
  RunResult result;                   ///< the alloc and wall fields stay 0
};

/// Errors: ConfigError for an unknown policy name; PolicyError when LPO meets over 16 spots on a
/// host, which is too many to try every subset of.
[[nodiscard]] Outcome simulate(const Workload& workload, const Settings& settings);

/// The datacenter of 0 % headroom: the first host count from ceil(peak VM demand / capacity) up
/// at which a run of the VMs alone rejects none.
///
/// Errors: WorkloadError when a VM is larger than an empty host, so that no count is enough.
[[nodiscard]] std::size_t datacenter_size(const Workload& workload, const ResourceVector& capacity,
                                          const std::string& vm_policy);

/// Revenue of an instance that ran from `start` to `end`: vcpus times its life inside
/// [0, window], in vcpu-microseconds.
[[nodiscard]] Revenue earned(const WorkloadRow& row, SimTime end, SimTime window);

/// The workload's rows in the order they are requested: by start, then file order.
[[nodiscard]] std::vector<InstanceIndex> arrival_order(const Workload& workload);

}  // namespace cospot::reference
