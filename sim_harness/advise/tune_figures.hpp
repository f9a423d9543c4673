#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/advise/tune.hpp"

namespace cospot {

/// "12.3%" for 0.123, with `digits` decimals.
[[nodiscard]] std::string percent(double fraction, int digits = 1);

/// A limit as its user gave it: "0.5%", "0%".
[[nodiscard]] std::string limit_text(double fraction);

/// "1 sample", "2 samples".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

/// "0.1200%; 1 of 5 samples lost more than 0.1%"; the arguments are fractions.
[[nodiscard]] std::string loss_text(double lost, std::size_t over_limit, std::size_t samples,
                                    double limit);

/// A warning if no candidate of a search keeps the limit of VM loss; otherwise empty.
[[nodiscard]] std::string limit_warning(const TuneOutcome& outcome);

/// A mean over samples with its standard error.
struct Spread {
  double mean = 0;
  double error = 0;  ///< standard error of the mean; 0 for one sample
  double least = 0;
  double greatest = 0;
};

/// Expects at least one value.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

/// The revenue and loss of candidates on samples that did not choose them.
struct HeldOutFigures {
  std::vector<double> shares{};  ///< revenue, per sample
  std::vector<double> losses{};
  double share_sum = 0;  ///< sum over searches of their means
  double loss_sum = 0;
  std::size_t over_limit = 0;

  [[nodiscard]] std::size_t samples() const { return shares.size(); }
  [[nodiscard]] double mean_loss() const { return loss_sum / static_cast<double>(samples()); }
};

/// The simulated figures of candidates, for the texts of a tuning.
class TuneFigures {
 public:
  TuneFigures(const TuneSettings& settings, const TuneRuns& runs)
      : settings_(settings), runs_(runs) {}

  /// Its revenue on each sample, as a fraction of the requested spot revenue.
  [[nodiscard]] std::vector<double> shares(std::size_t candidate,
                                           std::span<const std::size_t> samples) const;
  /// The number of these samples on which its VM loss exceeds the limit.
  [[nodiscard]] std::size_t samples_over_limit(std::size_t candidate,
                                               std::span<const std::size_t> samples) const;
  [[nodiscard]] double mean_share(std::size_t candidate,
                                  std::span<const std::size_t> samples) const {
    return runs_.mean(candidate, samples).spot_share;
  }
  [[nodiscard]] double mean_loss(std::size_t candidate,
                                 std::span<const std::size_t> samples) const {
    return runs_.mean(candidate, samples).vm_loss;
  }
  /// Net revenue (minus VM loss) of a candidate over another: a mean over samples.
  [[nodiscard]] double net_gain(std::size_t candidate, std::size_t other,
                                std::span<const std::size_t> samples) const {
    return runs_.mean_net(candidate, samples) - runs_.mean_net(other, samples);
  }
  /// For the candidate that `pick` names in each search; nothing if it names none in one.
  template <class Pick>
  [[nodiscard]] std::optional<HeldOutFigures> held_out(std::span<const TuneOutcome> judged,
                                                       const Pick& pick) const {
    HeldOutFigures figures;
    for (const TuneOutcome& search : judged) {
      const std::optional<std::size_t> candidate = pick(search);
      if (!candidate) return std::nullopt;
      add(*candidate, search.held_out, figures);
    }
    return figures;
  }
  [[nodiscard]] const TuneSettings& settings() const { return settings_; }
  [[nodiscard]] const CandidateSpace& space() const { return runs_.space(); }

 private:
  void add(std::size_t candidate, std::span<const std::size_t> samples,
           HeldOutFigures& figures) const;

  const TuneSettings& settings_;
  const TuneRuns& runs_;
};

}  // namespace cospot
