#include "guarantees/signals/forecast_score.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace cospot {
namespace {

std::size_t decile_of(double forecast) {
  const auto decile =
      static_cast<std::size_t>(forecast * static_cast<double>(ForecastScore::kBins));
  return std::min(decile, ForecastScore::kBins - 1);
}

}  // namespace

std::optional<Skill> skill_of(std::span<const SkillPart> parts) {
  SkillPart all;
  for (const SkillPart& part : parts) {
    all.loss += part.loss;
    all.reference_loss += part.reference_loss;
  }
  if (all.reference_loss <= 0) return std::nullopt;
  Skill result{.skill = 1 - all.loss / all.reference_loss};
  if (parts.size() < 2) return result;
  // Jackknife: the skill without each part. Where one part has most of the loss, it alone says what
  // the skill is, and the others cannot tell how far that may be off; here that shows.
  std::vector<double> without;
  double mean = 0;
  const auto count = static_cast<double>(parts.size());
  for (const SkillPart& part : parts) {
    const double reference_loss = all.reference_loss - part.reference_loss;
    if (reference_loss <= 0) return result;
    without.push_back(1 - (all.loss - part.loss) / reference_loss);
    mean += without.back() / count;
  }
  double squares = 0;
  for (const double skill : without) squares += (skill - mean) * (skill - mean);
  const boost::math::students_t student(count - 1);
  result.half_width =
      boost::math::quantile(student, 0.975) * std::sqrt(squares * (count - 1) / count);
  return result;
}

const ReliabilityBin& ForecastScore::bin_of(double forecast) const {
  return bins_[decile_of(forecast)];
}

void ForecastScore::add(std::size_t fold, double forecast, double reference, bool happened) {
  const double outcome = happened ? 1 : 0;
  Fold& of = folds_[fold];
  ++of.cases;
  of.part.loss += (forecast - outcome) * (forecast - outcome);
  of.part.reference_loss += (reference - outcome) * (reference - outcome);
  ReliabilityBin& bin = bins_[decile_of(forecast)];
  ++bin.cases;
  if (happened) ++bin.happened;
  bin.forecasts += forecast;
}

ForecastScore::Fold ForecastScore::sum() const {
  Fold all;
  for (const Fold& fold : folds_) {
    all.cases += fold.cases;
    all.part.loss += fold.part.loss;
    all.part.reference_loss += fold.part.reference_loss;
  }
  return all;
}

std::uint64_t ForecastScore::cases() const { return sum().cases; }

double ForecastScore::mean_forecast() const {
  double forecasts = 0;
  for (const ReliabilityBin& bin : bins_) forecasts += bin.forecasts;
  return forecasts / static_cast<double>(cases());
}

std::uint64_t ForecastScore::happened() const {
  std::uint64_t happened = 0;
  for (const ReliabilityBin& bin : bins_) happened += bin.happened;
  return happened;
}

double ForecastScore::observed() const {
  return static_cast<double>(happened()) / static_cast<double>(cases());
}

double ForecastScore::brier() const {
  const Fold all = sum();
  return all.part.loss / static_cast<double>(all.cases);
}

double ForecastScore::reference_brier() const {
  const Fold all = sum();
  return all.part.reference_loss / static_cast<double>(all.cases);
}

bool ForecastScore::has_enough_outcomes() const {
  return std::min(happened(), cases() - happened()) >= kFewOutcomes;
}

std::optional<Skill> ForecastScore::skill() const {
  if (!has_enough_outcomes()) return std::nullopt;
  std::vector<SkillPart> parts;
  for (const Fold& fold : folds_) {
    if (fold.cases > 0) parts.push_back(fold.part);
  }
  return skill_of(parts);
}

bool ForecastScore::has_skill() const {
  const std::optional<Skill> of = skill();
  return of && of->is_positive();
}

std::optional<double> ForecastScore::largest_gap(std::uint64_t least_cases) const {
  std::optional<double> largest;
  for (const ReliabilityBin& bin : bins_) {
    if (bin.cases < std::max<std::uint64_t>(least_cases, 1)) continue;
    largest = std::max(largest.value_or(0), bin.gap());
  }
  return largest;
}

}  // namespace cospot
