// Signals that a provider may give its customers: will so many spots fit, how long will one live,
// will this one be evicted? They are given at regular moments of the run, from what came before,
// and scored by what came then.

#include <fmt/format.h>

#include <utility>

#include "sim_harness/provider/signals/signal_watch.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

using R = RunOutcome;

void add_signals(const PartRun& run) {
  const ProviderStudySettings& settings = run.at.settings();
  run.outcome.signals =
      std::make_shared<SignalWatch>(run.workload, run.settings.host.table(run.settings.hosts),
                                    settings.signals, settings.signal_times);
  run.parts.observer = run.outcome.signals;
  run.parts.forecasts.push_back(run.outcome.signals->make_listener());
}

void read_signal_outcome(const GridPoint<ProviderStudySettings>& at, RunOutcome& outcome) {
  outcome.signal = outcome.signals->score(at.index(kSignalAxis));
}

/// A number of the cases' score, where there are any.
template <class Get>
Measure<R> of_cases(Column column, const Get& get) {
  column.may_be_null = true;
  return measure<R>(std::move(column), [get](const R& one) -> std::optional<double> {
    if (one.signal->score.cases() == 0) return std::nullopt;
    return get(one.signal->score);
  });
}

template <class Get>
Measure<R> of_skill(Column column, const Get& get) {
  return of_cases(std::move(column), [get](const ForecastScore& score) -> std::optional<double> {
    const std::optional<Skill> skill = score.skill();
    return skill ? get(*skill) : std::nullopt;
  });
}

/// Adds the outcome of a decile of the forecasts.
void add_decile(std::vector<Measure<R>>& all, std::size_t decile) {
  const std::string prefix = fmt::format("decile{}_", decile + 1);
  const std::string which =
      fmt::format("forecasts from {}% to {}%", 10 * decile, 10 * (decile + 1));
  all.push_back(
      measure<R>({.name = prefix + "cases", .unit = "cases", .meaning = which},
                 [decile](const R& one) { return one.signal->score.bins()[decile].cases; }));
  const auto add = [&](const char* name, const char* meaning, auto get) {
    all.push_back(measure<R>({.name = prefix + name,
                              .unit = "fraction",
                              .meaning = fmt::format("{}: {}", which, meaning),
                              .may_be_null = true,
                              .decimals = 6},
                             [decile, get](const R& one) -> std::optional<double> {
                               const ReliabilityBin& bin = one.signal->score.bins()[decile];
                               if (bin.cases == 0) return std::nullopt;
                               return get(bin);
                             }));
  };
  add("forecast", "their mean", [](const ReliabilityBin& bin) { return bin.mean_forecast(); });
  add("observed", "how often it happened",
      [](const ReliabilityBin& bin) { return bin.observed(); });
}

/// Adds the measures that `obtainable` alone has: moments at which the spots do not fit.
void add_when_full(std::vector<Measure<R>>& all) {
  all.push_back(measure<R>({.name = "cases_when_full",
                            .unit = "cases",
                            .meaning = "of obtainable: so many did not fit at the moment"},
                           [](const R& one) {
                             return one.signal->when_full ? one.signal->when_full->cases()
                                                          : std::uint64_t{0};
                           }));
  const auto add = [&all](const char* name, const char* meaning, auto get) {
    all.push_back(measure<R>({.name = name, .meaning = meaning, .may_be_null = true, .decimals = 6},
                             [get](const R& one) -> std::optional<double> {
                               if (!one.signal->when_full || one.signal->when_full->cases() == 0)
                                 return std::nullopt;
                               return get(*one.signal->when_full);
                             }));
  };
  add("observed_when_full", "of these cases: it happened",
      [](const ForecastScore& score) { return std::optional(score.observed()); });
  add("brier_when_full", "Brier score of these cases",
      [](const ForecastScore& score) { return std::optional(score.brier()); });
  add("brier_base_rate_when_full", "the same of the base rate of such moments",
      [](const ForecastScore& score) { return std::optional(score.reference_brier()); });
  add("skill_when_full_half_width",
      "half of the 95% interval over folds of 1 - brier_when_full / brier_base_rate_when_full",
      [](const ForecastScore& score) {
        const std::optional<Skill> skill = score.skill();
        return skill ? skill->half_width : std::nullopt;
      });
}

std::vector<Measure<R>> measures() {
  const auto fraction = [](const char* name, const char* meaning) {
    return Column{.name = name, .unit = "fraction", .meaning = meaning, .decimals = 6};
  };
  std::vector<Measure<R>> all{
      measure<R>({.name = "signal_moments",
                  .unit = "moments",
                  .meaning = "at which signals were given that count, after the warm-up"},
                 [](const R& one) { return one.signals->moments(); }),
      measure<R>({.name = "cases", .unit = "cases", .meaning = "signals that were scored"},
                 [](const R& one) { return one.signal->score.cases(); }),
      of_cases(fraction("observed", "of the cases: it happened"),
               [](const ForecastScore& score) { return score.observed(); }),
      of_cases(fraction("forecast", "mean of the signals"),
               [](const ForecastScore& score) { return score.mean_forecast(); }),
      of_cases({.name = "brier",
                .meaning = "Brier score of the signals: mean squared error; 0 is best",
                .decimals = 6},
               [](const ForecastScore& score) { return score.brier(); }),
      of_cases({.name = "brier_base_rate",
                .meaning = "the same of the base rate that was known at the moment",
                .decimals = 6},
               [](const ForecastScore& score) { return score.reference_brier(); }),
      of_skill({.name = "skill",
                .meaning = fmt::format("1 - brier / brier_base_rate; empty where it happened, or "
                                       "did not, in fewer than {} cases",
                                       kFewOutcomes),
                .decimals = 6},
               [](const Skill& skill) { return std::optional(skill.skill); }),
      of_skill({.name = "skill_half_width",
                .meaning = "half of its 95% interval over folds",
                .decimals = 6},
               [](const Skill& skill) { return skill.half_width; }),
      of_cases(fraction("largest_gap",
                        "between forecast and observed, over deciles of 100 cases or more"),
               [](const ForecastScore& score) { return score.largest_gap(kFewCases); })};
  add_when_full(all);
  for (std::size_t i = 0; i < ForecastScore::kBins; ++i) add_decile(all, i);
  return all;
}

}  // namespace

StudyPart signals_part() {
  return {.rows = {kSignalAxis, signal_times_setting()},
          .measures = measures(),
          .figures = {{.name = "skill",
                       .title = "skill",
                       .unit = FigureUnit::kNumber,
                       .decimals = 3,
                       .meaning = "of the signal over the base rate, by Brier scores",
                       .better = Better::kHigh,
                       .is_signed = true}},
          .add = add_signals,
          .read = read_signal_outcome};
}

}  // namespace cospot
