#include "sim_harness/studies/signals/signals_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/studies/signals/signals_summary.hpp"

namespace cospot {
namespace {

/// The numbers of the signals that are printed.
std::vector<std::size_t> shown_signals(const SignalsReport& report) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < report.watch->questions().size(); ++i) {
    if (report.shows_all || report.watch->score(i).score.has_skill()) shown.push_back(i);
  }
  return shown;
}

/// True if forecasts like `of.probabilities[i]` were off by too much to be published.
bool is_off(const SignalsReport& report, const PoolSignals& of, std::size_t i) {
  return !report.shows_all && of.probabilities[i] &&
         report.watch->score(i).score.bin_of(*of.probabilities[i]).is_off();
}

/// The probability that customers are told; none: nothing is known, or such forecasts were off.
std::optional<double> told_probability(const SignalsReport& report, const PoolSignals& of,
                                       std::size_t i) {
  return is_off(report, of, i) ? std::nullopt : of.probabilities[i];
}

/// From 1 to 10, 10 the most probable.
int score_of(double probability) {
  return std::clamp(static_cast<int>(std::ceil(10 * probability)), 1, 10);
}

std::string percent_text(double probability) {
  if (probability > 0.9995) return "100%";  // not 100.0%, which would promise a digit more
  return fmt::format("{:.1f}%", 100 * probability);
}

std::string lifetime_text(SimTime lifetime) {
  if (lifetime < SimTime{0}) return "-";
  return lifetime == SimTime{0} ? "< 1 h" : fmt::format("{:g} h", hours_of(lifetime));
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(all));
}

bool has_zones(std::span<const PoolSignals> pools) {
  return std::ranges::any_of(pools, [](const PoolSignals& one) { return !one.pool.zone.empty(); });
}

void add_pool_columns(TextTable& table, const SignalsReport& report) {
  const SizeWords words = size_words(report.unit);
  table.add_column(std::string(words.vcpus));
  table.add_column(std::string(words.memory));
  if (has_zones(report.watch->last_signals())) table.add_column("zone", TextTable::Align::kLeft);
}

std::vector<std::string> pool_cells(const SignalsReport& report, const PoolSignals& of) {
  const SizeWords words = size_words(report.unit);
  std::vector<std::string> cells{words.count_of_vcpus(of.pool.size.vcpus),
                                 count_text(of.pool.size.memory_mb)};
  if (has_zones(report.watch->last_signals())) {
    cells.push_back(of.pool.zone.empty() ? "any" : of.pool.zone);
  }
  return cells;
}

/// Lifetimes are told where how long a spot survives is.
bool shows_uptime(const SignalsReport& report, const std::vector<std::size_t>& shown) {
  return std::ranges::any_of(shown, [&](std::size_t i) {
    return report.watch->questions()[i].kind == SignalKind::kSurvives;
  });
}

/// The pools of the flavors with the most spots so far.
std::vector<std::size_t> printed_pools(const SignalsReport& report) {
  constexpr std::size_t kMostFlavors = 8;
  const std::span<const PoolSignals> pools = report.watch->last_signals();
  std::vector<std::size_t> flavors;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].rate) flavors.push_back(i);
  }
  std::ranges::stable_sort(flavors, std::greater(),
                           [&](std::size_t i) { return pools[i].rate->spots; });
  if (!report.shows_all) flavors.resize(std::min(flavors.size(), kMostFlavors));
  std::vector<std::size_t> printed;
  for (const std::size_t flavor : flavors) {
    printed.push_back(flavor);
    for (std::size_t i = flavor + 1; i < pools.size() && !pools[i].rate; ++i) printed.push_back(i);
  }
  return printed;
}

/// Names the number of flavors left out of the tables.
std::string left_out_text(const SignalsReport& report) {
  const std::span<const PoolSignals> pools = report.watch->last_signals();
  const std::size_t left = pools.size() - printed_pools(report).size();
  if (left == 0) return {};
  return fmt::format("({} more with fewer spots: --all prints them, --json has them)\n", left);
}

/// The signals that a customer may see now.
std::string now_text(const SignalsReport& report, const std::vector<std::size_t>& shown) {
  const std::span<const SignalQuestion> questions = report.watch->questions();
  const bool has_uptime = shows_uptime(report, shown);
  TextTable table;
  add_pool_columns(table, report);
  table.add_column("fit now");
  for (const std::size_t i : shown) table.add_column(signal_words(questions[i]));
  if (has_uptime) {
    for (const double probability : UptimeSignal::kProbabilities) {
      table.add_column(fmt::format("{:g}% live at least", 100 * (1 - probability)));
    }
  }
  for (const std::size_t pool : printed_pools(report)) {
    const PoolSignals& of = report.watch->last_signals()[pool];
    std::vector<std::string> row = pool_cells(report, of);
    row.push_back(count_text(of.slots));
    for (const std::size_t i : shown) {
      const std::optional<double> told = told_probability(report, of, i);
      row.push_back(told ? percent_text(*told) : is_off(report, of, i) ? "off" : "-");
    }
    if (has_uptime) {
      for (const SimTime lifetime : of.lifetimes) row.push_back(lifetime_text(lifetime));
    }
    table.add_row(std::move(row));
  }
  return fmt::format("Signals at the end of the history, day {:.1f}\n",
                     hours_of(report.watch->window()) / 24) +
         table.text() + left_out_text(report);
}

std::vector<std::string> rate_cells(const EvictionRate& rate) {
  const double hours = rate.spot_hours;
  return {hours > 0 ? fmt::format("{:.5f}", static_cast<double>(rate.evictions) / hours) : "-",
          count_text(static_cast<std::int64_t>(rate.spots)),
          amount_text(hours),
          count_text(static_cast<std::int64_t>(rate.evictions)),
          share_text(rate.recent_evictions, rate.recent_spots),
          share_text(rate.evictions, rate.ended)};
}

std::string rates_text(const SignalsReport& report) {
  TextTable table;
  const SizeWords words = size_words(report.unit);
  table.add_column(std::string(words.vcpus));
  table.add_column(std::string(words.memory));
  for (const char* title : {"evictions per hour", "spots", "spot-hours", "evictions",
                            "of those of 28 days", "of all that ended"}) {
    table.add_column(title);
  }
  const auto add = [&table](std::vector<std::string> row, const EvictionRate& rate) {
    for (std::string& cell : rate_cells(rate)) row.push_back(std::move(cell));
    table.add_row(std::move(row));
  };
  EvictionRate all;
  for (const PoolSignals& of : report.watch->last_signals()) {
    if (of.rate) all.add(*of.rate);
  }
  for (const std::size_t pool : printed_pools(report)) {
    const PoolSignals& of = report.watch->last_signals()[pool];
    if (!of.rate) continue;
    add({words.count_of_vcpus(of.pool.size.vcpus), count_text(of.pool.size.memory_mb)}, *of.rate);
  }
  add({"all", ""}, all);
  return "Eviction rates so far: a record of the past, not a forecast\n" + table.text() +
         "(evictions per hour that a spot ran; of those of 28 days: evicted of the spots that ran\n"
         "at some time in the last 28 days; of all that ended: evicted of the spots that are "
         "over)\n";
}

/// Names the signals left out.
std::string withheld_text(const SignalsReport& report, const std::vector<std::size_t>& shown) {
  std::vector<std::string> withheld;
  for (std::size_t i = 0; i < report.watch->questions().size(); ++i) {
    if (std::ranges::find(shown, i) != shown.end()) continue;
    withheld.push_back(signal_words(report.watch->questions()[i]));
  }
  if (withheld.empty()) return {};
  return fmt::format(
      "Not printed, because their skill over the base rate is not told from 0: {} (--all prints "
      "them)\n",
      fmt::join(withheld, ", "));
}

/// The deciles of the signals that are printed whose forecasts were off, and so are not.
std::string off_text(const SignalsReport& report, const std::vector<std::size_t>& shown) {
  std::vector<std::string> off;
  for (const std::size_t i : shown) {
    const SignalScore score = report.watch->score(i);
    for (std::size_t decile = 0; decile < ForecastScore::kBins && !report.shows_all; ++decile) {
      if (!score.score.bins()[decile].is_off()) continue;
      off.push_back(fmt::format("{} at {}-{}%", signal_words(score.question), 10 * decile,
                                10 * (decile + 1)));
    }
  }
  if (off.empty()) return {};
  return fmt::format(
      "Printed as 'off', because forecasts of that decile were off by more than {:g} points: {} "
      "(--all prints them)\n",
      100 * kMostGap, fmt::join(off, ", "));
}

Json probability_json(const SignalQuestion& question, std::optional<double> probability) {
  Json json{{"signal", signal_label(question)}, {"probability", json_of(probability)}};
  if (question.kind == SignalKind::kObtainable && probability) {
    json["score"] = score_of(*probability);
  }
  return json;
}

Json lifetime_json(SimTime lifetime) {
  return lifetime < SimTime{0} ? Json() : json_of(hours_of(lifetime));
}

Json rate_json(const EvictionRate& rate) {
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? Json() : json_of(static_cast<double>(part) / static_cast<double>(all));
  };
  return {{"evictions_per_spot_hour",
           rate.spot_hours > 0 ? json_of(static_cast<double>(rate.evictions) / rate.spot_hours)
                               : Json()},
          {"spots", rate.spots},
          {"spot_hours", json_of(rate.spot_hours)},
          {"evictions", rate.evictions},
          {"evicted_of_running_in_28_days", share(rate.recent_evictions, rate.recent_spots)},
          {"evicted_of_ended", share(rate.evictions, rate.ended)}};
}

Json pool_json(const SignalsReport& report, const PoolSignals& of,
               const std::vector<std::size_t>& shown) {
  Json json{{"vcpus", of.pool.size.vcpus},
            {"memory_mb", of.pool.size.memory_mb},
            {"zone", of.pool.zone.empty() ? Json() : Json(of.pool.zone)},
            {"fit_now", of.slots},
            {"running", of.running},
            {"signals", Json::array()}};
  for (const std::size_t i : shown) {
    json["signals"].push_back(
        probability_json(report.watch->questions()[i], told_probability(report, of, i)));
  }
  Json& lives = json["lives_at_least_h"] = Json::array();
  for (std::size_t i = 0; shows_uptime(report, shown) && i < of.lifetimes.size(); ++i) {
    lives.push_back({{"probability", json_of(1 - UptimeSignal::kProbabilities[i])},
                     {"hours", lifetime_json(of.lifetimes[i])}});
  }
  if (of.rate) json["eviction_rate"] = rate_json(*of.rate);
  return json;
}

}  // namespace

std::string signals_text(const SignalsReport& report) {
  const std::vector<std::size_t> shown = shown_signals(report);
  std::string text = fmt::format(
      "{}: signals at {} moments from day {:.1f} on, each from what came before it\n{}\n",
      report.history, count_text(static_cast<std::int64_t>(report.watch->moments())),
      hours_of(report.watch->warmup_end()) / 24, report.simulated);
  text += report.summary.text.plain() + "\n";
  text += shown.empty() ? "" : now_text(report, shown);
  return text + withheld_text(report, shown) + off_text(report, shown) + "\n" + rates_text(report);
}

Json signals_json(const SignalsReport& report) {
  const std::vector<std::size_t> shown = shown_signals(report);
  Json withheld = Json::array();
  for (std::size_t i = 0; i < report.watch->questions().size(); ++i) {
    if (std::ranges::find(shown, i) == shown.end()) {
      withheld.push_back(signal_label(report.watch->questions()[i]));
    }
  }
  Json json{{"history", report.history},
            {"moments", report.watch->moments()},
            {"warmup_days", json_of(hours_of(report.watch->warmup_end()) / 24)},
            {"at_days", json_of(hours_of(report.watch->window()) / 24)}};
  json["scores"] = report.summary.json.at("combinations");
  json["reliability"] = report.summary.json.at("reliability");
  json["without_skill"] = std::move(withheld);
  json["pools"] = json_list_of(report.watch->last_signals(),
                               [&](const PoolSignals& of) { return pool_json(report, of, shown); });
  return json;
}

}  // namespace cospot
