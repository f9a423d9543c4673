#include "sim_harness/studies/sla/sla_quote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "guarantees/sla/evidence.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/simulated_text.hpp"
#include "sim_harness/studies/sla/sla_run.hpp"

namespace cospot {
namespace {

std::vector<double> probabilities_of(const SlaSettings& settings) {
  std::vector<double> probabilities;
  for (const SlaTarget& target : settings.targets) {
    if (target.probability) probabilities.push_back(*target.probability);
  }
  if (probabilities.empty()) {
    throw ConfigError("target: found none, expected a probability of eviction to quote for");
  }
  return probabilities;
}

/// All pieces of an estimate, by as many threads; the result does not depend on their number.
LifetimeQuantiles run_pieces(LifetimeEstimate& estimate, std::size_t threads) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t piece = next++; piece < estimate.pieces(); piece = next++) {
      estimate.run_piece(piece);
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, estimate.pieces()); ++i)
      others.emplace_back(work);
    work();
  }
  return estimate.result();
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

/// A workload as a study `sla` names it: "azure2020:seed=3:scale=0.01" for {synthetic: azure2020,
/// seed: 3, scale: 0.01}, and a file without a mapping around it.
ConfigNode as_text(const ConfigNode& workload) {
  const bool is_file = workload.find("path") != nullptr;
  const ConfigNode* name = workload.find(is_file ? "path" : "synthetic");
  if (name == nullptr) return workload;
  ConfigNode text = *name;
  for (const auto& [key, where, value] : workload.entries) {
    if (key == "path" || key == "synthetic" || key == "label") continue;
    if (is_file) return workload;
    text.text += fmt::format(":{}={}", key, value.text);
  }
  return text;
}

/// Whether a file is a comparison: a study without spots of their own.
bool is_comparison(const ConfigNode& root) {
  const ConfigNode* study = root.find("study");
  return (study == nullptr || study->text == "compare") && root.find("spot_workloads") == nullptr;
}

ConfigNode quoted(ConfigNode root) {
  if (root.find("headroom_percent") != nullptr) {
    throw ConfigError(key_place(*root.find("headroom_percent"), "headroom_percent") +
                      ": a quote needs a number of hosts; expected hosts, or --set hosts=N "
                      "(cospot size finds how many)");
  }
  std::erase_if(root.entries, [](const ConfigEntry& entry) {
    return entry.key == "study" || entry.key == "headroom_of";
  });
  static constexpr std::array<std::string_view, 6> kOfOneSetting{"workloads", "vm",  "spot",
                                                                 "evictor",   "saf", "otn"};
  for (ConfigEntry& entry : root.entries) {
    if (std::ranges::find(kOfOneSetting, entry.key) == kOfOneSetting.end()) continue;
    if (entry.value.items.size() > 1) {
      throw ConfigError(fmt::format(
          "{}: found {} values, and a quote is for one setting; expected one, or --set {}=VALUE",
          key_place(entry.value, entry.key), entry.value.items.size(), entry.key));
    }
    if (entry.value.items.size() == 1) entry.value = ConfigNode(entry.value.items.front());
    if (entry.key == "workloads") entry.value = as_text(entry.value);
  }
  for (ConfigEntry& entry : parse_yaml(std::string(kQuoteKeys), "sla quote").entries) {
    if (root.find(entry.key) == nullptr) root.entries.push_back(std::move(entry));
  }
  return root;
}

}  // namespace

SlaSettings read_quote_settings(StudyFile file) {
  if (is_comparison(file.root)) file.root = quoted(std::move(file.root));
  return read_sla_settings(file);
}

SlaQuotes quote_lifetimes(const SlaSettings& settings, std::optional<SimTime> at,
                          std::size_t threads) {
  const std::vector<double> probabilities = probabilities_of(settings);
  const ProviderStudy study(sla_preset(), {});
  const GridPoint<SlaSettings> first({}, settings, {});
  RunOutcome outcome;
  const std::unique_ptr<StudyRequests> requests =
      load_traces(settings, WorkloadClasses::kVmsAndSpots);
  const Replay replay = requests->replay(first, outcome);
  const Workload& workload = *replay.workload;
  const EventSchedule& schedule = *replay.schedule;
  const std::vector<std::any> shared = study.share(settings, workload);
  const RunSettings simulation = study.prepare(first, replay, shared, outcome).settings;
  SimulationEngine engine(schedule, simulation.host.table(simulation.hosts),
                          make_allocator(simulation, schedule.has_placements()));
  LifetimeSlaOptions options = read_lifetime_sla_options(PluginOptions("sla", settings.promise));
  options.target = settings.targets.front().probability.value_or(probabilities.front());
  if (!settings.targets.front().probability) options.refresh = kNever;  // nobody asks on the way
  LifetimeForecast forecast(schedule, totals_of(engine.hosts()), options);
  engine.set_forecasts(&forecast);
  if (at && *at > workload.window) {
    throw ConfigError(
        fmt::format("--at-hours {:g}: the requests end after {:g} h; expected a time "
                    "before",
                    hours_of(*at), hours_of(workload.window)));
  }
  SlaQuotes quotes{.at = at.value_or(workload.window),
                   .simulated = simulated_text(simulation),
                   .unit = settings.vm_sources.front().unit,
                   .evicted = probabilities,
                   .spot_delay = settings.spot_delay,
                   .warnings = requests->warnings};
  std::string oversized = oversized_warning(workload, simulation.host, quotes.unit);
  if (!oversized.empty()) quotes.warnings.push_back(std::move(oversized));
  engine.run({.time = quotes.at});
  const RunResult until = engine.result();
  quotes.spots = until.spot_admitted;
  quotes.evictions = until.evictions;
  if (until.vm_rejected > until.vm_too_large) {
    quotes.warnings.push_back(fmt::format(
        "{} of {} VMs found no host on these hosts; on hosts that hold them, promises differ",
        until.vm_rejected - until.vm_too_large, until.vm_requests));
  }
  LifetimeEstimateSettings estimate = forecast.estimate_settings();
  const Evidence evidence(quotes.spots, probabilities);
  estimate.probabilities = probabilities;
  for (const double probability : evidence.probabilities()) {
    if (std::ranges::find(probabilities, probability) == probabilities.end()) {
      estimate.probabilities.push_back(probability);
    }
  }
  LifetimeEstimate made(forecast.history(), estimate, SimTime{0}, quotes.at,
                        forecast.refreshes().count, forecast.made_at());
  quotes.quantiles = run_pieces(made, threads);
  for (const ResourceVector& size : estimate.sizes) {
    SizeQuote quote{.size = size, .slots = free_slots(engine.hosts().view(), size)};
    for (const double evicted : probabilities) {
      quote.lifetimes.push_back(quotes.quantiles.promised(size, quote.slots, evicted));
      quote.supported.push_back(evidence.supported(quotes.quantiles, size, quote.slots, evicted));
    }
    quotes.sizes.push_back(std::move(quote));
  }
  return quotes;
}

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
             "{}){}\n{}",
             hours_of(quotes.at), quotes.spots, quotes.evictions, delay, quotes.simulated) +
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
    return Json{{"vcpus", quote.size.vcpus},
                {"memory_mb", quote.size.memory_mb},
                {"slots_now", quote.slots},
                {"lives_at_least_s", lifetimes(quote.lifetimes)},
                {"supported_s", lifetimes(quote.supported)},
                {"slots", slots},
                {"samples", table.samples},
                {"quantiles_s",
                 json_list_of(std::span(table.quantiles).first(quotes.evicted.size()), lifetimes)}};
  };
  return {{"at_s", seconds_json(quotes.at)},
          {"spot_delay_s", seconds_json(quotes.spot_delay)},
          {"spots", quotes.spots},
          {"evictions", quotes.evictions},
          {"evicted", json_list_of(quotes.evicted, [](double value) { return json_of(value); })},
          {"sizes", json_list_of(quotes.sizes, size_quote)}};
}

}  // namespace cospot
