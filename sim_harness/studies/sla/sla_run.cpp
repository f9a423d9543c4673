#include "sim_harness/studies/sla/sla_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"

namespace cospot {
namespace {

/// The requests of both classes, as the run sees them.
struct RunRequests {
  std::string name;
  Requests on_demand;
  Requests spot;
  bool share_groups = false;  ///< they are the two classes of one file
};

RunRequests requests_of(const RequestStore& store, const GridPoint<SlaSettings>& at) {
  const SlaSettings& settings = at.settings();
  const RunSeeds seeds(at.get(kSeedAxis));
  const RequestSource& on_demand = at.get(kSlaWorkloadAxis);
  const RequestSource& spot = at.get(kSpotWorkloadAxis);
  const RequestSource& spot_source = spot.is_same_file ? on_demand : spot;
  RunRequests requests{
      .name = spot.is_same_file ? on_demand.label : on_demand.label + " and " + spot.label,
      .on_demand = store.requests(on_demand, InstanceClass::kVm, seeds.vms),
      .spot = store.requests(spot_source, InstanceClass::kSpot, seeds.spots)};
  requests.share_groups = spot_source.file == on_demand.file && !requests.on_demand.are_all_rows &&
                          !requests.spot.are_all_rows;
  for (WorkloadRow& row : requests.spot.rows) {
    row.start += settings.spot_delay;
    if (row.end != kNever) row.end += settings.spot_delay;
  }
  requests.spot.end += settings.spot_delay;
  if (settings.spots_end_with_vms) {
    requests.spot.end = std::min(requests.spot.end, requests.on_demand.end);
    std::erase_if(requests.spot.rows,
                  [&](const WorkloadRow& row) { return row.start >= requests.spot.end; });
  }
  for (std::vector<WorkloadRow>* rows : {&requests.on_demand.rows, &requests.spot.rows}) {
    for (WorkloadRow& row : *rows) {
      row.resources.disk_gb = 0;
      if (!settings.has_memory) row.resources.memory_mb = 0;
    }
  }
  return requests;
}

/// Gives what spots ask numbers behind what VMs ask: other requests, other groups.
void set_apart(Requests& spot, WorkloadPlacements& placements) {
  const auto groups = static_cast<std::uint32_t>(placements.groups.size());
  const auto asked = static_cast<std::uint32_t>(placements.asked.size());
  if (asked + spot.placements.asked.size() > WorkloadPlacements::kMostAsked) {
    throw ConfigError(fmt::format(
        "workloads and spot_workloads: more than {} different zones, extra specs and groups",
        WorkloadPlacements::kMostAsked));
  }
  for (RowPlacement& one : spot.placements.asked) {
    if (one.group != RowPlacement::kNoGroup) one.group += groups;
  }
  for (WorkloadRow& row : spot.rows) {
    if (row.placement != 0)
      row.placement = (row.placement + asked) & WorkloadPlacements::kMostAsked;
  }
  std::ranges::move(spot.placements.asked, std::back_inserter(placements.asked));
  std::ranges::move(spot.placements.groups, std::back_inserter(placements.groups));
}

Workload merged(RunRequests requests) {
  Workload workload{.name = std::move(requests.name),
                    .window = std::max(requests.on_demand.end, requests.spot.end),
                    .placements = std::move(requests.on_demand.placements)};
  if (!requests.share_groups) set_apart(requests.spot, workload.placements);
  workload.rows = std::move(requests.on_demand.rows);
  std::ranges::move(requests.spot.rows, std::back_inserter(workload.rows));
  return workload;
}

double mean_demand(const Requests& requests, SimTime from) {
  return requests.end <= from ? 0 : mean_vcpus(requests.rows, from, requests.end);
}

}  // namespace

Workload sla_workload(const RequestStore& store, const GridPoint<SlaSettings>& at) {
  return merged(requests_of(store, at));
}

EventSchedule sla_schedule(const SlaSettings& settings, const Workload& workload) {
  return make_schedule(workload, ScheduledClasses::kVmsAndSpots, settings.host.isolated_tenants());
}

namespace {

/// Requests of which not one fits an empty host count in another unit than the hosts.
void require_same_unit(const SlaSettings& settings, const Workload& workload) {
  for (const bool is_spot : {false, true}) {
    bool has_any = false;
    bool fits_any = false;
    for (const WorkloadRow& row : workload.rows) {
      if (row.is_spot() != is_spot) continue;
      has_any = true;
      fits_any = fits_any || settings.host.fits_an_empty_host(row.resources);
    }
    if (!has_any || fits_any) continue;
    const ResourceVector most = settings.host.largest_total();
    throw ConfigError(
        fmt::format("host: no {} of {} fits on a host of {} vcpus and {} memory_mb; expected hosts "
                    "in the unit of "
                    "the requests, as `cospot workload info` has it",
                    is_spot ? "spot" : "VM", workload.name, most.vcpus, most.memory_mb));
  }
}

/// The requests of VMs and spots from sources of their own: each run has another workload.
class TraceRequests final : public StudyRequests {
 public:
  explicit TraceRequests(const SlaSettings& settings)
      : store_({settings.vm_sources, settings.spot_sources}) {
    records = store_.records();
  }

  [[nodiscard]] const RequestStore& store() const { return store_; }

  [[nodiscard]] Replay replay(const GridPoint<SlaSettings>& at,
                              RunOutcome& outcome) const override {
    struct Owned {
      Workload workload;
      EventSchedule schedule{};
    };
    RunRequests requests = requests_of(store_, at);
    outcome.vm_vcpus_mean = mean_demand(requests.on_demand, SimTime{0});
    outcome.spot_vcpus_mean = mean_demand(requests.spot, at.settings().spot_delay);
    const auto owned = std::make_shared<Owned>(Owned{.workload = merged(std::move(requests))});
    owned->schedule = sla_schedule(at.settings(), owned->workload);
    return {.workload = &owned->workload,
            .schedule = &owned->schedule,
            .hosts = at.get(kHostsAxis),
            .is_shared = false,
            .owner = owned};
  }

 private:
  RequestStore store_;
};

}  // namespace

std::unique_ptr<StudyRequests> read_traces(const SlaSettings& settings) {
  return std::make_unique<TraceRequests>(settings);
}

namespace {

/// Refuses what no host can give of what the requests of a study ask beside room, on its fewest
/// hosts.
void require_possible_requests(const SlaSettings& settings, const RequestStore& store) {
  const std::vector<std::string> axes{kSlaWorkloadAxis.name, kSpotWorkloadAxis.name};
  for (std::size_t vms = 0; vms < settings.vm_sources.size(); ++vms) {
    for (std::size_t spots = 0; spots < settings.spot_sources.size(); ++spots) {
      const Workload workload =
          sla_workload(store, GridPoint<SlaSettings>(axes, settings, {vms, spots}));
      require_same_unit(settings, workload);
      // Most requests need no check.
      if (!store.has_placements() && settings.host.isolated_tenants().empty()) continue;
      require_possible_placements(workload, sla_schedule(settings, workload), settings.host,
                                  std::ranges::min(settings.host_counts));
    }
  }
}

}  // namespace

std::unique_ptr<StudyRequests> load_traces(const SlaSettings& settings,
                                           WorkloadClasses /*classes*/) {
  auto traces = std::make_unique<TraceRequests>(settings);
  require_possible_requests(settings, traces->store());
  if (settings.spot_sources.front().is_same_file && settings.spot_delay == SimTime{0}) {
    for (const RequestSource& source : settings.vm_sources) {
      if (!traces->store().lacks_spots(source)) continue;
      traces->warnings.push_back(source.label +
                                 ": has no spots, so each of its requests counts as a VM and as a "
                                 "spot; cospot workload import --spot-if marks the spots of a "
                                 "history");
    }
  }
  return traces;
}

}  // namespace cospot
