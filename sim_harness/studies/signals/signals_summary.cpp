#include "sim_harness/studies/signals/signals_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "guarantees/signals/forecast_score.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"

namespace cospot {
namespace {

using RunList = std::span<const std::size_t>;

/// The columns read of every run, by name.
std::vector<std::string> read_columns() {
  std::vector<std::string> names{"cases",
                                 "observed",
                                 "brier",
                                 "brier_base_rate",
                                 "skill_half_width",
                                 "cases_when_full",
                                 "observed_when_full",
                                 "brier_when_full",
                                 "brier_base_rate_when_full",
                                 "skill_when_full_half_width"};
  for (std::size_t i = 1; i <= ForecastScore::kBins; ++i) {
    for (const char* part : {"cases", "forecast", "observed"}) {
      names.push_back(fmt::format("decile{}_{}", i, part));
    }
  }
  return names;
}

/// The cases of one decile of forecasts: their number, and the means of what was forecast and seen.
struct Decile {
  double cases = 0;
  double forecast = 0;
  double observed = 0;
};

class SignalsTable {
 public:
  SignalsTable(ResultsDatabase& results, const std::vector<std::string>& names)
      : read_(read(results, names)), table_(results, read_.runs) {
    for (std::size_t i = 0; i < names.size(); ++i) column_[names[i]] = i;
    table_.add({"cases", "cases"}, [this](RunList runs) {
      const double cases = sum("cases", runs);
      return SummaryCell{count_text(std::llround(cases)), json_of(cases)};
    });
    add_share("observed", "happened");
    add_number("brier", "Brier score");
    add_number("brier_base_rate", "of the base rate");
    add_skill("skill", "skill", "");
    add_skill("skill_when_full", "skill when full", "_when_full");
    table_.add({"largest_gap", "largest gap"}, [this](RunList runs) {
      const std::optional<double> gap = largest_gap(runs);
      return SummaryCell{gap ? fmt::format("{:.1f} points", 100 * *gap) : "-", json_of(gap)};
    });
    table_.add({"has_skill", ""}, [this](RunList runs) {
      return SummaryCell{"", has_skill(runs)};
    });
    table_.rewrite("signal", [](SummaryCell& cell, RunList) {
      if (const auto question = parse_signal(cell.text)) cell.text = signal_words(*question);
    });
  }

  [[nodiscard]] const MeansTable& table() const { return table_; }

  /// True if the interval of the skill, over folds or over workloads, is above 0.
  [[nodiscard]] bool has_skill(RunList runs) const {
    const std::optional<Skill> skill = skill_in(runs, "");
    return skill && skill->is_positive();
  }

  [[nodiscard]] std::size_t signals_with_skill() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        table_.combinations(), [this](const auto& runs) { return has_skill(runs); }));
  }

  /// True if both outcomes were seen often enough. `suffix` is that of the columns.
  [[nodiscard]] bool has_enough_outcomes(RunList runs, const std::string& suffix) const {
    double happened = 0;
    for (const std::size_t run : runs) {
      happened +=
          values("cases" + suffix)[run].value_or(0) * values("observed" + suffix)[run].value_or(0);
    }
    // Half a case less: the shares were rounded.
    const double rarer = std::min(happened, sum("cases" + suffix, runs) - happened);
    return rarer >= static_cast<double>(kFewOutcomes) - 0.5;
  }

  [[nodiscard]] double sum(const std::string& name, RunList runs) const {
    double sum = 0;
    for (const std::size_t run : runs) sum += values(name)[run].value_or(0);
    return sum;
  }

  /// Between forecast and observed, over deciles of all runs together that have enough cases.
  [[nodiscard]] std::optional<double> largest_gap(RunList runs) const {
    std::optional<double> largest;
    for (std::size_t i = 1; i <= ForecastScore::kBins; ++i) {
      const Decile point = decile(i, runs);
      if (point.cases < static_cast<double>(kFewCases)) continue;
      largest = std::max(largest.value_or(0), std::abs(point.forecast - point.observed));
    }
    return largest;
  }

  /// A decile of all runs together.
  [[nodiscard]] Decile decile(std::size_t number, RunList runs) const {
    const std::string prefix = fmt::format("decile{}_", number);
    Decile point;
    for (const std::size_t run : runs) {
      const double cases = values(prefix + "cases")[run].value_or(0);
      point.cases += cases;
      point.forecast += cases * values(prefix + "forecast")[run].value_or(0);
      point.observed += cases * values(prefix + "observed")[run].value_or(0);
    }
    if (point.cases > 0) {
      point.forecast /= point.cases;
      point.observed /= point.cases;
    }
    return point;
  }

  /// The label that distinguishes a row from the others.
  [[nodiscard]] std::string title(std::size_t row) const {
    std::string title;
    for (std::size_t i = 0; i < table_.settings(); ++i) {
      if (table_.table().columns[i].title.empty()) continue;
      title += (title.empty() ? "" : ", ") + table_.table().rows[row][i].text;
    }
    return title;
  }

 private:
  static RunFigures read(ResultsDatabase& results, const std::vector<std::string>& names) {
    std::vector<Figure> figures;
    for (const std::string& name : names) figures.push_back({.name = name});
    return read_figures(results, figures);
  }

  [[nodiscard]] const RunValues& values(const std::string& name) const {
    return read_.values[column_.at(name)];
  }

  void add_share(const char* name, const char* title) {
    table_.add({.name = name, .title = title, .decimals = 1}, values(name));
  }
  void add_number(const char* name, const char* title) {
    table_.add({.name = name, .title = title, .unit = FigureUnit::kNumber, .decimals = 4},
               values(name));
  }

  /// The skill of one run over its folds, of several over the runs. `suffix` is that of the
  /// columns. Nothing: an outcome was seen too seldom.
  [[nodiscard]] std::optional<Skill> skill_in(RunList runs, const std::string& suffix) const {
    if (!has_enough_outcomes(runs, suffix)) return std::nullopt;
    std::vector<SkillPart> parts;
    for (const std::size_t run : runs) {
      const double cases = values("cases" + suffix)[run].value_or(0);
      if (cases <= 0) continue;
      parts.push_back(
          {.loss = cases * values("brier" + suffix)[run].value_or(0),
           .reference_loss = cases * values("brier_base_rate" + suffix)[run].value_or(0)});
    }
    std::optional<Skill> skill = skill_of(parts);
    if (skill && runs.size() == 1) {
      skill->half_width = values("skill" + suffix + "_half_width")[runs.front()];
    }
    return skill;
  }

  void add_skill(const char* name, const char* title, const char* suffix) {
    table_.add({name, title}, [this, suffix](RunList runs) {
      const std::optional<Skill> skill = skill_in(runs, suffix);
      if (!skill) return SummaryCell{"-", mean_json(std::nullopt)};
      std::string text = fmt::format("{:.3f}", skill->skill);
      // A skill is 1 at best, so beyond that an interval says nothing.
      if (skill->half_width && *skill->half_width > 1) {
        text += " +/- >1";
      } else if (skill->half_width) {
        text += fmt::format(" +/- {:.3f}", *skill->half_width);
      }
      return SummaryCell{std::move(text), mean_json(MeanInterval{skill->skill, skill->half_width})};
    });
  }

  RunFigures read_;
  std::map<std::string, std::size_t> column_;
  MeansTable table_;
};

/// The observed frequency by decile of the forecast: rows as in the table of scores.
SummaryTable reliability_table(const SignalsTable& made) {
  const MeansTable& of = made.table();
  SummaryTable table;
  table.columns.push_back({"signal", "signal", TextTable::Align::kLeft});
  for (std::size_t i = 0; i < ForecastScore::kBins; ++i) {
    table.columns.push_back(
        {fmt::format("decile{}", i + 1), fmt::format("{}-{}%", 10 * i, 10 * (i + 1))});
  }
  for (std::size_t row = 0; row < of.combinations().size(); ++row) {
    std::vector<SummaryCell>& cells = table.rows.emplace_back();
    cells.push_back({made.title(row), made.title(row)});
    for (std::size_t i = 1; i <= ForecastScore::kBins; ++i) {
      const Decile point = made.decile(i, of.combinations()[row]);
      const bool is_few = point.cases < static_cast<double>(kFewCases);
      cells.push_back({is_few ? "" : fmt::format("{:.1f}%", 100 * point.observed),
                       Json{{"from", json_of(static_cast<double>(i - 1) / 10)},
                            {"to", json_of(static_cast<double>(i) / 10)},
                            {"cases", json_of(point.cases)},
                            {"forecast", point.cases > 0 ? json_of(point.forecast) : Json()},
                            {"observed", point.cases > 0 ? json_of(point.observed) : Json()}}});
    }
  }
  return table;
}

/// The number of signals with skill, and of those for which that is unknown.
std::string answer_of(const SignalsTable& made) {
  const auto combinations = made.table().combinations();
  const auto untold = std::ranges::count_if(
      combinations, [&made](const auto& runs) { return !made.has_enough_outcomes(runs, ""); });
  std::string text =
      fmt::format("Skill over the base rate: {} of {} signal{}", made.signals_with_skill(),
                  combinations.size(), combinations.size() == 1 ? "" : "s");
  if (untold > 0) {
    text += fmt::format("; of {} nobody can say, as one outcome was seen in fewer than {} cases",
                        untold, kFewOutcomes);
  }
  return text + "\n";
}

StudySummary summary_of(ResultsDatabase& results, const SignalsTable& made, bool says_settings) {
  const MeansTable& table = made.table();
  StudySummary summary;
  summary.text = "Signals, scored on held-out time\n" + missing_runs_line(results);
  summary.text.add_answer(answer_of(made));
  if (says_settings) summary.text += table.heading();
  summary.text.add(table.table());
  summary.text += fmt::format(
      "(happened: of the cases; skill: 1 - Brier score / that of the base rate that was known\n"
      "then, +/- half its 95% interval over folds, or over several runs, - where it happened, or\n"
      "did not, in fewer than {} cases; when full: where so many do not fit at the moment, "
      "against\n"
      "the base rate of such moments; largest gap: between forecast and what happened, over\n"
      "deciles of {} cases or more)\n",
      kFewOutcomes, kFewCases);
  const SummaryTable reliability = reliability_table(made);
  summary.text += "\nHow often it happened, by what was forecast (deciles of 100 cases or more)\n";
  summary.text.add(reliability);
  summary.json = {{"signals_with_skill", made.signals_with_skill()},
                  {"combinations", table.table().json()},
                  {"reliability", reliability.json()}};
  return summary;
}

}  // namespace

std::string signal_words(const SignalQuestion& question) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(question.span).count();
  switch (question.kind) {
    case SignalKind::kObtainable:
      return fmt::format("{} {} within {} min", question.count,
                         question.count == 1 ? "fits" : "fit", minutes);
    case SignalKind::kSurvives:
      return fmt::format("lives {} h", minutes / 60);
    case SignalKind::kEvicted:
      break;
  }
  return fmt::format("evicted within {} min", minutes);
}

StudySummary signals_summary(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<std::string> names = read_columns();
  return summary_of(results, SignalsTable(results, names), true);
}

StudySummary signals_summary_of_one_run(ResultsDatabase& results) {
  const std::vector<std::string> names = read_columns();
  return summary_of(results, SignalsTable(results, names), false);
}

}  // namespace cospot
