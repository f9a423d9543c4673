#include "sim_harness/studies/sla/sla_quote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "guarantees/sla/evidence.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {
namespace {

std::vector<double> probabilities_of(const TargetSettings& settings) {
  std::vector<double> probabilities;
  for (const SlaTarget& target : settings.targets) {
    if (target.probability) probabilities.push_back(*target.probability);
  }
  if (probabilities.empty()) {
    throw ConfigError("target: found none, expected a probability of eviction to quote for");
  }
  return probabilities;
}

std::string lifetime_text(SimTime lifetime) {
  if (lifetime == kNever) return "not evicted";
  if (lifetime < SimTime{0}) return "none";
  const auto seconds = static_cast<double>(lifetime.count()) / 1e6;
  if (seconds < 3600) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.1f} h", seconds / 3600);
}

Json seconds_json(SimTime time) { return json_of(static_cast<double>(time.count()) / 1e6); }

Json lifetime_json(SimTime lifetime) {
  if (lifetime == kNever) return "never";
  return lifetime < SimTime{0} ? Json() : seconds_json(lifetime);
}

/// Rejects a file of another study with more than one setting.
void require_one_setting(const ConfigNode& root, const std::vector<GridAxis>& axes) {
  for (const GridAxis& axis : axes) {
    if (axis.values.size() == 1 || axis.name == kTargetAxis.name) continue;
    const ConfigNode* node = root.find(axis.key);
    throw ConfigError(fmt::format(
        "{}: found {} values, and a quote is for one setting; expected one, or --set {}=VALUE",
        key_place(node == nullptr ? root : *node, axis.key), axis.values.size(), axis.key));
  }
}

/// Cuts off a replay at a time, as if the file ended there.
void end_at(SimTime at, const IsolatedTenants& isolated, Replay& replay) {
  struct Owned {
    Workload workload;
    EventSchedule schedule{};
  };
  const auto is_later = [at](const WorkloadRow& row) { return row.start >= at; };
  if (replay.schedule->spot_requests > 0 && std::ranges::none_of(replay.workload->rows, is_later)) {
    return;
  }
  const auto owned = std::make_shared<Owned>(Owned{.workload = *replay.workload});
  std::erase_if(owned->workload.rows, is_later);
  owned->schedule = make_schedule(owned->workload, ScheduledClasses::kVmsAndSpots, isolated);
  replay.workload = &owned->workload;
  replay.schedule = &owned->schedule;
  replay.owner = owned;
}

std::vector<ResourceVector> requested_sizes(const EventSchedule& schedule,
                                            const std::string& workload, SimTime at) {
  std::vector<ResourceVector> sizes = spot_sizes(schedule);
  if (!sizes.empty()) return sizes;
  throw ConfigError(fmt::format(
      "{}: no spot is requested before {:g} h; expected a history with spots, as cospot "
      "workload import --spot-if marks them",
      workload, hours_of(at)));
}

/// The estimate at a time. Samples that accumulate are those of the refreshes until then.
LifetimeQuantiles estimate_at(SimTime at, const History& history,
                              const LifetimeEstimateSettings& settings, SimTime refresh,
                              std::size_t threads) {
  std::vector<SimTime> earlier;
  for (SimTime time = refresh; refresh != kNever && time <= at; time += refresh) {
    earlier.push_back(time);
  }
  LifetimeEstimate estimate(history, settings, SimTime{0}, at, earlier.size(), earlier);
  work_in_parallel(estimate.pieces(), threads,
                   [&](std::size_t piece) { estimate.run_piece(piece); });
  current_stop_token().check();
  return estimate.take_result();
}

/// By which quotes assume that promised spots are evicted.
constexpr std::string_view kYoungestFirst = "YJF";

/// Adds warnings about doubtful quotes.
void add_warnings(const Workload& workload, const RunSettings& run, const RunResult& result,
                  SlaQuotes& quotes) {
  for (std::string& warning :
       host_warnings(workload, run.host, quotes.unit, result, "promises differ")) {
    quotes.warnings.push_back(std::move(warning));
  }
  if (run.evictor.name == kYoungestFirst) return;
  quotes.warnings.push_back(fmt::format(
      "quotes hold where the youngest of the promised spots are evicted first, as by {}; the "
      "evictor of this datacenter is {}",
      kYoungestFirst, run.evictor.label));
}

}  // namespace

QuotedStudy read_quoted_study(StudyFile file) {
  const bool is_sla =
      file.root.find("study") == nullptr && file.root.find("spot_workloads") != nullptr;
  const ProviderPreset& preset = is_sla ? sla_preset() : built_in_studies().preset_of(file.root);
  if (&preset == &sla_preset()) {
    return {ProviderStudy(preset, file.root), read_sla_settings(file)};
  }
  add_missing_keys(file.root, kQuoteKeys);
  QuotedStudy quoted{ProviderStudy(preset, file.root), {}};
  quoted.settings = quoted.study.table().read(file);
  require_one_setting(file.root, quoted.study.table().axes(quoted.settings));
  return quoted;
}

namespace {

/// Quotes of a time, still without sizes.
SlaQuotes quotes_at(const ProviderStudySettings& settings, const StudyRequests& requests,
                    std::optional<SimTime> at, SimTime window) {
  if (at && *at > window) {
    throw ConfigError(
        fmt::format("--at-hours {:g}: the requests end after {:g} h; expected a time before",
                    hours_of(*at), hours_of(window)));
  }
  return {.at = at.value_or(window),
          .unit = unit_of(settings),
          .admission = settings.targets.front().probability,
          .evicted = probabilities_of(settings),
          .spot_delay = settings.spot_delay,
          .warnings = requests.warnings};
}

/// Adds what a history promises to spots of these sizes, on hosts as they are now.
void add_sizes(const History& history, const HostView& hosts, LifetimeSlaOptions options,
               std::size_t threads, SlaQuotes& quotes) {
  const Evidence evidence(quotes.spots, quotes.evicted);
  LifetimeEstimateSettings& estimate = options.estimate;
  estimate.keeps_spells = true;
  estimate.probabilities = quotes.evicted;
  const auto is_new = [&](double one) { return !std::ranges::count(quotes.evicted, one); };
  std::ranges::copy_if(evidence.probabilities(), std::back_inserter(estimate.probabilities),
                       is_new);
  quotes.quantiles = estimate_at(quotes.at, history, estimate, options.refresh, threads);
  for (const ResourceVector& size : estimate.sizes) {
    SizeQuote quote{.size = size, .slots = free_slots(hosts, size)};
    for (const double evicted : quotes.evicted) {
      quote.lifetimes.push_back(quotes.quantiles.promised(size, quote.slots, evicted));
      quote.supported.push_back(evidence.supported(quotes.quantiles, size, quote.slots, evicted));
    }
    quotes.sizes.push_back(std::move(quote));
  }
}

}  // namespace

SlaQuotes quote_lifetimes(const QuotedStudy& quoted, std::optional<SimTime> at,
                          std::size_t threads) {
  const ProviderStudySettings& settings = quoted.settings;
  const auto first = quoted.study.first_run(settings);
  RunOutcome outcome;
  const std::unique_ptr<StudyRequests> requests = quoted.study.load(settings);
  Replay replay = requests->replay(first, outcome);
  SlaQuotes quotes = quotes_at(settings, *requests, at, replay.workload->window);
  end_at(quotes.at, settings.host.isolated_tenants(), replay);
  const Workload& workload = *replay.workload;
  const EventSchedule& schedule = *replay.schedule;
  LifetimeSlaOptions options = read_lifetime_sla_options(PluginOptions("sla", settings.promise));
  options.estimate.sizes = requested_sizes(schedule, workload.name, quotes.at);
  const std::vector<std::any> shared = quoted.study.share(settings, workload);
  ProviderStudy::Prepared prepared = quoted.study.prepare(first, replay, shared, outcome);
  const RunSettings& run = prepared.settings;
  if (!needs_lifetime_forecast(run.spot)) options.refresh = kNever;  // nobody asks on the way
  quotes.simulated = simulated_text(run);
  HostTable hosts = run.host.table(run.hosts);
  auto recorder =
      std::make_unique<HistoryRecorder>(workload.rows.size(), totals_of(hosts), options);
  const History& history = recorder->history();
  prepared.parts.forecasts.push_back(std::move(recorder));
  ProviderRun simulation(workload, schedule, run, std::move(hosts), std::move(prepared.parts));
  simulation.engine().run({.time = quotes.at});
  const RunResult until = simulation.engine().result();
  quotes.spots = until.spot_admitted;
  quotes.evictions = until.evictions;
  add_warnings(workload, run, until, quotes);
  add_sizes(history, simulation.engine().hosts().view(), std::move(options), threads, quotes);
  return quotes;
}

namespace {

/// Describes how spots were admitted: by the first target, as in every run of a study.
std::string admission_text(const SlaQuotes& quotes) {
  if (!quotes.admission) return "Every spot that the spot chain places was admitted (no target)\n";
  return fmt::format(
      "Spots were admitted if their lifetime could be promised with {:g} %, the first target\n",
      100 * (1 - *quotes.admission));
}

}  // namespace

std::string quotes_text(const SlaQuotes& quotes) {
  TextTable table;
  const SizeWords words = size_words(quotes.unit);
  table.add_column(std::string(words.vcpus));
  table.add_column(std::string(words.memory));
  table.add_column("that fit now");
  for (const double evicted : quotes.evicted) {
    table.add_column(fmt::format("{:g} % live at least", 100 * (1 - evicted)));
  }
  for (const SizeQuote& quote : quotes.sizes) {
    std::vector<std::string> row{words.count_of_vcpus(quote.size.vcpus),
                                 count_text(quote.size.memory_mb), fmt::format("{}", quote.slots)};
    for (const SimTime lifetime : quote.supported) row.push_back(lifetime_text(lifetime));
    table.add_row(std::move(row));
  }
  const std::string delay =
      quotes.spot_delay == SimTime{0}
          ? ""
          : fmt::format("; spots are asked for {:g} h later than their file says",
                        hours_of(quotes.spot_delay));
  return fmt::format(
             "Spots that start {:g} h into the trace, by what happened before (spots {}, evictions "
             "{}){}\n{}{}",
             hours_of(quotes.at), quotes.spots, quotes.evictions, delay, quotes.simulated,
             admission_text(quotes)) +
         table.text() +
         "(no longer than the history supports with 95 % confidence: a lifetime of L counts once "
         "for each L\nthat began when as many fitted as now, whatever the hour of the day; --json "
         "has the estimates\nwithout that limit)\n";
}

Json quotes_json(const SlaQuotes& quotes) {
  const auto lifetimes = [](const std::vector<SimTime>& of) {
    return json_list_of(of, lifetime_json);
  };
  const auto size_quote = [&](const SizeQuote& quote) {
    const LifetimeQuantiles::Table& table = *quotes.quantiles.table(quote.size);
    Json slots = Json::array();
    for (std::size_t i = 0; i < table.samples.size(); ++i) {
      slots.push_back(json_of(quotes.quantiles.conditions().first_slots(i)));
    }
    const auto quantiles = quotes.quantiles.by_condition(table);
    return Json{{"vcpus", quote.size.vcpus},
                {"memory_mb", quote.size.memory_mb},
                {"slots_now", quote.slots},
                {"lives_at_least_s", lifetimes(quote.lifetimes)},
                {"supported_s", lifetimes(quote.supported)},
                {"slots", slots},
                {"samples", table.samples},
                {"quantiles_s",
                 json_list_of(std::span(quantiles).first(quotes.evicted.size()), lifetimes)}};
  };
  return {{"at_s", seconds_json(quotes.at)},
          {"spot_delay_s", seconds_json(quotes.spot_delay)},
          {"spots", quotes.spots},
          {"evictions", quotes.evictions},
          {"admitted_by", json_of(quotes.admission)},
          {"evicted", json_list_of(quotes.evicted, [](double value) { return json_of(value); })},
          {"sizes", json_list_of(quotes.sizes, size_quote)}};
}

}  // namespace cospot
