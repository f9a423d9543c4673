#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "sim_harness/advise/plan.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"

namespace cospot {
namespace {

std::vector<Headroom> host_counts(std::span<const TuneSample> samples) {
  std::set<std::size_t> counts;
  for (const TuneSample& sample : samples) counts.insert(sample.hosts);
  std::vector<Headroom> sizes;
  for (const std::size_t hosts : counts) sizes.push_back({.percent = {}, .hosts = hosts});
  return sizes;
}

RunResult without_times(RunResult result) {
  result.alloc_p50_ns = result.alloc_p99_ns = result.alloc_max_ns = 0;
  result.spot_alloc_p50_ns = result.spot_alloc_p99_ns = result.spot_alloc_max_ns = 0;
  result.wall_ms = 0;
  return result;
}

Row make_row(std::size_t run_index, std::span<const GridAxis> axes, const Coordinates& at,
             const GridPoint<ProviderSettings>& run, const TuneSample& sample,
             const RunResult& result) {
  Row row{.run_index = run_index,
          .values = {},
          .configuration = run_json(run, sample.hosts),
          .version = COSPOT_VERSION};
  for (std::size_t i = 0; i < axes.size(); ++i) row.values.push_back(axes[i].values[at[i]].value);
  const std::uint64_t seed = sample.spec.synthetic ? sample.spec.synthetic->seed : 0;
  for (Value& value : compare_measures(without_times(result), sample.workload.sha256, seed)) {
    row.values.push_back(std::move(value));
  }
  return row;
}

namespace fs = std::filesystem;

/// The candidate's offer, the ones before and after it among those that were tried, and the first
/// host alone.
std::set<std::size_t> offers_around(const TuneSettings& settings, std::size_t otn) {
  std::set<std::size_t> offers{otn};
  if (otn > 0) offers.insert(otn - 1);
  if (otn + 1 < settings.otn.size()) offers.insert(otn + 1);
  const auto one = std::ranges::find(settings.otn, OfferRule(1));
  if (one != settings.otn.end()) {
    offers.insert(static_cast<std::size_t>(one - settings.otn.begin()));
  }
  return offers;
}

/// The choices at some positions.
template <class T>
std::vector<T> choices_at(const std::vector<T>& choices, const std::set<std::size_t>& positions) {
  std::vector<T> some;
  for (const std::size_t position : positions) some.push_back(choices[position]);
  return some;
}

std::string economy_lines(const PlanFindings& findings, const PlanRun& run) {
  if (run.division == Division{}) return {};
  const EconomySettings& promise = findings.datacenter.economy.economy;
  return fmt::format(
      "economy: [{}]\neconomy_percent: {:g}\npromise: {:g}\nforecaster: {}\neconomy_price: {}\n"
      "opportunistic_price: {}\nperiod_hours: {:g}\ntraining_days: {}\nhorizon_days: {}\nseed: 1\n",
      axis_value(run.setting.vm).yaml, run.division.economy_percent, run.division.confidence,
      findings.datacenter.forecasters.at(run.division.confidence),
      std::min(1.0, findings.prices.economy.value_or(0) / findings.prices.on_demand),
      std::min(1.0, findings.prices.spot / findings.prices.on_demand), promise.period_hours,
      promise.training_days, promise.horizon_days);
}

}  // namespace

TuneRecord tune_record(const TuneFindings& findings) {
  const TuneSettings& settings = findings.request.settings;
  const HostMix& host = findings.request.datacenter.host;
  const std::span<const TuneSample> samples = findings.samples;
  const TuneRuns& runs = findings.runs;
  TuneRecord record;
  record.sweep = {.workloads = {},
                  .host = host,
                  .sizes = host_counts(samples),
                  .vm = settings.vm,
                  .spot = settings.spot,
                  .evictors = settings.evictors,
                  .saf = settings.saf,
                  .otn = settings.otn};
  std::vector<SimTime> windows;
  for (const TuneSample& sample : samples) {
    record.sweep.workloads.push_back(sample.spec);
    windows.push_back(sample.workload.window);
    record.workloads.push_back(input_record(sample.spec, sample.workload));
  }
  add_named_files(host, settings.evictors, record.workloads);
  record.sweep.workloads = as_recorded(std::move(record.sweep.workloads), windows);
  std::vector<GridAxis> axes = provider_table().axes(record.sweep);
  const Grid grid = grid_of(axes, axis_position(axes, kEvictorAxis.name));  // as a comparison has
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    const auto size =
        std::ranges::find(record.sweep.sizes, samples[sample].hosts, &Headroom::hosts);
    for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
      const RunResult* result = runs.find(candidate, sample);
      if (result == nullptr) continue;
      Coordinates at{sample, static_cast<std::size_t>(size - record.sweep.sizes.begin())};
      std::ranges::copy(runs.space().positions(candidate), std::back_inserter(at));
      record.rows.push_back(make_row(grid.run_index(at), axes, at,
                                     provider_table().at(record.sweep, at), samples[sample],
                                     *result));
    }
  }
  record.tables = {.record = {.study = compare_schema().study,
                              .configuration = compact_json(provider_table().json(record.sweep)),
                              .run_count = grid.run_count(),
                              .group_count = grid.group_count(),
                              .version = COSPOT_VERSION,
                              .created_by = "cospot tune"},
                   .schema = compare_schema(),
                   .axes = std::move(axes)};
  return record;
}

std::string around_yaml(const TuneFindings& findings, const StudyFileWords& words,
                        const fs::path& folder) {
  const TuneSettings& settings = findings.request.settings;
  const CandidateSpace& space = findings.runs.space();
  std::vector<std::set<std::size_t>> around;
  for (const std::size_t position : space.positions(findings.outcome.recommendation)) {
    around.push_back({position});
  }
  if (const auto& other = findings.outcome.without_cooperation) {
    const Coordinates at = space.positions(*other);
    for (std::size_t axis = 0; axis < at.size(); ++axis) around[axis].insert(at[axis]);
  }
  const std::size_t otn = space.positions(findings.outcome.recommendation).back();
  Headroom size = findings.request.datacenter.size;
  if (findings.whole) size = {.percent = {}, .hosts = findings.whole->hosts};
  return fmt::format(
      "# Around what `cospot tune` found: its policies, those of the best setting without\n"
      "# cooperation, and the offers next to its own, on the same hosts.\n{}{}{}",
      price_key_yaml(words.prices, folder),
      study_yaml({.workloads = findings.request.workloads,
                  .host = findings.request.datacenter.host,
                  .sizes = {size},
                  .headroom_of = size.percent ? settings.vm : std::vector<ChainSpec>{},
                  .vm = choices_at(settings.vm, around[0]),
                  .spot = choices_at(settings.spot, around[1]),
                  .evictors = choices_at(settings.evictors, around[2]),
                  .saf = {false, true},
                  .otn = choices_at(settings.otn, offers_around(settings, otn))},
                 words.host, folder),
      settings.with == nullptr ? "" : settings.with->yaml(folder));
}

std::string plan_yaml(const PlanFindings& findings, const StudyFileWords& words,
                      const fs::path& folder) {
  const PlanRun& run = findings.set_from_now_on();
  const AllocatorSpec& setting = run.setting;
  std::string text = "# What `cospot plan` advises:\n";
  for (const std::string& sentence : decision_of(findings)) {
    text += yaml_comment("  " + sentence) + "\n";
  }
  if (setting.places_no_spots()) return text + "# There is nothing to run.\n";
  for (const JudgedClass& one : findings.classes) {
    if (!one.is_sold) continue;
    text += fmt::format("# promise: hours={} probability={:g}\n",
                        one.promise.life / std::chrono::hours(1), 1 - one.promise.broken);
  }
  text += price_key_yaml(words.prices, folder);
  text += fmt::format("study: {}\n", run.division == Division{} ? "compare" : "levels");
  text += study_yaml({.workloads = {findings.workload},
                      .host = findings.datacenter.host,
                      .sizes = {{.percent = {}, .hosts = run.hosts}},
                      .vm = {setting.vm},
                      .spot = {setting.spot},
                      .evictors = {setting.evictor},
                      .saf = {setting.saf},
                      .otn = {setting.otn}},
                     words.host, folder);
  text += economy_lines(findings, run);
  if (findings.datacenter.with != nullptr) text += findings.datacenter.with->yaml(folder);
  return text;
}

}  // namespace cospot
