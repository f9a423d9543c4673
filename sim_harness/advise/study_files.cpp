#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim_harness/advise/plan_output.hpp"
#include "sim_harness/advise/tune_output.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

std::string in_money(const std::string& prices) {
  return yaml_comment("In money: cospot compare THIS_FILE" + prices) + "\n";
}

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
      findings.datacenter.economy.forecaster,
      std::min(1.0, findings.prices.economy.value_or(0) / findings.prices.on_demand),
      std::min(1.0, findings.prices.spot / findings.prices.on_demand), promise.period_hours,
      promise.training_days, promise.horizon_days);
}

}  // namespace

std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                        const fs::path& folder) {
  const TuneSettings& settings = findings.settings;
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
  Headroom size = inputs.datacenter.size;
  if (findings.whole) size = {.percent = {}, .hosts = findings.whole->hosts};
  return fmt::format(
      "# Around what `cospot tune` found: its policies, those of the best setting without\n"
      "# cooperation, and the offers next to its own, on the same hosts.\n{}{}{}",
      inputs.prices.empty() ? "" : in_money(inputs.prices),
      study_yaml({.workloads = {inputs.workloads.begin(), inputs.workloads.end()},
                  .host = inputs.datacenter.host,
                  .sizes = {size},
                  .headroom_of = size.percent ? settings.vm : std::vector<ChainSpec>{},
                  .vm = choices_at(settings.vm, around[0]),
                  .spot = choices_at(settings.spot, around[1]),
                  .evictors = choices_at(settings.evictors, around[2]),
                  .saf = {false, true},
                  .otn = choices_at(settings.otn, offers_around(settings, otn))},
                 inputs.host, folder),
      settings.with == nullptr ? "" : settings.with->yaml(folder));
}

std::string plan_yaml(const PlanFindings& findings, const PlannedInputs& inputs,
                      const fs::path& folder) {
  const PlanRun& run = findings.set_from_now_on();
  const AllocatorSpec& setting = run.setting;
  std::string text = "# What `cospot plan` advises:\n";
  for (const std::string& sentence : decision_of(findings, inputs.currency)) {
    text += yaml_comment("  " + sentence) + "\n";
  }
  if (setting.places_no_spots()) return text + "# There is nothing to run.\n";
  for (const JudgedClass& one : findings.classes) {
    if (!one.is_sold) continue;
    text += fmt::format("# promise: hours={} probability={:g}\n",
                        one.promise.life / std::chrono::hours(1), 1 - one.promise.broken);
  }
  text += in_money(inputs.prices);
  text += fmt::format("study: {}\n", run.division == Division{} ? "compare" : "levels");
  text += study_yaml({.workloads = {findings.workload},
                      .host = findings.datacenter.host,
                      .sizes = {{.percent = {}, .hosts = run.hosts}},
                      .vm = {setting.vm},
                      .spot = {setting.spot},
                      .evictors = {setting.evictor},
                      .saf = {setting.saf},
                      .otn = {setting.otn}},
                     inputs.host, folder);
  text += economy_lines(findings, run);
  if (findings.datacenter.with != nullptr) text += findings.datacenter.with->yaml(folder);
  return text;
}

}  // namespace cospot
