#include "sim_harness/advise/validation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/base/text/text_table.hpp"

namespace cospot {
namespace {

/// "52.1% (VM revenue lost 0.0000%)"
std::string brief(const HeldOutFigures& figures) {
  return fmt::format("{} (VM revenue lost {})", percent(spread_of(figures.shares).mean),
                     percent(figures.mean_loss(), 4));
}

std::string loss_of(const HeldOutFigures& figures, double limit) {
  return loss_text(figures.mean_loss(), figures.over_limit, figures.samples(), limit);
}

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<21}{}\n", name, text);
}

std::string earned_line(const HeldOutFigures& advised) {
  const Spread earned = spread_of(advised.shares);
  std::string text = fmt::format("{} of what spots request ({} to {}", percent(earned.mean),
                                 percent(earned.least), percent(earned.greatest));
  if (advised.samples() > 1) text += "; standard error " + percent(earned.error);
  return line("spot revenue earned", text + ")");
}

std::string without_cooperation_lines(const TuneFigures& figures, const TuneOutcome& outcome,
                                      std::span<const TuneOutcome> judged) {
  const auto best = figures.held_out(
      judged, [](const TuneOutcome& search) { return search.without_cooperation; });
  if (!best) return line("without cooperation", "not tried: --otn has no 1");
  std::string text =
      line("without cooperation",
           fmt::format("{}: the best of {} with OTN 1 and SAF off, chosen in the same way",
                       brief(*best), plural(outcome.tried_without_cooperation, "setting")));
  if (outcome.without_cooperation) {
    text += line("", fmt::format("(on the training samples {})",
                                 figures.space().at(*outcome.without_cooperation).label()));
  }
  const auto same = figures.held_out(judged, [&](const TuneOutcome& search) {
    return figures.space().baseline_of(search.recommendation);
  });
  if (same) {
    text += line("", fmt::format("{}: the same policies with OTN 1 and SAF off", brief(*same)));
  }
  return text;
}

std::string bound_line(const TuneFigures& figures, const TuneOutcome& outcome,
                       std::span<const TuneOutcome> judged) {
  const auto bound =
      figures.held_out(judged, [](const TuneOutcome& search) { return search.bound; });
  if (!bound || !outcome.bound) return "";
  return line("cannot be set",
              fmt::format("{}: {} ({})", brief(*bound), figures.space().at(*outcome.bound).label(),
                          kKnowsLifetimes));
}

std::string nova_line(const TuneFigures& figures, std::span<const TuneOutcome> judged,
                      double limit) {
  const auto nova = figures.held_out(
      judged, [](const TuneOutcome& search) { return search.recommendation_for_nova; });
  const bool differs = std::ranges::any_of(judged, [](const TuneOutcome& search) {
    return search.recommendation_for_nova != search.recommendation;
  });
  if (!nova || !differs) return "";
  return line("in nova.conf",
              fmt::format("{}, VM revenue lost {}", percent(spread_of(nova->shares).mean),
                          loss_of(*nova, limit)));
}

/// "week1.csv", "days 2 to 4", "3 samples".
std::string fold_name(const TuneOutcome& fold, std::span<const std::string> sample_names) {
  if (fold.held_out.size() != 1) return plural(fold.held_out.size(), "sample");
  return sample_names[fold.held_out.front()];
}

std::string fold_table(const TuneFigures& figures, std::span<const TuneOutcome> folds,
                       std::span<const std::string> sample_names) {
  TextTable table;
  table.add_column("validation fold", TextTable::Align::kLeft);
  table.add_column("chosen on the other folds", TextTable::Align::kLeft);
  for (const char* title : {"earned", "no cooperation", "VM lost", "net gain", "over the limit"}) {
    table.add_column(title);
  }
  for (const TuneOutcome& fold : folds) {
    const std::optional<std::size_t> plain = fold.without_cooperation;
    std::vector<std::string> cells{fold_name(fold, sample_names),
                                   figures.space().at(fold.recommendation).label()};
    cells.push_back(percent(figures.mean_share(fold.recommendation, fold.held_out)));
    cells.push_back(plain ? percent(figures.mean_share(*plain, fold.held_out)) : "");
    cells.push_back(percent(figures.mean_loss(fold.recommendation, fold.held_out), 4));
    cells.push_back(plain ? fmt::format("{:+.1f}", 100 * figures.net_gain(fold.recommendation,
                                                                          *plain, fold.held_out))
                          : "");
    cells.push_back(
        fmt::format("{}", figures.samples_over_limit(fold.recommendation, fold.held_out)));
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string comparison_text(const TuneFigures& figures, const TuneOutcome& outcome,
                            std::span<const TuneOutcome> judged) {
  const double limit = figures.settings().max_vm_loss;
  const HeldOutFigures advised = *figures.held_out(
      judged, [](const TuneOutcome& search) { return std::optional(search.recommendation); });
  return earned_line(advised) + line("VM revenue lost", loss_of(advised, limit)) +
         without_cooperation_lines(figures, outcome, judged) +
         bound_line(figures, outcome, judged) + nova_line(figures, judged, limit);
}

std::string cross_validation_text(const TuneFigures& figures, const TuneOutcome& outcome,
                                  std::span<const TuneOutcome> folds,
                                  std::span<const std::string> sample_names) {
  const auto same = std::ranges::count(folds, outcome.recommendation, &TuneOutcome::recommendation);
  return fmt::format(
      "Cross-validation: each fold validates the setting chosen on the other folds\n"
      "(spot revenue earned and VM revenue lost, % of requested; net gain over no cooperation, net "
      "of lost VMs, points)\n{}\nExpected of the search's choice, here {}\n{}"
      "  {} of {} folds choose the same setting.\n{}",
      fold_table(figures, folds, sample_names), figures.space().at(outcome.recommendation).label(),
      comparison_text(figures, outcome, folds), same, folds.size(), limit_warning(outcome));
}

}  // namespace cospot
