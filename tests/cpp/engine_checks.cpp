#include "tests/cpp/engine_checks.hpp"

#include <doctest/doctest.h>

#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "tests/cpp/settings_grid.hpp"

namespace cospot {
namespace {

using reference::EventKind;
using reference::Settings;

OfferRule offer_rule_of(const Settings& settings) {
  if (settings.epsilon) return OfferRule::within(*settings.epsilon);
  if (!settings.adaptive) return settings.otn;
  return OfferRule::adaptive({.at_low_load = settings.adaptive->at_low_load,
                              .at_high_load = settings.adaptive->at_high_load,
                              .from = settings.adaptive->from,
                              .to = settings.adaptive->to});
}

/// Every host is one of a kind here.
HostMix hosts_of(const Settings& settings) {
  if (settings.each.empty()) return settings.host;
  std::vector<HostKind> kinds;
  HostPlaces places;
  std::vector<NamedHost> named;
  for (const reference::HostSettings& host : settings.each) {
    const std::string name = "h" + std::to_string(named.size());
    HostPlace place{.zone = host.zone};
    place.metadata.insert(host.metadata.begin(), host.metadata.end());
    named.push_back({.name = name, .kind = static_cast<std::uint32_t>(kinds.size())});
    kinds.push_back(
        {.type = name, .count = 1, .total = host.total, .place = number_of_place(places, place)});
  }
  return {std::move(kinds), std::move(places), std::move(named)};
}

}  // namespace

ChainSpec chain_of(const std::string& weigher) {
  const std::size_t colon = std::min(weigher.find(':'), weigher.size());
  ChainSpec chain{.label = weigher, .weighers = {{.name = weigher.substr(0, colon)}}};
  if (colon < weigher.size()) chain.weighers[0].options["measure"] = weigher.substr(colon + 1);
  return chain;
}

EvictorSpec evictor_of(const std::string& name) { return {.label = name, .name = name}; }

HostTable make_hosts(const RunSettings& settings) { return settings.host.table(settings.hosts); }
HostTable make_hosts(const Settings& settings) { return make_hosts(run_settings_of(settings)); }

RunSettings run_settings_of(const Settings& settings) {
  return {{.vm = chain_of(settings.vm),
           .spot = chain_of(settings.spot),
           .evictor = evictor_of(settings.evictor),
           .saf = settings.saf,
           .otn = offer_rule_of(settings)},
          hosts_of(settings),
          settings.hosts};
}

void EventRecorder::offered(const Offer& offer) {
  CHECK(offer.request.instance == requested_);
  CHECK(offer.hosts.size() <= most_);
}

void EventRecorder::evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) {
  events.push_back({for_vm.time, EventKind::kEvicted, victim, host});
}

void EventRecorder::placed(const Request& request, HostIndex host) {
  CHECK(request.instance == requested_);
  events.push_back({request.time, EventKind::kPlaced, request.instance, host});
}

void EventRecorder::rejected(const Request& request) {
  CHECK(request.instance == requested_);
  events.push_back({request.time, EventKind::kRejected, request.instance, kNoHost});
}

void EventRecorder::departed(InstanceIndex instance, HostIndex host, SimTime time) {
  events.push_back({time, EventKind::kEnded, instance, host});
}

void check_same_result(const RunResult& result, const RunResult& expected) {
  CHECK(result.hosts == expected.hosts);
  CHECK(result.vm_requests == expected.vm_requests);
  CHECK(result.vm_rejected == expected.vm_rejected);
  CHECK(result.vm_too_large == expected.vm_too_large);
  CHECK(result.spot_requests == expected.spot_requests);
  CHECK(result.spot_admitted == expected.spot_admitted);
  CHECK(result.evictions == expected.evictions);
  CHECK((result.vm_revenue_requested == expected.vm_revenue_requested));
  CHECK((result.vm_revenue == expected.vm_revenue));
  CHECK((result.spot_revenue_requested == expected.spot_revenue_requested));
  CHECK((result.spot_revenue == expected.spot_revenue));
  CHECK((result.spot_revenue_first_hour_free == expected.spot_revenue_first_hour_free));
}

void check_against_reference(const Workload& workload, const Settings& settings) {
  CAPTURE(workload.name);
  CAPTURE(reference::describe(settings));
  const reference::Outcome expected = reference::simulate(workload, settings);
  const RunSettings run = run_settings_of(settings);
  const EventSchedule schedule =
      make_schedule(workload, ScheduledClasses::kVmsAndSpots, run.host.isolated_tenants());
  Allocator allocator = make_allocator(run, schedule.has_placements());
  allocator.evictor = prepared_evictor(allocator.evictor, workload, schedule);
  SimulationEngine watched(schedule, make_hosts(settings), allocator);
  EventRecorder recorder(settings.epsilon || settings.adaptive ? SIZE_MAX : settings.otn);
  watched.set_observer(&recorder);
  CHECK(watched.run() == RunPause::kFinished);
  CHECK((recorder.events == expected.events));
  check_same_result(watched.result(), expected.result);

  SimulationEngine engine(schedule, make_hosts(settings), allocator);
  CHECK(engine.run() == RunPause::kFinished);
  check_same_result(engine.result(), expected.result);
}

Workload hurried(Workload workload) {
  constexpr int kFaster = 24;
  for (WorkloadRow& row : workload.rows) {
    row.start /= kFaster;
    if (row.end != kNever) row.end /= kFaster;
  }
  return workload;
}

}  // namespace cospot
