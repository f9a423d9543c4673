#include "sim_harness/studies/broker/setting_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim_harness/base/text/amount_text.hpp"

namespace cospot {
namespace {

void summarise(RankedSetting& setting) {
  std::vector<double> cost, late, revocations, per_job;
  for (const auto& [seed, run] : setting.runs) {
    cost.push_back(run.cost);
    late.push_back(run.late);
    revocations.push_back(run.revocations);
    if (run.cost_per_useful_job) per_job.push_back(*run.cost_per_useful_job);
  }
  setting.cost = mean_interval(cost);
  setting.late = mean_interval(late);
  setting.revocations = mean_interval(revocations);
  setting.cost_per_useful_job.reset();
  if (per_job.size() == cost.size()) setting.cost_per_useful_job = mean_interval(per_job);
}

}  // namespace

bool RankedSetting::is_told_apart() const {
  return to_best && to_best->half_width && std::abs(to_best->mean) > *to_best->half_width;
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

void rank_settings(std::vector<RankedSetting>& settings) {
  std::ranges::for_each(settings, summarise);
  std::ranges::stable_sort(settings, {}, [](const RankedSetting& one) {
    return one.cost_per_useful_job ? one.cost_per_useful_job->mean
                                   : std::numeric_limits<double>::infinity();
  });
  if (settings.empty()) return;
  const RankedSetting best = settings.front();
  for (RankedSetting& one : settings) compare_setting(one, best);
}

std::string interval_text(const MeanInterval& mean, int decimals) {
  const auto text = [decimals](double value) {
    return with_commas(fmt::format("{:.{}f}", value, decimals));
  };
  return mean.half_width ? text(mean.mean) + " +/- " + text(*mean.half_width) : text(mean.mean);
}

std::string to_best_text(const RankedSetting& setting) {
  if (!setting.to_best) return "-";
  const MeanInterval& difference = *setting.to_best;
  if (!difference.half_width) return fmt::format("{:+.1f}%", 100 * difference.mean);
  return fmt::format("{:+.1f} +/- {:.1f}%{}", 100 * difference.mean, 100 * *difference.half_width,
                     setting.is_told_apart() ? "" : ", not significant");
}

}  // namespace cospot
