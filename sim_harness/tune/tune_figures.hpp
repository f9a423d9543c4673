#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/tune/tune.hpp"

namespace cospot {

/// "12.3%" of 0.123, with so many digits after the point.
[[nodiscard]] std::string percent(double fraction, int digits = 1);

/// "1 sample", "2 samples".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

/// "0.1200%; 1 of 5 samples lost more than 0.1000%", of fractions.
[[nodiscard]] std::string loss_text(double lost, std::size_t over_limit, std::size_t samples,
                                    double limit);

/// Says so when no candidate of a search keeps the limit of VM loss; else nothing.
[[nodiscard]] std::string limit_warning(const TuneOutcome& outcome);

/// A mean over samples and how far it can be trusted.
struct Spread {
  double mean = 0;
  double error = 0;  ///< standard error of the mean; 0 of one sample
  double least = 0;
  double greatest = 0;
};

/// Of one value or more.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

/// What candidates earned and lost on samples that did not choose them.
struct HeldOutFigures {
  std::vector<double> shares{};  ///< earned, of each sample
  std::vector<double> losses{};
  double share_sum = 0;  ///< by search, from its means
  double loss_sum = 0;
  std::size_t over_limit = 0;

  [[nodiscard]] std::size_t samples() const { return shares.size(); }
  [[nodiscard]] double mean_loss() const { return loss_sum / static_cast<double>(samples()); }
};

/// What the texts of a tuning say of a candidate, by name and in figures of what was simulated.
class TuneFigures {
 public:
  struct Labels {
    std::string vm, spot, evictor, saf, otn;
  };

  TuneFigures(const TuneSettings& settings, const TuneRuns& runs)
      : settings_(settings), runs_(runs) {}

  [[nodiscard]] Labels labels(std::size_t candidate) const;
  /// "DPD, sUTIL, FIFO, SAF on, OTN 4".
  [[nodiscard]] std::string short_name(std::size_t candidate) const;
  /// What it earns on each of these samples, a fraction of what spots request there.
  [[nodiscard]] std::vector<double> shares(std::size_t candidate,
                                           std::span<const std::size_t> samples) const;
  /// On how many of these samples it loses more VM revenue than the limit.
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
  /// What a candidate earns, net of lost VMs, more than another: a mean over samples.
  [[nodiscard]] double net_gain(std::size_t candidate, std::size_t other,
                                std::span<const std::size_t> samples) const {
    return runs_.mean_net(candidate, samples) - runs_.mean_net(other, samples);
  }
  /// Of the candidate that `pick` names in each of these searches; nothing if it names none in one.
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
