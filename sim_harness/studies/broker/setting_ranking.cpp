#include "sim_harness/studies/broker/setting_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// `1,234.50`
std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(text.find('.'), text.size());
  while (at > first + 3) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

bool RankedSetting::is_told_apart() const {
  return to_best && to_best->half_width && std::abs(to_best->mean) > *to_best->half_width;
}

void compare_setting(RankedSetting& setting, const RankedSetting& best) {
  setting.to_best.reset();
  if (!setting.cost_per_useful_job || !best.cost_per_useful_job) return;
  std::vector<double> differences;
  for (const auto& [seed, run] : setting.runs) {
    const auto other = best.runs.find(seed);
    if (other == best.runs.end()) continue;
    differences.push_back((*run.cost_per_useful_job - *other->second.cost_per_useful_job) /
                          best.cost_per_useful_job->mean);
  }
  if (!differences.empty()) setting.to_best = mean_interval(differences);
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
  std::string text = grouped(mean.mean, decimals);
  if (mean.half_width) text += " +/- " + grouped(*mean.half_width, decimals);
  return text;
}

std::string to_best_text(const RankedSetting& setting) {
  if (!setting.to_best) return "-";
  const MeanInterval& difference = *setting.to_best;
  if (!difference.half_width) return fmt::format("{:+.1f}%", 100 * difference.mean);
  return fmt::format("{:+.1f} +/- {:.1f}%{}", 100 * difference.mean, 100 * *difference.half_width,
                     setting.is_told_apart() ? "" : ", not told apart");
}

}  // namespace cospot
