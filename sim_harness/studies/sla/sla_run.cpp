#include "sim_harness/studies/sla/sla_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"

namespace cospot {
namespace {

/// Seeds of a run's three sources of chance.
struct RunSeeds {
  explicit RunSeeds(std::int64_t seed) {
    Random random(static_cast<std::uint64_t>(seed));
    on_demand = random.next_u64();
    spot = random.next_u64();
    samples = random.next_u64();
  }

  std::uint64_t on_demand = 0, spot = 0, samples = 0;
};

/// The requests of both classes, as the run sees them.
struct RunRequests {
  std::string name;
  Requests on_demand;
  Requests spot;
  bool share_groups = false;  ///< they are the two classes of one file
};

RunRequests requests_of(const SlaSettings& settings, const RequestStore& store, const SlaRun& run) {
  const RunSeeds seeds(settings.seeds[run.seed]);
  const RequestSource& on_demand = settings.on_demand[run.on_demand];
  const RequestSource& spot = settings.spot[run.spot];
  const RequestSource& spot_source = spot.is_same_file ? on_demand : spot;
  RunRequests requests{
      .name = spot.is_same_file ? on_demand.label : on_demand.label + " and " + spot.label,
      .on_demand = store.requests(on_demand, InstanceClass::kVm, seeds.on_demand),
      .spot = store.requests(spot_source, InstanceClass::kSpot, seeds.spot)};
  requests.share_groups = spot_source.file == on_demand.file && !requests.on_demand.are_all_rows &&
                          !requests.spot.are_all_rows;
  for (WorkloadRow& row : requests.spot.rows) {
    row.start += settings.spot_delay;
    if (row.end != kNever) row.end += settings.spot_delay;
  }
  requests.spot.end += settings.spot_delay;
  if (settings.spots_end_with_on_demand) {
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

double held_vcpus(Revenue revenue, SimTime window) {
  return static_cast<double>(revenue) / static_cast<double>(window.count());
}

}  // namespace

Workload sla_workload(const SlaSettings& settings, const RequestStore& store, const SlaRun& run) {
  return merged(requests_of(settings, store, run));
}

EventSchedule sla_schedule(const SlaSettings& settings, const Workload& workload) {
  return make_schedule(workload, ScheduledClasses::kVmsAndSpots, settings.host.isolated_tenants());
}

namespace {

/// Requests of which not one fits an empty host count in another unit than the hosts.
void require_one_unit(const SlaSettings& settings, const Workload& workload) {
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

}  // namespace

void require_possible_requests(const SlaSettings& settings, const RequestStore& store) {
  SlaRun each;
  for (each.on_demand = 0; each.on_demand < settings.on_demand.size(); ++each.on_demand) {
    for (each.spot = 0; each.spot < settings.spot.size(); ++each.spot) {
      require_one_unit(settings, sla_workload(settings, store, each));
    }
  }
  if (!store.has_placements() && settings.host.isolated_tenants().empty()) return;
  SlaRun run;
  for (run.on_demand = 0; run.on_demand < settings.on_demand.size(); ++run.on_demand) {
    for (run.spot = 0; run.spot < settings.spot.size(); ++run.spot) {
      const Workload workload = sla_workload(settings, store, run);
      require_possible_placements(workload, sla_schedule(settings, workload), settings.host,
                                  std::ranges::min(settings.hosts));
    }
  }
}

RunSettings sla_simulation(const SlaSettings& settings, const SlaRun& run) {
  RunSettings simulation{.host = settings.host,
                         .hosts = settings.hosts[run.hosts],
                         .vm = settings.vm,
                         .spot = settings.spot_chain,
                         .evictor = settings.evictor,
                         .saf = settings.saf,
                         .otn = settings.otn.value_or(OfferRule(settings.hosts[run.hosts]))};
  if (settings.targets[run.target].probability) {
    FilterSpec promise{.name = "LifetimeSla", .options = settings.promise};
    promise.options["target"] = *settings.targets[run.target].probability;
    // Options are numbers; 53 bits of the seed survive.
    const std::uint64_t seed = RunSeeds(settings.seeds[run.seed]).samples;
    promise.options["seed"] = static_cast<double>(seed >> 11);
    simulation.spot.filters.push_back(std::move(promise));
  }
  return simulation;
}

SlaResult run_sla(const SlaSettings& settings, const RequestStore& store, const SlaRun& run) {
  RunRequests requests = requests_of(settings, store, run);
  SlaResult result;
  result.on_demand_vcpus_mean = mean_demand(requests.on_demand, SimTime{0});
  result.spot_vcpus_mean = mean_demand(requests.spot, settings.spot_delay);
  const Workload workload = merged(std::move(requests));
  const EventSchedule schedule = sla_schedule(settings, workload);
  const RunSettings simulation = sla_simulation(settings, run);
  SimulationEngine engine(schedule, simulation.host.table(simulation.hosts),
                          make_allocator(simulation, schedule.has_placements()));
  const auto forecast = make_lifetime_forecast(schedule, engine.hosts(), simulation.spot);
  engine.set_forecasts(forecast.get());
  engine.run();
  result.run = engine.result();
  result.on_demand_vcpus_held = held_vcpus(result.run.vm_revenue, workload.window);
  result.spot_vcpus_held = held_vcpus(result.run.spot_revenue, workload.window);
  result.window_days =
      static_cast<double>(workload.window.count()) / static_cast<double>(SimTime(kDay).count());
  if (result.run.spot_revenue_requested > 0) {
    result.spot_revenue_share = static_cast<double>(result.run.spot_revenue) /
                                static_cast<double>(result.run.spot_revenue_requested);
  }
  if (forecast) {
    result.refreshes = forecast->refreshes();
    result.refresh_ms_max = forecast->refresh_ms_max();
  }
  return result;
}

}  // namespace cospot
