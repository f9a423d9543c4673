#include "sim_harness/experiments/summary/figure_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace cospot {
namespace {

using Rows = std::vector<std::size_t>;

/// The most values that a line can name and still be an answer.
constexpr std::size_t kMostValues = 8;

/// The settings of a table that differ between its rows.
std::vector<std::size_t> telling_settings(const MeansTable& table) {
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < table.settings(); ++i) {
    if (!table.table().columns[i].title.empty()) telling.push_back(i);
  }
  return telling;
}

class Answer {
 public:
  Answer(const Figure& figure, const RunValues& values, const MeansTable& table)
      : figure_(figure), values_(values), table_(table), telling_(telling_settings(table)) {
    for (const std::vector<std::size_t>& runs : table.combinations()) {
      means_.push_back(table.mean(values, runs));
    }
  }

  /// The rows with the greatest or the least mean, to the precision shown.
  [[nodiscard]] Rows most(const Rows& rows, bool is_greatest) const {
    std::optional<double> most;
    for (const std::size_t row : rows) {
      if (!means_[row]) continue;
      const double mean = means_[row]->mean;
      if (!most || (is_greatest ? mean > *most : mean < *most)) most = mean;
    }
    Rows all;
    std::ranges::copy_if(rows, std::back_inserter(all), [&](std::size_t row) {
      return means_[row] && shown(row) == figure_text(figure_, *most);
    });
    return all;
  }

  /// `0.00% in all 54 combinations`, or with which settings.
  [[nodiscard]] std::string extreme_text(const Rows& rows, std::size_t of) const {
    const bool is_one = rows.size() == 1;
    std::string text = is_one ? mean_cell(figure_, means_[rows.front()]).text : shown(rows.front());
    if (rows.size() == of && of > 1) return text + fmt::format(" in all {} combinations", of);
    text += settings_of_rows(table_, rows);
    if (!is_one) text += fmt::format(" ({} of {} combinations)", rows.size(), of);
    return text;
  }

  [[nodiscard]] Json extreme_json(const Rows& rows) const {
    Json json = mean_json(means_[rows.front()]);
    json["combinations"] = rows.size();
    for (std::size_t i = 0; rows.size() == 1 && i < table_.settings(); ++i) {
      json["with"][table_.table().columns[i].name] = table_.table().rows[rows.front()][i].json;
    }
    return json;
  }

  /// The means of every value of a setting, over all runs that have it.
  void add_effect(std::size_t setting, std::string& text, Json& json) const {
    std::vector<std::pair<SummaryCell, Rows>> values;
    for (std::size_t row = 0; row < means_.size(); ++row) {
      const SummaryCell& cell = table_.table().rows[row][setting];
      auto same = std::ranges::find(values, cell.text, [](auto& one) { return one.first.text; });
      if (same == values.end()) same = values.insert(values.end(), {cell, {}});
      const std::vector<std::size_t>& runs = table_.combinations()[row];
      same->second.insert(same->second.end(), runs.begin(), runs.end());
    }
    const std::string& name = table_.table().columns[setting].name;
    std::vector<std::string> parts;
    for (const auto& [cell, runs] : values) {
      const std::optional<MeanInterval> mean = table_.mean(values_, runs);
      Json one = mean_json(mean);
      one["value"] = cell.json;
      json[name].push_back(std::move(one));
      parts.push_back(cell.text + ": " + mean_cell(figure_, mean).text);
    }
    if (parts.size() < 2 || parts.size() > kMostValues) return;
    text += fmt::format("  by {}: {}\n", name, fmt::join(parts, "; "));
  }

  [[nodiscard]] const std::vector<std::size_t>& telling() const { return telling_; }

 private:
  [[nodiscard]] std::string shown(std::size_t row) const {
    return figure_text(figure_, means_[row]->mean);
  }

  const Figure& figure_;
  const RunValues& values_;
  const MeansTable& table_;
  std::vector<std::size_t> telling_;
  std::vector<std::optional<MeanInterval>> means_;
};

/// `TITLE: highest EXTREME`; of rows that are all as good, without the word.
std::string best_line(std::string_view title, const Figure& figure, const Answer& answer,
                      const Rows& best, std::size_t of) {
  const char* word = figure.better == Better::kHigh ? "highest " : "lowest ";
  return fmt::format("{}: {}{}", title, best.size() == of ? "" : word,
                     answer.extreme_text(best, of));
}

/// The rows that can be chosen, or all where none can.
Rows rows_to_choose(const MeansTable& table) {
  Rows all(table.combinations().size());
  std::iota(all.begin(), all.end(), 0);
  Rows chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen),
                       [&table](std::size_t row) { return !table.is_bound(row); });
  return chosen.empty() ? all : chosen;
}

}  // namespace

std::string capitalised(std::string_view text) {
  std::string made(text);
  if (!made.empty() && made[0] >= 'a' && made[0] <= 'z') made[0] -= 'a' - 'A';
  return made;
}

std::string settings_of_rows(const MeansTable& table, std::span<const std::size_t> rows) {
  std::vector<std::string> settings;
  for (const std::size_t i : telling_settings(table)) {
    const auto& all = table.table().rows;
    const std::string& value = all[rows.front()][i].text;
    const bool is_shared =
        std::ranges::all_of(rows, [&](std::size_t row) { return all[row][i].text == value; });
    if (is_shared) settings.push_back(table.table().columns[i].title + " " + value);
  }
  return settings.empty() ? "" : fmt::format(" with {}", fmt::join(settings, ", "));
}

std::string best_text(const Figure& figure, const RunValues& values, const MeansTable& table,
                      const std::vector<bool>& is_of_interest, std::string_view title) {
  Rows rows;
  for (std::size_t row = 0; row < is_of_interest.size(); ++row) {
    if (is_of_interest[row]) rows.push_back(row);
  }
  const Answer answer(figure, values, table);
  const Rows best = answer.most(rows, figure.better == Better::kHigh);
  if (best.empty()) return "";
  return best_line(title, figure, answer, best, rows.size()) + "\n";
}

FigureAnswers answers_of(const std::vector<Figure>& figures, const std::vector<RunValues>& values,
                         const MeansTable& table) {
  FigureAnswers answers;
  const Rows to_choose = rows_to_choose(table);
  Rows candidates = to_choose;
  const std::size_t all = candidates.size();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i];
    if (figure.better == Better::kUnsaid) continue;
    const bool is_high = figure.better == Better::kHigh;
    const Answer answer(figure, values[i], table);
    const Rows best = answer.most(candidates, is_high);
    if (best.empty()) continue;
    const Rows worst = answer.most(candidates, !is_high);
    const std::size_t of = candidates.size();
    const Rows everywhere = answer.most(to_choose, is_high);
    answers.text += best_line(capitalised(figure.title) + (of < all ? " of these" : ""), figure,
                              answer, best, of);
    if (best.size() < of) {
      answers.text +=
          fmt::format("; {} {}", is_high ? "lowest" : "highest", answer.extreme_text(worst, of));
    }
    answers.text += "\n";
    Json json{{"figure", figure.name},
              {"better", is_high ? "high" : "low"},
              {"best", answer.extreme_json(best)},
              {"worst", answer.extreme_json(worst)}};
    for (const std::size_t setting : answer.telling()) {
      std::string line;
      answer.add_effect(setting, line, json["by"]);
      if (everywhere.size() < all) answers.text += line;
    }
    answers.json.push_back(std::move(json));
    candidates = best;
  }
  return answers;
}

}  // namespace cospot
