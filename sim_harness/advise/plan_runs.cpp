#include "sim_harness/advise/plan_runs.hpp"

#include <algorithm>
#include <utility>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"

namespace cospot {
namespace {

constexpr std::uint64_t kEconomySeed = 1;
constexpr std::uint64_t kDemandSeed = 2;
constexpr const char* kEconomyFilter = "EconomyPromise";

/// Gives the run its Economy class, and returns what is promised to it.
std::unique_ptr<ForecastOwner> add_economy(const PlanDatacenter& datacenter,
                                           const Division& division, RunSettings& settings,
                                           ProviderParts& parts, PlanRun& made) {
  const Workload& workload = datacenter.history->workload;
  parts.level_of = levels_of(workload, division.economy_percent, kEconomySeed);
  ChainSpec economy = settings.vm;
  economy.filters.push_back({.name = kEconomyFilter});
  settings.between = {std::move(economy)};
  const HostMix::Sum hosts = settings.host.sum(settings.hosts);
  std::vector<PromiseStep> steps =
      promise_steps(*datacenter.vm_use, hosts, datacenter.economy, division.confidence);
  double sum = 0;
  for (const PromiseStep& step : steps) sum += static_cast<double>(step.vcpus);
  made.promised_percent =
      100 * sum / static_cast<double>(steps.size()) / static_cast<double>(hosts.vcpus);
  return std::make_unique<PromiseOwner>(std::move(steps), workload, parts.level_of);
}

/// The events without some spots, so that a share of all is left. Those of a smaller share are
/// among those of a larger one. The rows stay: what knows the workload knows them by number.
EventSchedule with_demand(const Workload& workload, EventSchedule schedule, double share) {
  const std::vector<std::uint8_t> level_of = levels_of(workload, 100 * share, kDemandSeed);
  std::erase_if(schedule.events, [&level_of](const ScheduledEvent& event) {
    return level_of[event.instance] == static_cast<std::uint8_t>(Level::kSpot);
  });
  const auto last = std::ranges::find_if_not(schedule.events.rbegin(), schedule.events.rend(),
                                             &ScheduledEvent::is_departure);
  schedule.events_to_last_arrival =
      static_cast<std::size_t>(std::distance(last, schedule.events.rend()));
  return schedule;
}

LifetimeSlaOptions promise_options(std::span<const PromiseClass> classes) {
  constexpr std::size_t kSamples = 2000;
  LifetimeSlaOptions options{.refresh = SimTime(kDay)};
  options.estimate.samples = kSamples;
  for (const PromiseClass& one : classes) {
    std::vector<double>& all = options.estimate.probabilities;
    if (std::ranges::find(all, one.broken) == all.end()) all.push_back(one.broken);
  }
  return options;
}

}  // namespace

PlanRun run_plan(const PlanDatacenter& datacenter, const PlanTask& task) {
  const auto& [setting, division, hosts, promises, demand] = task;
  const TuneSample& history = *datacenter.history;
  EventSchedule fewer;
  if (demand < 1) fewer = with_demand(history.workload, history.schedule, demand);
  const EventSchedule& schedule = setting.places_no_spots() ? datacenter.vms
                                  : demand < 1              ? fewer
                                                            : history.schedule;
  PlanRun made{.setting = setting, .division = division, .hosts = hosts};
  RunSettings settings{setting, datacenter.host, hosts};
  // An observer wants whole offers, and those have two chains.
  if (settings.places_no_spots()) settings.spot = settings.vm;
  ProviderParts parts;
  if (datacenter.with != nullptr) parts = datacenter.with->parts(history.workload, settings);
  std::vector<std::unique_ptr<ForecastOwner>> owners;
  if (division.economy_percent > 0) {
    owners.push_back(add_economy(datacenter, division, settings, parts, made));
  }
  HostTable table = settings.host.table(settings.hosts);
  const LifetimeForecast* lifetimes = nullptr;
  std::span<const PromiseClass> classes;
  if (promises && !datacenter.classes.empty()) {
    classes = datacenter.classes;
    auto forecast =
        std::make_unique<LifetimeForecast>(schedule, totals_of(table), promise_options(classes));
    lifetimes = forecast.get();
    owners.push_back(std::move(forecast));
  }
  parts.forecasts = std::move(owners);
  const std::vector<std::uint8_t> level_of = parts.level_of;
  ProviderRun run(history.workload, schedule, settings, std::move(table), std::move(parts));
  PartAccounts accounts(schedule, history.workload, datacenter.parts, level_of, classes,
                        run.engine().hosts());
  run.engine().set_observer(&accounts);
  run.run();
  made.parts = accounts.finish();
  made.levels = run.engine().level_outcomes();
  if (lifetimes != nullptr) {
    made.quotes = std::make_shared<const LifetimeQuantiles>(lifetimes->quantiles());
  }
  return made;
}

std::vector<PlanRun> run_plans(const PlanDatacenter& datacenter, std::span<const PlanTask> tasks,
                               std::size_t threads, RunCounter& counter) {
  std::vector<PlanRun> runs(tasks.size());
  work_in_parallel(tasks.size(), threads, [&](std::size_t i) {
    runs[i] = run_plan(datacenter, tasks[i]);
    counter.add(1);
  });
  current_stop_token().check();
  return runs;
}

}  // namespace cospot
