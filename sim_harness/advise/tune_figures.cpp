#include "sim_harness/advise/tune_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cospot {

std::string percent(double fraction, int digits) {
  return fmt::format("{:.{}f}%", 100 * fraction, digits);
}

std::string limit_text(double fraction) { return fmt::format("{:g}%", 100 * fraction); }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string loss_text(double lost, std::size_t over_limit, std::size_t samples, double limit) {
  return fmt::format("{}; {} of {} lost more than {}", percent(lost, 4), over_limit,
                     plural(samples, "sample"), limit_text(limit));
}

std::string limit_warning(const TuneOutcome& outcome) {
  if (outcome.keeps_limit) return "";
  return "  No setting that ran on every training sample kept that limit on each; this one loses "
         "least.\n";
}

Spread spread_of(const std::vector<double>& values) {
  Spread spread{.least = values.front(), .greatest = values.front()};
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    spread.mean += value / count;
    spread.least = std::min(spread.least, value);
    spread.greatest = std::max(spread.greatest, value);
  }
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.error = std::sqrt(squares / (count - 1) / count);
  return spread;
}

std::vector<double> TuneFigures::shares(std::size_t candidate,
                                        std::span<const std::size_t> samples) const {
  std::vector<double> values;
  for (const std::size_t sample : samples) {
    values.push_back(runs_.point(candidate, sample).spot_share);
  }
  return values;
}

void TuneFigures::add(std::size_t candidate, std::span<const std::size_t> samples,
                      HeldOutFigures& figures) const {
  for (const std::size_t sample : samples) {
    const CostAndRevenue point = runs_.point(candidate, sample);
    figures.shares.push_back(point.spot_share);
    figures.losses.push_back(point.vm_loss);
  }
  figures.share_sum += mean_share(candidate, samples) * static_cast<double>(samples.size());
  figures.loss_sum += mean_loss(candidate, samples) * static_cast<double>(samples.size());
  figures.over_limit += samples_over_limit(candidate, samples);
}

std::size_t TuneFigures::samples_over_limit(std::size_t candidate,
                                            std::span<const std::size_t> samples) const {
  return static_cast<std::size_t>(std::ranges::count_if(samples, [&](std::size_t sample) {
    return runs_.point(candidate, sample).vm_loss > settings_.max_vm_loss;
  }));
}

}  // namespace cospot
