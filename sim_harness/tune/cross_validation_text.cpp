#include "sim_harness/tune/cross_validation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/tune/comparison_text.hpp"

namespace cospot {
namespace {

std::string fold_table(const TuneFigures& figures, std::span<const TuneOutcome> folds) {
  TextTable table;
  table.add_column("validation fold");
  table.add_column("recommendation of the training folds", TextTable::Align::kLeft);
  for (const char* title : {"earned", "no cooperation", "VM lost", "net gain", "over the limit"}) {
    table.add_column(title);
  }
  for (const TuneOutcome& fold : folds) {
    const std::optional<std::size_t> plain = fold.without_cooperation;
    std::vector<std::string> cells{plural(fold.held_out.size(), "sample"),
                                   figures.short_name(fold.recommendation)};
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

std::string cross_validation_text(const TuneFigures& figures, const TuneOutcome& outcome,
                                  std::span<const TuneOutcome> folds) {
  const auto same = std::ranges::count(folds, outcome.recommendation, &TuneOutcome::recommendation);
  return fmt::format(
      "Cross-validation: each fold validates what the others, the training folds, recommend\n"
      "(spot revenue earned and VM revenue lost, % of requested; net gain: net of lost VMs beyond "
      "no "
      "cooperation, points)\n{}\nExpected of what the search finds, {}\n{}"
      "  {} of {} folds find the same.\n{}",
      fold_table(figures, folds), figures.short_name(outcome.recommendation),
      comparison_text(figures, outcome, folds), same, folds.size(), limit_warning(outcome));
}

}  // namespace cospot
