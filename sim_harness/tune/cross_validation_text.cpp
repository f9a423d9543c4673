#include "sim_harness/tune/cross_validation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim_harness/files/text_table.hpp"

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

  [[nodiscard]] Spread earned() const { return spread_of(shares_); }

  [[nodiscard]] std::string loss(double limit) const {
    return loss_text(lost_ / static_cast<double>(shares_.size()), over_, shares_.size(), limit);
  }

 private:
  std::vector<double> shares_;
  double lost_ = 0;
  std::size_t over_ = 0;
};

std::string fold_table(const TuneFigures& figures, std::span<const TuneOutcome> folds) {
  TextTable table;
  table.add_column("held out");
  table.add_column("advice of the others", TextTable::Align::kLeft);
  for (const char* title : {"earned", "without offers", "VM lost", "over the limit"}) {
    table.add_column(title);
  }
  for (const TuneOutcome& fold : folds) {
    const auto baseline = figures.space().baseline_of(fold.advice);
    std::vector<std::string> cells{plural(fold.held_out.size(), "sample"),
                                   figures.short_name(fold.advice)};
    cells.push_back(percent(figures.mean_share(fold.advice, fold.held_out)));
    cells.push_back(baseline ? percent(figures.mean_share(*baseline, fold.held_out)) : "");
    cells.push_back(percent(figures.mean_loss(fold.advice, fold.held_out), 4));
    cells.push_back(fmt::format("{}", figures.samples_over_limit(fold.advice, fold.held_out)));
    table.add_row(std::move(cells));
  }
  return table.text();
}

/// The totals over all folds of the candidate that `pick` names in each; nothing if one has none.
template <class Pick>
std::optional<HeldOutTotals> totals_of(const TuneFigures& figures,
                                       std::span<const TuneOutcome> folds, const Pick& pick) {
  HeldOutTotals totals;
  for (const TuneOutcome& fold : folds) {
    const std::optional<std::size_t> candidate = pick(fold);
    if (!candidate) return std::nullopt;
    totals.add(figures, *candidate, fold.held_out);
  }
  return totals;
}

std::string expected(const TuneFigures& figures, std::span<const TuneOutcome> folds) {
  const double limit = figures.settings().max_vm_loss;
  HeldOutTotals advised;
  for (const TuneOutcome& fold : folds) advised.add(figures, fold.advice, fold.held_out);
  const Spread earned = advised.earned();
  std::string text = fmt::format(
      "To expect\n  spot revenue     {} of what spots request ({} to {}; standard error {})\n",
      percent(earned.mean), percent(earned.least), percent(earned.greatest), percent(earned.error));
  const auto plain = totals_of(figures, folds, [&](const TuneOutcome& fold) {
    return figures.space().baseline_of(fold.advice);
  });
  if (plain) {
    text += fmt::format("  without offers   {}: the same policies, OTN 1, SAF off\n",
                        percent(plain->earned().mean));
  }
  text += "  VM revenue lost  " + advised.loss(limit) + "\n";
  const auto nova =
      totals_of(figures, folds, [](const TuneOutcome& fold) { return fold.advice_for_nova; });
  const bool differs = std::ranges::any_of(
      folds, [](const TuneOutcome& fold) { return fold.advice_for_nova != fold.advice; });
  if (nova && differs) {
    text += fmt::format("  in nova.conf     {}, VM revenue lost {}\n", percent(nova->earned().mean),
                        nova->loss(limit));
  }
  return text;
}

}  // namespace

std::string cross_validation_text(const TuneFigures& figures, const TuneOutcome& outcome,
                                  std::span<const TuneOutcome> folds) {
  const auto same = std::ranges::count(folds, outcome.advice, &TuneOutcome::advice);
  return fmt::format(
      "Cross-validated: each fold of the samples held out, the others choose\n{}\n{}"
      "  {} of {} folds give the advice above.\n{}",
      fold_table(figures, folds), expected(figures, folds), same, folds.size(),
      limit_warning(outcome));
}

}  // namespace cospot
