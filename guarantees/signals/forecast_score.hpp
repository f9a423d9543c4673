#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cospot {

/// A decile with fewer cases says little of calibration.
inline constexpr std::uint64_t kFewCases = 100;

/// The largest difference between forecasts and what happened in a decile of a calibrated signal.
inline constexpr double kMostGap = 0.05;

/// The forecasts of a decile: those from k/10 to below (k+1)/10, and 1 in the last one.
struct ReliabilityBin {
  std::uint64_t cases = 0;
  std::uint64_t happened = 0;
  double forecasts = 0;  ///< their sum

  [[nodiscard]] double mean_forecast() const { return forecasts / static_cast<double>(cases); }
  [[nodiscard]] double observed() const {
    return static_cast<double>(happened) / static_cast<double>(cases);
  }
  [[nodiscard]] double gap() const { return std::abs(mean_forecast() - observed()); }
  /// True if kFewCases cases or more were off by more than kMostGap.
  [[nodiscard]] bool is_off() const { return cases >= kFewCases && gap() > kMostGap; }
};

/// A skill with its 95 % interval over folds, which a single fold does not give.
struct Skill {
  double skill = 0;
  std::optional<double> half_width{};

  /// True if the whole interval is above 0.
  [[nodiscard]] bool is_positive() const { return half_width && skill - *half_width > 0; }
};

/// With fewer cases of the rarer outcome, the data cannot tell whether a signal foresees it.
inline constexpr std::uint64_t kFewOutcomes = 10;

/// The losses in a stretch of time, or on a workload: sums of squared errors.
struct SkillPart {
  double loss = 0;
  double reference_loss = 0;
};

/// 1 - loss / reference loss of all parts together, with an interval by leaving out one part after
/// the other (jackknife) and Student's t. Nothing: the reference made no mistake.
[[nodiscard]] std::optional<Skill> skill_of(std::span<const SkillPart> parts);

/// The quality of probabilities, by the outcomes: the Brier score (mean squared difference from 1
/// or 0; 0 is best), compared with that of a reference that knows the base rate alone.
///
/// Source: Brier, "Verification of forecasts expressed in terms of probability", 1950; skill as in
/// Murphy, "A new vector partition of the probability score", 1973.
class ForecastScore {
 public:
  static constexpr std::size_t kBins = 10;

  /// Cases come in `folds` stretches of time: near in time they are alike, so an interval takes
  /// stretches for independent and not cases.
  explicit ForecastScore(std::size_t folds) : folds_(folds) {}

  void add(std::size_t fold, double forecast, double reference, bool happened);

  [[nodiscard]] std::uint64_t cases() const;
  [[nodiscard]] const std::array<ReliabilityBin, kBins>& bins() const { return bins_; }
  /// The forecasts that share a decile with `forecast`.
  [[nodiscard]] const ReliabilityBin& bin_of(double forecast) const;

  // The mean over at least one case.
  [[nodiscard]] double mean_forecast() const;
  [[nodiscard]] double observed() const;
  [[nodiscard]] double brier() const;
  [[nodiscard]] double reference_brier() const;

  /// True if both outcomes were seen in kFewOutcomes cases or more. If one was hardly ever seen, a
  /// forecast that never wavers beats every other one, and that is no skill.
  [[nodiscard]] bool has_enough_outcomes() const;

  /// 1 - brier / reference brier: 1 is perfect, 0 no better than the reference; over the folds that
  /// have cases. Nothing: an outcome was seen too seldom, or the reference made no mistake.
  [[nodiscard]] std::optional<Skill> skill() const;

  /// True if the skill is significant: there is one, and its interval is above 0.
  [[nodiscard]] bool has_skill() const;

  /// The largest difference between forecast and observed shares among the deciles with
  /// `least_cases` or more. Nothing: no decile has that many.
  [[nodiscard]] std::optional<double> largest_gap(std::uint64_t least_cases) const;

 private:
  struct Fold {
    std::uint64_t cases = 0;
    SkillPart part{};
  };
  [[nodiscard]] Fold sum() const;
  [[nodiscard]] std::uint64_t happened() const;

  std::vector<Fold> folds_;
  std::array<ReliabilityBin, kBins> bins_{};
};

}  // namespace cospot
