// The output of `cospot broker recommend`, as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/studies/broker/recommendation.hpp"

namespace cospot {
namespace {

constexpr std::size_t kShown = 10;

/// The price of an hour.
std::string usd_text(MicroUsd price) {
  return price >= kNoCapacityPrice ? "none" : fmt::format("{:.4f}", usd(price));
}

std::string percent(double share) { return fmt::format("{:.2f}%", 100 * share); }

std::string seeds_text(std::size_t seeds) {
  return fmt::format("{} seed{}", seeds, seeds == 1 ? "" : "s");
}

std::string settings_text(std::size_t settings) {
  return fmt::format("{} setting{}", settings, settings == 1 ? "" : "s");
}

std::string setting_text(const Candidate& one, bool has_prices) {
  const std::string bid = has_prices ? "bid " + one.bid + ", " : "";
  return fmt::format("{}fault tolerance {}, market choice {}, alpha {:g}{}", bid,
                     one.fault_tolerance, one.market_choice, one.alpha,
                     one.on_demand_fallback ? ", on-demand fallback" : "");
}

/// Without those that came to exactly the same as an earlier one: with one market, all market
/// choices do.
std::vector<const Candidate*> distinct(const std::vector<Candidate>& candidates) {
  std::vector<const Candidate*> kept;
  for (const Candidate& one : candidates) {
    const bool is_same = std::ranges::any_of(
        kept, [&one](const Candidate* other) { return other->figures.runs == one.figures.runs; });
    if (!is_same) kept.push_back(&one);
  }
  return kept;
}

/// The first of a list that is ranked; the first of all is the best.
std::string settings_table(const std::vector<Candidate>& candidates, bool has_best) {
  TextTable table;
  table.add_column("bid", TextTable::Align::kLeft);
  table.add_column("fault_tolerance", TextTable::Align::kLeft);
  table.add_column("market_choice", TextTable::Align::kLeft);
  table.add_column("fallback", TextTable::Align::kLeft);
  for (const char* title : {"alpha", "cost (USD)", "USD/useful job", "saving", "late",
                            "late, worst seed", "revocations"}) {
    table.add_column(title);
  }
  table.add_column("to best", TextTable::Align::kLeft);
  const std::vector<const Candidate*> all = distinct(candidates);
  const std::size_t shown = std::min(kShown, all.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Candidate& one = *all[i];
    const auto& per_job = one.figures.cost_per_useful_job;
    table.add_row({one.bid, one.fault_tolerance, one.market_choice,
                   one.on_demand_fallback ? "on" : "off", fmt::format("{:g}", one.alpha),
                   cost_text(one.figures.cost, 2), per_job ? cost_text(*per_job, 4) : "-",
                   saving_cell_text(one.figures), percent(one.late_share), percent(one.worst_late),
                   fmt::format("{:.0f}", one.figures.revocations.mean),
                   has_best && i == 0 ? "best" : to_best_text(one.figures)});
  }
  std::string text = table.text();
  if (all.size() > shown) text += fmt::format("and {} more\n", all.size() - shown);
  if (const std::size_t same = candidates.size() - all.size(); same > 0) {
    text += fmt::format("({} more with exactly the results of another one)\n", same);
  }
  return text;
}

std::string bids_table(const std::vector<MarketBid>& bids) {
  TextTable table;
  table.add_column("type", TextTable::Align::kLeft);
  table.add_column("os", TextTable::Align::kLeft);
  table.add_column("zone", TextTable::Align::kLeft);
  for (const char* title : {"bid (USD/h)", "spot price", "on-demand", "of the instances"}) {
    table.add_column(title);
  }
  double shown = 0;
  for (std::size_t i = 0; i < std::min(kShown, bids.size()); ++i) {
    const MarketBid& one = bids[i];
    shown += one.share;
    table.add_row({one.type, one.os, one.datacenter, usd_text(one.bid), usd_text(one.price),
                   usd_text(one.on_demand_price), fmt::format("{:.1f}%", 100 * one.share)});
  }
  std::string text = table.text();
  if (bids.size() > kShown) {
    text += fmt::format("and {} more markets: {:.1f}%\n", bids.size() - kShown, 100 * (1 - shown));
  }
  return text;
}

std::string days_text(double days) {
  return fmt::format("{:.3g} day{}", days, days == 1 ? "" : "s");
}

/// The setting's figures in a part of the history, but its cost.
std::string figures_text(const Candidate& one, const Recommendation& all) {
  return fmt::format("{} USD a month; {}; {} of the jobs late ({} in the worst of {})\n",
                     cost_text(cost_per_month(one.figures.cost, all.days), 2),
                     saving_text(one.figures), percent(one.late_share), percent(one.worst_late),
                     seeds_text(all.seeds));
}

/// The end of the expectation: what it cost on the days held out.
std::string held_out_text(const HeldOut& later) {
  return fmt::format("; on the last {}, which played no part in the choice, they cost {} USD{}\n",
                     days_text(later.days), cost_text(later.setting.figures.cost, 2),
                     later.best ? fmt::format(" (with the best setting afterwards: {})",
                                              cost_text(later.best->figures.cost, 2))
                                : "");
}

std::string regret_text(const HeldOut& later, const Recommendation& all) {
  std::string text =
      fmt::format("On the last {}: {}", days_text(later.days), figures_text(later.setting, all));
  text.pop_back();
  if (!later.best) return text + "; no setting kept the limit there\n";
  if (later.best->figures.at == later.setting.figures.at)
    return text + "; no setting was better there\n";
  return text + fmt::format("; regret against the best there ({}): {}\n",
                            setting_text(*later.best, all.has_prices),
                            to_best_text(later.setting.figures));
}

std::string headline(const Recommendation& all) {
  if (all.ranked.empty()) {
    return fmt::format(
        "Recommendation: on-demand; no setting keeps the limit over {}: {}\n{}",
        seeds_text(all.seeds), lateness_limit_text(all.allowed_late),
        all.tries_fallback
            ? ""
            : "Let the search try on_demand_fallback: [false, true]: jobs that would "
              "be late change to on-demand instances\n");
  }
  const Candidate& best = all.ranked.front();
  std::string text;
  if (all.beats_on_demand()) {
    text = "Recommendation: " + setting_text(best, all.has_prices) + "\nExpected: ";
  } else {
    text = fmt::format(
        "Recommendation: on-demand; no setting is significantly cheaper\n"
        "The best: {}\nExpected of it: ",
        setting_text(best, all.has_prices));
  }
  text +=
      fmt::format("{} USD for {} of jobs", cost_text(best.figures.cost, 2), days_text(all.days));
  if (all.held_out) text += held_out_text(*all.held_out);
  text += all.held_out
              ? fmt::format("Chosen on the first {}: ", days_text(all.held_out->choosing_days))
              : ", ";
  text += figures_text(best, all);
  if (all.held_out) text += regret_text(*all.held_out, all);
  const std::vector<const Candidate*> others = distinct(all.ranked);
  const auto alike = std::ranges::count_if(
      others, [](const Candidate* one) { return !one->figures.is_told_apart(); });
  if (all.seeds == 1) {
    text += "One seed gives no intervals: without the key seed, 20 are run\n";
  } else if (alike > 1) {
    const bool is_cheapest = std::ranges::none_of(all.ranked, [](const Candidate& one) {
      return one.figures.to_best && one.figures.to_best->mean < 0;
    });
    text += fmt::format("Not significantly different: {} of the other {} (over {}){}\n", alike - 1,
                        settings_text(others.size() - 1), seeds_text(all.seeds),
                        is_cheapest ? "" : "; of these, the best costs least in its dearest seed");
  }
  return text;
}

/// The cost or saving of the fallback, recommended or not.
std::string fallback_text(const FallbackEffect& effect, const Recommendation& all) {
  constexpr const char* kWhat =
      "On-demand fallback (a job that could not survive one more failure runs on-demand): ";
  if (effect.added_cost.mean == 0 && effect.late_share_with == effect.late_share_without) {
    return fmt::format("{}makes no difference to this setting\n", kWhat);
  }
  const bool is_on = all.ranked.front().on_demand_fallback;
  const char* advice = !all.beats_on_demand() ? "" : is_on ? "use it; " : "do not use it; ";
  MeanInterval added = effect.added_cost;
  const bool is_less = added.mean < 0;
  added.mean = std::abs(added.mean);
  const std::string share = effect.cost_without > 0
                                ? fmt::format(" ({:.1f}%)", 100 * added.mean / effect.cost_without)
                                : "";
  return fmt::format(
      "{}{}the setting with it costs {} USD{} {} than without, and {} of the jobs are late "
      "instead of {}\n",
      kWhat, advice, interval_text(added, 2), share, is_less ? "less" : "more",
      percent(effect.late_share_with), percent(effect.late_share_without));
}

Json candidate_json(const Candidate& one) {
  return {{"bid", one.bid},
          {"fault_tolerance", one.fault_tolerance},
          {"market_choice", one.market_choice},
          {"alpha", json_of(one.alpha)},
          {"on_demand_fallback", one.on_demand_fallback},
          {"seeds", one.figures.runs.size()},
          {"cost", mean_json(one.figures.cost)},
          {"cost_per_useful_job", mean_json(one.figures.cost_per_useful_job)},
          {"to_best", mean_json(one.figures.to_best)},
          {"told_apart", one.figures.is_told_apart()},
          {"saving", saving_json(one.figures)},
          {"unfinished", json_of(one.figures.unfinished)},
          {"late_share", json_of(one.late_share)},
          {"late_share_worst_seed", json_of(one.worst_late)},
          {"revocations", json_of(one.figures.revocations.mean)}};
}

Json fallback_json(const std::optional<FallbackEffect>& one) {
  if (!one) return nullptr;
  return {{"added_cost", mean_json(one->added_cost)},
          {"cost_without", json_of(one->cost_without)},
          {"late_share_with", json_of(one->late_share_with)},
          {"late_share_without", json_of(one->late_share_without)}};
}

Json on_demand_json(const OnDemandMeans& one, double days) {
  return {{"market_choice", one.market_choice},
          {"cost", mean_json(one.cost)},
          {"cost_per_month", mean_json(cost_per_month(one.cost, days))},
          {"late_share", json_of(one.late_share)}};
}

Json held_out_json(const Recommendation& all) {
  if (!all.held_out) return nullptr;
  const HeldOut& later = *all.held_out;
  return {{"days", json_of(later.days)},
          {"choosing_days", json_of(later.choosing_days)},
          {"setting", candidate_json(later.setting)},
          {"keeps_limit", later.setting.figures.keeps_limit(all.allowed_late)},
          {"best", later.best ? candidate_json(*later.best) : Json()},
          {"on_demand", on_demand_json(later.on_demand, all.days)}};
}

Json bid_json(const MarketBid& one) {
  const bool has_capacity = one.price < kNoCapacityPrice;
  return {{"type", one.type},
          {"os", one.os},
          {"datacenter", one.datacenter},
          {"bid", one.bid < kNoCapacityPrice ? json_of(usd(one.bid)) : Json()},
          {"spot_price", has_capacity ? json_of(usd(one.price)) : Json()},
          {"on_demand_price", json_of(usd(one.on_demand_price))},
          {"share_of_instances", json_of(one.share)}};
}

}  // namespace

MeanInterval cost_per_month(MeanInterval cost, double days) {
  cost.mean *= kDaysPerMonth / days;
  if (cost.half_width) *cost.half_width *= kDaysPerMonth / days;
  return cost;
}

std::string recommendation_text(const Recommendation& all) {
  std::string text = headline(all);
  text += fmt::format(
      "On-demand alone: {} USD, {} USD a month, {} of the jobs late (market choice "
      "{})\n",
      cost_text(all.on_demand.cost, 2), cost_text(cost_per_month(all.on_demand.cost, all.days), 2),
      percent(all.on_demand.late_share), all.on_demand.market_choice);
  if (all.fallback) text += fallback_text(*all.fallback, all);
  if (!all.drawn.empty()) {
    text += fmt::format("Drawn at random, because the jobs do not state them: {}\n",
                        fmt::join(all.drawn, ", "));
  }
  for (const std::string& caution : all.cautions) text += "Caution: " + caution + "\n";
  if (!all.bids.empty()) {
    text +=
        all.has_prices
            ? "Bids at the end of the price history (an urgent job bids the price and 0.001 "
              "more):\n"
            : "Markets of availability (a lack of capacity ends instances there, not a price):\n";
    text += bids_table(all.bids);
  }
  const auto& shown = all.ranked.empty() ? all.others : all.ranked;
  if (!shown.empty()) {
    text += all.ranked.empty()
                ? "The cheapest settings, none of which keeps the limit:\n"
                : fmt::format("Cheapest settings per useful job within the limit ({}):\n",
                              lateness_limit_text(all.allowed_late));
    text += settings_table(shown, !all.ranked.empty());
  }
  if (!all.ranked.empty() && !all.others.empty()) {
    const Candidate& first = all.others.front();
    text += fmt::format(
        "{} beyond that limit (--max-late-percent); the cheapest: {}, {}, with {} of "
        "the jobs late\n",
        settings_text(all.others.size()), setting_text(first, all.has_prices),
        saving_text(first.figures), percent(first.late_share));
  }
  if (!all.dropped.empty()) {
    text += fmt::format("{} dropped after {}: significantly dearer, or too late\n",
                        settings_text(all.dropped.size()),
                        seeds_text(all.dropped.front().figures.runs.size()));
  }
  return text;
}

Json recommendation_json(const Recommendation& all) {
  const Json best = all.ranked.empty() ? Json() : candidate_json(all.ranked.front());
  return {{"seeds", all.seeds},
          {"days", json_of(all.days)},
          {"allowed_late_share_beyond_on_demand", json_of(all.allowed_late)},
          {"recommendation", all.beats_on_demand() ? best : Json()},
          {"best", best},
          {"cost_per_month", all.ranked.empty() ? Json()
                                                : mean_json(cost_per_month(
                                                      all.ranked.front().figures.cost, all.days))},
          {"held_out", held_out_json(all)},
          {"bids", json_list_of(all.bids, bid_json)},
          {"fallback", fallback_json(all.fallback)},
          {"on_demand", on_demand_json(all.on_demand, all.days)},
          {"drawn", all.drawn},
          {"cautions", all.cautions},
          {"within_risk", json_list_of(all.ranked, candidate_json)},
          {"beyond_risk", json_list_of(all.others, candidate_json)},
          {"dropped", json_list_of(all.dropped, candidate_json)}};
}

}  // namespace cospot
