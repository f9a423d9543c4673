#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"

namespace cospot {
namespace {

constexpr std::array kPromisedHours{1, 4, 12, 24, 72, 168};
constexpr std::array kBroken{0.1, 0.05, 0.01};
constexpr std::uint64_t kEconomySeed = 1;
constexpr std::uint64_t kDemandSeed = 2;
constexpr const char* kEconomyFilter = "EconomyPromise";

/// The promises to the Economy class on these hosts.
std::vector<PromiseStep> steps_on(const PlanDatacenter& datacenter, const HostMix::Sum& hosts,
                                  double confidence) {
  EconomyClassSettings promise = datacenter.economy;
  promise.forecaster = datacenter.forecasters.at(confidence);
  return promise_steps(*datacenter.vm_use, hosts, promise, confidence);
}

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
  const auto known = datacenter.promised.find(division.confidence);
  std::vector<PromiseStep> steps =
      known != datacenter.promised.end() && hosts == datacenter.host.sum(datacenter.history->hosts)
          ? known->second
          : steps_on(datacenter, hosts, division.confidence);
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

/// The datacenter with more VMs: some of the history's, drawn at random, are requested twice, at
/// the same time and for as long. A larger share repeats the VMs of a smaller one too.
PlanDatacenter with_more_vms(const PlanDatacenter& datacenter, double share) {
  PlanDatacenter more = datacenter;
  const TuneSample& before = *datacenter.history;
  const auto history = std::make_shared<TuneSample>(
      TuneSample{.spec = before.spec, .workload = before.workload, .hosts = before.hosts});
  Workload& workload = history->workload;
  Random random(kDemandSeed);
  const std::size_t given = workload.rows.size();
  // They come after all rows: what knows the workload knows these by number.
  for (std::size_t i = 0; i < given; ++i) {
    if (workload.rows[i].is_spot() || random.uniform() >= share) continue;
    workload.rows.push_back(workload.rows[i]);
    workload.rows.back().id += " again";
  }
  const IsolatedTenants isolated = datacenter.host.isolated_tenants();
  history->schedule = make_schedule(workload, ScheduledClasses::kVmsAndSpots, isolated);
  more.vms = make_schedule(workload, ScheduledClasses::kVmsOnly, isolated);
  more.promised.clear();
  if (more.vm_use) more.vm_use = vm_use_of(workload, datacenter.economy.economy);
  more.history = history;
  return more;
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

/// The number of parts of a history, which has to have VMs and spots.
std::size_t parts_of(const PlanRequest& request, const Workload& given, PlanFindings& findings) {
  if (std::ranges::none_of(given.rows, &WorkloadRow::is_spot)) {
    throw ConfigError(fmt::format(
        "{}: has no spots, so that nobody knows what would be bought; expected requests of the "
        "class spot too, such as those of a pilot. `cospot economy plan` says how much capacity "
        "stays idle",
        request.workload.label));
  }
  if (std::ranges::all_of(given.rows, &WorkloadRow::is_spot)) {
    throw ConfigError(fmt::format(
        "{}: has no VMs, so that nobody knows which capacity is idle; expected the requests for "
        "VMs on these hosts too",
        request.workload.label));
  }
  if (request.parts != 0) return request.parts;
  const double had = days_of(given.window);
  const auto parts = std::min(kDefaultTuneParts, static_cast<std::size_t>(had));
  if (parts <= kLeastPast) {
    throw ConfigError(fmt::format(
        "{}: has {}, expected {} or more: two to choose on and one to judge, each a day or "
        "longer; two weeks are better",
        request.workload.label, days_text(had), kLeastPast + 1));
  }
  if (parts < kDefaultTuneParts) {
    findings.notes.push_back(
        fmt::format("The history has {}, of which {} judge; with {} days, {} would.",
                    days_text(had), parts - past_parts(parts), kDefaultTuneParts,
                    kDefaultTuneParts - past_parts(kDefaultTuneParts)));
  }
  return parts;
}

/// Chooses the forecasters of the promises as `cospot economy plan` does on the parts that never
/// judge: the promise for the second, made after the first, is the test.
void choose_forecasters(const PlanRequest& request, PlanFindings& findings) {
  PlanDatacenter& datacenter = findings.datacenter;
  EconomySettings test = datacenter.economy.economy;
  test.training_days = test.horizon_days;
  EconomyInput past =
      use_on(datacenter.vm_use->vcpus, datacenter.host.sum(datacenter.history->hosts).vcpus,
             kLeastPast * test.cycles().horizon);
  name_unit_of_requests(request.workload, test, past);
  const EconomyPlan made = plan_promises(
      past, test, {.forecasters = {}, .confidences = request.confidences, .prices = {1}});
  std::string note = fmt::format("Economy promises after the first {}:",
                                 days_text(datacenter.economy.economy.training_days));
  for (const PlannedPromise& one : made.promises) {
    datacenter.forecasters[one.confidence] = one.forecaster;
    note += " " + answer_text(past, test, made, one);
  }
  findings.notes.push_back(std::move(note));
}

/// Prepares the promises to the Economy class: for as long as a part, from the parts before it.
void prepare_economy(const PlanRequest& request, PlanFindings& findings) {
  PlanDatacenter& datacenter = findings.datacenter;
  const double hours = std::floor(24 * days_of(datacenter.parts.begin(1)));
  EconomySettings& promise = datacenter.economy.economy;
  promise.period_hours = 1;
  promise.training_days = kLeastPast * hours / 24;
  promise.horizon_days = hours / 24;
  const double had = days_of(datacenter.parts.window);
  const double needed = EconomySettings{}.training_days + EconomySettings{}.horizon_days;
  if (!findings.prices.economy) {
    findings.notes.emplace_back(
        "No Economy instances are planned: the price list has no price of theirs "
        "(--price economy=...).");
    return;
  }
  const VcpuHourPrices prices =
      request.prices.of_vcpu_hour(datacenter.history->workload, vcpus_unit_of(request.workload));
  if (*prices.economy < prices.spot) {
    findings.notes.push_back(fmt::format(
        "No Economy instances are planned: at {:.4g} a vCPU-hour each would earn less than the "
        "spot that it replaces, at {:.4g}; give them a price between a spot's and that on "
        "demand.",
        *prices.economy, prices.spot));
    return;
  }
  if (had < needed) {
    findings.notes.push_back(fmt::format(
        "Economy instances are promised for {} at a time, from {} before: promises of half a "
        "year, judged once, need {:.0f} more days of history.",
        days_text(promise.horizon_days), days_text(promise.training_days),
        std::ceil(needed - had)));
  }
  datacenter.vm_use = vm_use_of(datacenter.history->workload, promise);
  choose_forecasters(request, findings);
  const HostMix::Sum hosts = datacenter.host.sum(datacenter.history->hosts);
  for (const double confidence : request.confidences) {
    datacenter.promised[confidence] = steps_on(datacenter, hosts, confidence);
  }
  findings.sells_economy = true;
}

}  // namespace

std::shared_ptr<const TuneSamples> load_history(const PlanRequest& request, PlanFindings& findings,
                                                const WarningSink& warn) {
  const TuneSettings& settings = request.settings;
  Workload given = load_workload(request.workload);
  const std::size_t parts = parts_of(request, given, findings);
  const auto made = std::make_shared<TuneSamples>(make_samples_of_parts(
      request.workload, std::move(given), request.datacenter, settings, parts));
  warn(sample_warnings(*made));
  const Workload& whole = made->samples.back().workload;
  findings.prices = request.prices.of(whole, vcpus_unit_of(request.workload));
  for (TuneSample& sample : made->samples) sample.vm_worth = vm_worth_of(findings.prices);
  findings.currency = request.prices.currency;
  if (request.prices.host) findings.host_cost = 24 * *request.prices.host;
  findings.max_vm_loss = settings.max_vm_loss;
  PlanDatacenter& datacenter = findings.datacenter;
  datacenter.parts = {.window = whole.window, .count = parts};
  datacenter.history = std::shared_ptr<const TuneSample>(made, &made->samples.back());
  findings.workload = request.workload;
  findings.demand = vm_demand(whole, *made->whole);
  datacenter.host = request.datacenter.host;
  datacenter.vms =
      make_schedule(whole, ScheduledClasses::kVmsOnly, datacenter.host.isolated_tenants());
  datacenter.with = settings.with;
  for (const double broken : kBroken) {
    for (const int hours : kPromisedHours) {
      const SimTime life = std::chrono::hours(hours);
      if (life <= datacenter.parts.begin(1)) datacenter.classes.push_back({life, broken});
    }
  }
  if (!request.by.empty()) datacenter.keys = request_keys(request.workload, whole, request.by);
  findings.by = request.by;
  prepare_economy(request, findings);
  return made;
}

RequestKeys request_keys(const WorkloadSpec& spec, const Workload& history, const std::string& by) {
  const SizeWords words = size_words(vcpus_unit_of(spec));
  const auto name_of = [&](const WorkloadRow& row, const std::string& key) -> std::string {
    const ResourceVector& size = row.resources;
    if (key == "tenant") return row.tenant;
    if (key == "flavor") return size_text(words, size.vcpus, size.memory_mb, size.disk_gb);
    return row.placement == 0 ? "" : history.placements.asked[row.placement - 1].rules.zone;
  };
  std::vector<std::string> present{"tenant", "flavor", "zone"};
  std::erase_if(present, [&](const std::string& key) {
    return std::ranges::all_of(history.rows,
                               [&](const WorkloadRow& row) { return name_of(row, key).empty(); });
  });
  if (std::ranges::find(present, by) == present.end()) {
    throw ConfigError(fmt::format("--by {}: no request of {} has one, expected {}", by, spec.label,
                                  fmt::join(present, " or ")));
  }
  RequestKeys keys;
  std::map<std::string, std::uint32_t> numbers;
  for (const WorkloadRow& row : history.rows) {
    std::string name = name_of(row, by);
    const auto [found, is_new] =
        numbers.try_emplace(name, static_cast<std::uint32_t>(keys.names.size()));
    if (is_new) keys.names.push_back(name.empty() ? "(none)" : std::move(name));
    keys.of_row.push_back(found->second);
  }
  return keys;
}

bool may_hold_all(const PlanDatacenter& datacenter, const HostMix& hosts) {
  const TuneSample& history = *datacenter.history;
  try {
    require_possible_placements(history.workload, history.schedule, hosts, std::nullopt);
  } catch (const ConfigError&) {
    return false;
  }
  return fits_every_vm(history.workload, hosts);
}

PlanRun run_plan(const PlanDatacenter& datacenter, const PlanTask& task) {
  if (task.more_vms > 0) {
    PlanTask rest = task;
    rest.more_vms = 0;
    return run_plan(with_more_vms(datacenter, task.more_vms), rest);
  }
  const auto& [setting, division, hosts, promises, demand, more_vms, other_hosts, by_key, from_part,
               is_for_nova] = task;
  const TuneSample& history = *datacenter.history;
  EventSchedule fewer;
  if (demand < 1) fewer = with_demand(history.workload, history.schedule, demand);
  const EventSchedule& schedule = setting.places_no_spots() ? datacenter.vms
                                  : demand < 1              ? fewer
                                                            : history.schedule;
  PlanRun made{task};
  RunSettings settings{setting, other_hosts.value_or(datacenter.host), hosts};
  // An observer wants whole offers, and those have two chains.
  if (settings.places_no_spots()) settings.spot = settings.vm;
  ProviderParts parts;
  if (datacenter.with != nullptr) parts = datacenter.with->parts(history.workload, settings);
  std::vector<std::unique_ptr<ForecastOwner>> owners;
  if (division.economy_percent > 0) {
    owners.push_back(add_economy(datacenter, division, settings, parts, made));
  }
  HostTable table = settings.host.table(settings.hosts);
  std::span<const PromiseClass> classes;
  if (promises && !datacenter.classes.empty()) {
    classes = datacenter.classes;
    owners.push_back(
        std::make_unique<LifetimeForecast>(schedule, totals_of(table), promise_options(classes)));
  }
  parts.forecasts = std::move(owners);
  const std::vector<std::uint8_t> level_of = parts.level_of;
  ProviderRun run(history.workload, schedule, settings, std::move(table), std::move(parts));
  PartAccounts accounts(
      schedule, history.workload, datacenter.parts, level_of, classes, run.engine().hosts(),
      by_key ? std::span(datacenter.keys.of_row) : std::span<const std::uint32_t>());
  run.engine().set_observer(&accounts);
  // After the window nothing is counted, and forecasts would go on until the last VM ends.
  run.engine().run({.time = datacenter.with != nullptr ? kNever : datacenter.parts.window});
  made.parts = accounts.finish();
  made.by_key = accounts.take_by_key();
  return made;
}

}  // namespace cospot
