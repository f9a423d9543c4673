#include "sim_harness/studies/broker/setting_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim_harness/base/text/amount_text.hpp"

namespace cospot {
namespace {

/// The tolerance for a mean of whole numbers of jobs.
constexpr double kTolerance = 1e-9;

void summarise(RankedSetting& setting) {
  std::vector<double> cost, late, revocations, per_job, more_late, unfinished, saved;
  double on_demand = 0;
  for (const auto& [seed, run] : setting.runs) {
    cost.push_back(run.cost);
    more_late.push_back((run.late - run.on_demand.late) / run.jobs);
    unfinished.push_back(run.unfinished);
    saved.push_back(run.on_demand.cost - run.cost);
    on_demand += run.on_demand.cost / static_cast<double>(setting.runs.size());
    late.push_back(run.late);
    revocations.push_back(run.revocations);
    if (run.cost_per_useful_job) per_job.push_back(*run.cost_per_useful_job);
  }
  setting.cost = mean_interval(cost);
  setting.late = mean_interval(late);
  setting.revocations = mean_interval(revocations);
  setting.more_late = mean_interval(more_late);
  setting.unfinished = mean_interval(unfinished).mean;
  for (double& amount : saved) amount /= on_demand;
  setting.saving = mean_interval(saved);
  setting.cost_per_useful_job.reset();
  if (per_job.size() == cost.size()) setting.cost_per_useful_job = mean_interval(per_job);
}

}  // namespace

SettingRun setting_run_of(const BrokerFigures& figures) {
  return {.cost = figures.cost,
          .late = static_cast<double>(figures.deadline_violations),
          .revocations = static_cast<double>(figures.revocations),
          .unfinished = static_cast<double>(figures.unfinished),
          .cost_per_useful_job = figures.cost_per_useful_job,
          .jobs = static_cast<double>(figures.jobs),
          .on_demand = {figures.on_demand_alone_cost, figures.on_demand_alone_late}};
}

bool RankedSetting::is_told_apart() const {
  return to_best && to_best->half_width && std::abs(to_best->mean) > *to_best->half_width;
}

bool RankedSetting::keeps_limit(double allowed) const {
  return unfinished == 0 && more_late.mean <= allowed + kTolerance;
}

bool RankedSetting::beats_on_demand() const {
  return unfinished == 0 && saving.mean - saving.half_width.value_or(0) > 0;
}

MeanInterval paired(const RankedSetting& a, const RankedSetting& b, const PairValue& value) {
  std::vector<double> values;
  for (const auto& [seed, run] : a.runs) {
    const auto other = b.runs.find(seed);
    if (other != b.runs.end()) values.push_back(value(run, other->second));
  }
  return mean_interval(values);
}

void compare_setting(RankedSetting& setting, const RankedSetting& best) {
  setting.to_best.reset();
  if (!setting.cost_per_useful_job || !best.cost_per_useful_job) return;
  setting.to_best = paired(setting, best, [&best](const SettingRun& run, const SettingRun& other) {
    return (*run.cost_per_useful_job - *other.cost_per_useful_job) / best.cost_per_useful_job->mean;
  });
}

void rank_settings(std::vector<RankedSetting>& settings, double allowed) {
  std::ranges::for_each(settings, summarise);
  std::ranges::stable_sort(settings, {}, [allowed](const RankedSetting& one) {
    return std::pair(!one.keeps_limit(allowed), one.cost_per_useful_job
                                                    ? one.cost_per_useful_job->mean
                                                    : std::numeric_limits<double>::infinity());
  });
  if (settings.empty()) return;
  const RankedSetting best = settings.front();
  for (RankedSetting& one : settings) compare_setting(one, best);
}

void prefer_least_risk(std::vector<RankedSetting>& ranked, double allowed) {
  const auto dearest_seed = [allowed](const RankedSetting& one) {
    double most = std::numeric_limits<double>::infinity();
    if (!one.keeps_limit(allowed) || !one.cost_per_useful_job || one.is_told_apart()) return most;
    most = 0;
    for (const auto& [seed, run] : one.runs) most = std::max(most, *run.cost_per_useful_job);
    return most;
  };
  const auto best = std::ranges::min_element(ranked, {}, dearest_seed);
  if (best != ranked.end()) std::rotate(ranked.begin(), best, best + 1);
}

std::string interval_text(const MeanInterval& mean, int decimals) {
  const auto text = [decimals](double value) {
    return with_commas(fmt::format("{:.{}f}", value, decimals));
  };
  return mean.half_width ? text(mean.mean) + " +/- " + text(*mean.half_width) : text(mean.mean);
}

std::string cost_text(const MeanInterval& cost, int decimals) {
  if (cost.mean < 0 || cost.half_width.value_or(0) <= cost.mean) {
    return interval_text(cost, decimals);
  }
  const auto text = [decimals](double value) {
    return with_commas(fmt::format("{:.{}f}", value, decimals));
  };
  return fmt::format("{} ({} to {})", text(cost.mean), text(0), text(cost.mean + *cost.half_width));
}

std::string lateness_limit_text(double allowed) {
  return fmt::format(
      "at most {:.2f}% of the jobs late in excess of on-demand alone, on average "
      "(max_late_percent), and none left undone",
      100 * allowed);
}

std::string percent_text(const MeanInterval& share) {
  const auto half =
      share.half_width ? std::optional(100 * *share.half_width) : std::optional<double>();
  return interval_text({.mean = 100 * share.mean, .half_width = half}, 1) + "%";
}

std::string saving_text(const RankedSetting& setting) {
  if (setting.unfinished > 0) return fmt::format("{:.1f} jobs left undone", setting.unfinished);
  MeanInterval saving = setting.saving;
  const bool is_dearer = saving.mean < 0;
  saving.mean = std::abs(saving.mean);
  return percent_text(saving) + (is_dearer ? " more" : " less") + " than on-demand";
}

std::string saving_cell_text(const RankedSetting& setting) {
  return setting.unfinished > 0 ? "undone" : percent_text(setting.saving);
}

Json saving_json(const RankedSetting& setting) {
  return mean_json(setting.unfinished > 0 ? std::nullopt : std::optional(setting.saving));
}

std::string to_best_text(const RankedSetting& setting) {
  if (!setting.to_best) return "-";
  const MeanInterval& difference = *setting.to_best;
  if (!difference.half_width) return fmt::format("{:+.1f}%", 100 * difference.mean);
  return fmt::format("{:+.1f} +/- {:.1f}%{}", 100 * difference.mean, 100 * *difference.half_width,
                     setting.is_told_apart() ? "" : ", not significant");
}

}  // namespace cospot
