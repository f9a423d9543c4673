#include "sim_harness/tune/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/policy/plugin.hpp"

namespace cospot {
namespace {

/// What candidates earned and lost on samples that did not choose them.
class HeldOutTotals {
 public:
  void add(const TuneFigures& figures, std::size_t candidate,
           std::span<const std::size_t> samples) {
    const std::vector<double> shares = figures.shares(candidate, samples);
    shares_.insert(shares_.end(), shares.begin(), shares.end());
    lost_ += figures.mean_loss(candidate, samples) * static_cast<double>(samples.size());
    over_ += figures.samples_over_limit(candidate, samples);
  }

  [[nodiscard]] std::size_t samples() const { return shares_.size(); }
  [[nodiscard]] Spread earned() const { return spread_of(shares_); }
  [[nodiscard]] double lost() const { return lost_ / static_cast<double>(shares_.size()); }
  [[nodiscard]] std::string loss(double limit) const {
    return loss_text(lost(), over_, shares_.size(), limit);
  }
  /// "52.1% (VM revenue lost 0.0000%)"
  [[nodiscard]] std::string brief() const {
    return fmt::format("{} (VM revenue lost {})", percent(earned().mean), percent(lost(), 4));
  }

 private:
  std::vector<double> shares_;
  double lost_ = 0;
  std::size_t over_ = 0;
};

/// The totals over the searches of the candidate that `pick` names in each; nothing if one has
/// none.
template <class Pick>
std::optional<HeldOutTotals> totals_of(const TuneFigures& figures,
                                       std::span<const TuneOutcome> judged, const Pick& pick) {
  HeldOutTotals totals;
  for (const TuneOutcome& search : judged) {
    const std::optional<std::size_t> candidate = pick(search);
    if (!candidate) return std::nullopt;
    totals.add(figures, *candidate, search.held_out);
  }
  return totals;
}

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<21}{}\n", name, text);
}

std::string earned_line(const HeldOutTotals& advised) {
  const Spread earned = advised.earned();
  std::string text = fmt::format("{} of what spots request ({} to {}", percent(earned.mean),
                                 percent(earned.least), percent(earned.greatest));
  if (advised.samples() > 1) text += "; standard error " + percent(earned.error);
  return line("spot revenue earned", text + ")");
}

std::string without_cooperation_lines(const TuneFigures& figures, const TuneOutcome& outcome,
                                      std::span<const TuneOutcome> judged) {
  const auto best = totals_of(figures, judged,
                              [](const TuneOutcome& search) { return search.without_cooperation; });
  if (!best) return line("without cooperation", "not tried: --otn has no 1");
  std::string text =
      line("without cooperation",
           fmt::format("{}: the best of {} with OTN 1 and SAF off, found the same way",
                       best->brief(), plural(outcome.tried_without_cooperation, "setting")));
  if (outcome.without_cooperation) {
    text += line("", fmt::format("(on the training samples {})",
                                 figures.short_name(*outcome.without_cooperation)));
  }
  const auto same = totals_of(figures, judged, [&](const TuneOutcome& search) {
    return figures.space().baseline_of(search.recommendation);
  });
  if (same) {
    text += line(
        "", fmt::format("{}: the policies of the recommendation, OTN 1, SAF off", same->brief()));
  }
  return text;
}

std::string bound_line(const TuneFigures& figures, const TuneOutcome& outcome,
                       std::span<const TuneOutcome> judged) {
  const auto bound =
      totals_of(figures, judged, [](const TuneOutcome& search) { return search.bound; });
  if (!bound || !outcome.bound) return "";
  return line("cannot be set", fmt::format("{}: {} ({})", bound->brief(),
                                           figures.short_name(*outcome.bound), kUpperBoundNote));
}

std::string nova_line(const TuneFigures& figures, std::span<const TuneOutcome> judged,
                      double limit) {
  const auto nova = totals_of(
      figures, judged, [](const TuneOutcome& search) { return search.recommendation_for_nova; });
  const bool differs = std::ranges::any_of(judged, [](const TuneOutcome& search) {
    return search.recommendation_for_nova != search.recommendation;
  });
  if (!nova || !differs) return "";
  return line("in nova.conf", fmt::format("{}, VM revenue lost {}", percent(nova->earned().mean),
                                          nova->loss(limit)));
}

}  // namespace

std::string comparison_text(const TuneFigures& figures, const TuneOutcome& outcome,
                            std::span<const TuneOutcome> judged) {
  const double limit = figures.settings().max_vm_loss;
  HeldOutTotals advised;
  for (const TuneOutcome& search : judged)
    advised.add(figures, search.recommendation, search.held_out);
  return earned_line(advised) + line("VM revenue lost", advised.loss(limit)) +
         without_cooperation_lines(figures, outcome, judged) +
         bound_line(figures, outcome, judged) + nova_line(figures, judged, limit);
}

}  // namespace cospot
