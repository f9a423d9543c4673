#include "sim_harness/advise/plan_yaml.hpp"

#include <fmt/format.h>

#include "sim_harness/advise/plan_text.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"

namespace cospot {
namespace {

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

std::string plan_yaml(const PlanFindings& findings, const PlannedInputs& inputs,
                      const std::filesystem::path& folder) {
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
  text += yaml_comment("In money: cospot compare THIS_FILE" + inputs.prices) + "\n";
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
