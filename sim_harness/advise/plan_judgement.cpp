#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "guarantees/pricing/checkpoint_model.hpp"
#include "sim_harness/advise/plan.hpp"

namespace cospot {
namespace {

using Chosen = std::vector<std::size_t>;

constexpr double kCheckpointHours = 1.0 / 6;

/// Evicted instances that were admitted before the parts that are counted count as admitted, too.
/// An eviction after the promised time breaks no promise.
PromiseCount promises_of(const LevelAccount& economy) {
  return {.promised = std::max(economy.placed, economy.broken), .broken = economy.broken};
}

/// The income, the worst loss and the promises of a run over some parts.
struct Past {
  double net = 0;
  double most_vm_loss = 0;
  PromiseCount economy{};
};

Past past_of(const PlanRun& run, const VcpuHourPrices& prices, std::size_t from, std::size_t to) {
  Past sum;
  LevelAccount economy;
  for (std::size_t part = from; part < to; ++part) {
    const PartAccount& account = run.parts[part];
    sum.net += income_of(account, prices).net();
    sum.most_vm_loss = std::max(sum.most_vm_loss, vm_loss_of(account));
    economy += account.of(Level::kEconomy);
  }
  sum.economy = promises_of(economy);
  return sum;
}

/// Chooses among runs by some parts, with the rule that is the same everywhere: the most income of
/// those that keep the limit of VM loss in each part and the promise of the Economy class in all;
/// where none does, the least loss.
std::size_t best_of(const PlanFindings& findings, const VcpuHourPrices& prices, const Chosen& some,
                    std::size_t from, std::size_t to) {
  return *std::ranges::min_element(some, {}, [&](std::size_t run) {
    const Past seen = past_of(findings.runs[run], prices, from, to);
    const bool is_fit = seen.most_vm_loss <= findings.max_vm_loss &&
                        verdict_of(seen.economy, kEconomyBroken) != PromiseVerdict::kBroken;
    return std::tuple(!is_fit, is_fit ? 0.0 : seen.most_vm_loss, -seen.net);
  });
}

/// The runs that each alternative may choose.
std::array<Chosen, kAlternatives> choices(const PlanFindings& findings) {
  const std::vector<PlanRun>& runs = findings.runs;
  std::array<Chosen, kAlternatives> all;
  const auto add = [&](Alternative alternative, std::size_t run) {
    all[static_cast<std::size_t>(alternative)].push_back(run);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const AllocatorSpec& setting = runs[i].setting;
    const bool is_nothing = setting.places_no_spots();
    add(Alternative::kHindsight, i);
    if (needs_true_lifetimes(setting)) continue;
    if (i == findings.today) add(Alternative::kToday, i);
    add(Alternative::kPlan, i);
    const bool is_plain = !is_nothing && runs[i].division == Division{};
    if (is_nothing) add(Alternative::kSellNothing, i);
    if (!is_plain) continue;
    add(setting.cooperates() ? Alternative::kCooperation : Alternative::kWithoutCooperation, i);
  }
  return all;
}

/// The runs that may be deployed, with any division.
Chosen deployable(const PlanFindings& findings) {
  return choices(findings)[static_cast<std::size_t>(Alternative::kPlan)];
}

/// The runs, of some, that the parts before a part found; at least one of them.
Chosen known_by(const PlanFindings& findings, const Chosen& some, std::size_t part) {
  Chosen known = some;
  std::erase_if(known, [&](std::size_t run) { return findings.runs[run].from_part > part; });
  return known.empty() ? Chosen{some.front()} : known;
}

bool sells_spots(const PlanRun& run) { return !run.setting.places_no_spots(); }

void account_for(const PlanFindings& findings, JudgedAlternative& judged) {
  PartAccount sum;
  double vms = 0;
  double sold = 0;
  for (std::size_t i = 0; i < judged.chosen.size(); ++i) {
    const PlanRun& run = findings.runs[judged.chosen[i]];
    const PartAccount& part = run.parts[findings.past() + i];
    const Income income = income_of(part, findings.prices);
    judged.net.push_back(income.net() / findings.days());
    judged.income += income.total() / findings.days(findings.judged_parts());
    judged.most_vm_loss = std::max(judged.most_vm_loss, vm_loss_of(part));
    sum += part;
    const CapacityShares shares = capacity_shares(findings, run, findings.past() + i);
    vms += shares.vms / static_cast<double>(judged.chosen.size());
    sold += (shares.economy + shares.spots) / static_cast<double>(judged.chosen.size());
  }
  judged.spots = sum.of(Level::kSpot);
  judged.spots.carried =
      findings.runs[judged.chosen.front()].parts[findings.past()].of(Level::kSpot).carried;
  judged.served = served_of(sum);
  judged.economy = promises_of(sum.of(Level::kEconomy));
  judged.mean_net = mean_interval(judged.net);
  judged.vm_loss = vm_loss_of(sum);
  judged.idle = 1 - vms - sold;
  judged.recovered = vms >= 1 ? 0 : sold / (1 - vms);
}

/// The gain of a job from the promise: its speed at the worst rate of broken promises that the
/// data allow, relative to a plain spot of the same run.
std::optional<double> worth_of(const JudgedClass& judged, const PlanRun& run,
                               const Workload& history) {
  double spot_hours = 0;
  LevelAccount spots;
  for (const PartAccount& part : run.parts) {
    spot_hours += vcpu_seconds(part.of(Level::kSpot).earned) / 3600;
    spots += part.of(Level::kSpot);
  }
  if (spots.evictions == 0 || spots.placed == 0 || judged.tally.tested().promised < kLeastTested ||
      verdict_of(judged.interval(), judged.promise.broken) == PromiseVerdict::kBroken) {
    return std::nullopt;
  }
  // The mean over all spots.
  double vcpus = 0;
  double count = 0;
  for (const WorkloadRow& row : history.rows) {
    if (!row.is_spot()) continue;
    vcpus += static_cast<double>(row.resources.vcpus);
    ++count;
  }
  const double mttr = spot_hours / (vcpus / count) / static_cast<double>(spots.evictions);
  const double hours = static_cast<double>(judged.promise.life.count()) / 3.6e9;
  const double worst = judged.interval().upper;
  if (worst <= 0 || worst >= 1 || mttr <= 0) return std::nullopt;
  const double promised_mttr = mean_life(hours, worst);
  const double plain = price(PriceRule::kUtility, best_performance(kCheckpointHours, mttr));
  const double with = price(PriceRule::kUtility, best_performance(kCheckpointHours, promised_mttr));
  return plain > 0 ? std::optional(with / plain - 1) : std::nullopt;
}

JudgedClass judged_class(const PlanFindings& findings, std::size_t index) {
  const JudgedAlternative& plan = findings.of(findings.advised);
  JudgedClass judged{.promise = findings.datacenter.classes[index]};
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    const auto run = findings.promised.find(plan.chosen[i]);
    if (run == findings.promised.end()) continue;
    const std::size_t part = findings.past() + i;
    if (!held_before(run->second.parts, index, judged.promise, part)) continue;
    ++judged.parts;
    judged.spots += run->second.parts[part].of(Level::kSpot).placed;
    judged.tally.append(run->second.parts[part].promises[index]);
  }
  const auto last = findings.promised.find(plan.last);
  if (last == findings.promised.end()) return judged;
  judged.is_sold =
      held_before(last->second.parts, index, judged.promise, findings.datacenter.parts.count) &&
      verdict_of(judged.interval(), judged.promise.broken) == PromiseVerdict::kKept;
  judged.worth = worth_of(judged, last->second, findings.datacenter.history->workload);
  return judged;
}

/// In the judged parts, and from now on: what is to be deployed has to keep it in the others too.
bool keeps_limit(const PlanFindings& findings, Alternative one) {
  return findings.of(one).worst_vm_loss() <= findings.max_vm_loss;
}

/// The best of the single alternatives except one: those that keep the limit come first, then the
/// higher income.
Alternative best_single_but(const PlanFindings& findings, std::optional<Alternative> left_out) {
  std::vector<Alternative> singles{Alternative::kSellNothing, Alternative::kToday,
                                   Alternative::kWithoutCooperation, Alternative::kCooperation};
  if (left_out) std::erase(singles, *left_out);
  return *std::ranges::min_element(singles, {}, [&](Alternative one) {
    return std::tuple(!keeps_limit(findings, one), -findings.of(one).mean_net.mean);
  });
}

MeanInterval gain_of(const PlanFindings& findings, Alternative of, Alternative over) {
  return gain_over(findings.of(of).net, findings.of(over).net);
}

/// The forecast of what an alternative earns in the next part, less what `over` earns, if any.
ForecastRecord forecast_of(const PlanFindings& findings, Alternative of,
                           std::optional<Alternative> over) {
  const auto series = [&](const auto& run_of, std::size_t parts) {
    const auto net_of = [&](Alternative one) {
      return net_per_day(findings, findings.runs[run_of(findings.of(one))], findings.prices, parts);
    };
    std::vector<double> net = net_of(of);
    if (!over) return net;
    const std::vector<double> other = net_of(*over);
    for (std::size_t part = 0; part < parts; ++part) net[part] -= other[part];
    return net;
  };
  std::vector<std::vector<double>> judged;
  for (std::size_t i = 0; i < findings.judged_parts(); ++i) {
    const auto chosen = [i](const JudgedAlternative& one) { return one.chosen[i]; };
    judged.push_back(series(chosen, findings.past() + i + 1));
  }
  const auto last = [](const JudgedAlternative& one) { return one.last; };
  return forecast_record(judged, series(last, findings.datacenter.parts.count), findings.days());
}

}  // namespace

CapacityShares capacity_shares(const PlanFindings& findings, const PlanRun& run, std::size_t part) {
  const WindowParts& parts = findings.datacenter.parts;
  const double capacity = static_cast<double>(findings.datacenter.host.sum(run.hosts).vcpus) *
                          static_cast<double>((parts.end(part) - parts.begin(part)).count());
  const auto share = [&](Level level) {
    return static_cast<double>(run.parts[part].of(level).earned) / capacity;
  };
  return {share(Level::kVm), share(Level::kEconomy), share(Level::kSpot)};
}

namespace {

JudgedAlternative judged_among(const PlanFindings& findings, Alternative alternative,
                               const Chosen& some) {
  const VcpuHourPrices& prices = findings.prices;
  const std::size_t parts = findings.datacenter.parts.count;
  JudgedAlternative judged{.alternative = alternative};
  for (std::size_t part = findings.past(); part < parts; ++part) {
    judged.chosen.push_back(
        alternative == Alternative::kHindsight
            ? best_of(findings, prices, some, part, part + 1)
            : best_of(findings, prices, known_by(findings, some, part), 0, part));
  }
  judged.last = best_of(findings, prices, some, 0, parts);
  judged.last_vm_loss = past_of(findings.runs[judged.last], prices, 0, parts).most_vm_loss;
  account_for(findings, judged);
  return judged;
}

}  // namespace

void judge_alternatives(PlanFindings& findings) {
  const auto all = choices(findings);
  for (std::size_t i = 0; i < kAlternatives; ++i) {
    const auto alternative = static_cast<Alternative>(i);
    JudgedAlternative judged = judged_among(findings, alternative, all[i]);
    Chosen plainer = all[i];
    std::erase_if(plainer, [&](std::size_t run) { return !findings.runs[run].is_for_nova; });
    // As `judge` of a tuning: what nova.conf supports may keep the limit where the best does not.
    if (alternative == Alternative::kCooperation && !plainer.empty() &&
        judged.worst_vm_loss() > findings.max_vm_loss) {
      JudgedAlternative for_nova = judged_among(findings, alternative, plainer);
      for_nova.is_for_nova = true;
      if (for_nova.worst_vm_loss() <= findings.max_vm_loss) judged = std::move(for_nova);
    }
    findings.alternatives.push_back(std::move(judged));
  }
}

void advise(PlanFindings& findings) {
  findings.best_single = best_single_but(findings, std::nullopt);
  findings.gain = gain_of(findings, Alternative::kPlan, findings.best_single);
  const bool economy_holds = verdict_of(findings.of(Alternative::kPlan).economy, kEconomyBroken) !=
                             PromiseVerdict::kBroken;
  findings.advice = PlanAdvice::kSingle;
  findings.advised = findings.best_single;
  if (keeps_limit(findings, Alternative::kPlan) && economy_holds && is_above_zero(findings.gain)) {
    findings.advice = PlanAdvice::kPlan;
    findings.advised = Alternative::kPlan;
  } else if (!keeps_limit(findings, findings.best_single)) {
    findings.advice = PlanAdvice::kNothingHolds;
    findings.advised = Alternative::kSellNothing;
  }
  findings.next_best = best_single_but(findings, findings.advised);
  findings.lead = gain_of(findings, findings.advised, findings.next_best);
}

void forecast_next(PlanFindings& findings) {
  findings.income_forecast = forecast_of(findings, findings.advised, std::nullopt);
  findings.lead_forecast = forecast_of(findings, findings.advised, findings.next_best);
}

void judge_classes(PlanFindings& findings) {
  for (std::size_t i = 0; i < findings.datacenter.classes.size(); ++i) {
    findings.classes.push_back(judged_class(findings, i));
  }
}

void compare_divisions(PlanFindings& findings, std::span<const Division> divisions) {
  const std::size_t parts = findings.datacenter.parts.count;
  const Chosen sold = deployable(findings);
  for (const Division& division : divisions) {
    Chosen with;
    std::ranges::copy_if(sold, std::back_inserter(with), [&](std::size_t run) {
      return findings.runs[run].division == division && sells_spots(findings.runs[run]);
    });
    if (with.empty()) continue;
    const std::size_t best = best_of(findings, findings.prices, with, 0, parts);
    const Past past = past_of(findings.runs[best], findings.prices, 0, parts);
    DivisionResult result{.run = best,
                          .net = past.net / findings.days(parts),
                          .vm_loss = past.most_vm_loss,
                          .promises = past.economy};
    for (const PartAccount& part : findings.runs[best].parts) {
      const Income income = income_of(part, findings.prices);
      result.economy += income.economy_earned / findings.days(parts);
      result.spots += income.spots_earned / findings.days(parts);
    }
    findings.divisions.push_back(result);
  }
}

std::vector<std::size_t> best_before_judging(const PlanFindings& findings, std::size_t count) {
  Chosen some = known_by(findings, deployable(findings), findings.past());
  std::erase_if(some, [&](std::size_t run) { return !sells_spots(findings.runs[run]); });
  Chosen best;
  while (best.size() < count && !some.empty()) {
    best.push_back(best_of(findings, findings.prices, some, 0, findings.past()));
    std::erase(some, best.back());
  }
  return best;
}

std::vector<double> net_per_day(const PlanFindings& findings, const PlanRun& run,
                                const VcpuHourPrices& prices, std::size_t parts) {
  std::vector<double> net;
  for (const PartAccount& part : std::span(run.parts).first(parts)) {
    net.push_back(income_of(part, prices).net() / findings.days());
  }
  return net;
}

std::size_t best_at(const PlanFindings& findings, const VcpuHourPrices& prices) {
  const std::size_t parts = findings.datacenter.parts.count;
  Chosen some = deployable(findings);
  const std::size_t best = best_of(findings, prices, some, 0, parts);
  std::erase_if(some, [&](std::size_t run) { return findings.runs[run].division != Division{}; });
  const std::size_t whole = best_of(findings, prices, some, 0, parts);
  const auto net_of = [&](std::size_t run) {
    return net_per_day(findings, findings.runs[run], prices, parts);
  };
  return is_above_zero(gain_over(net_of(best), net_of(whole))) ? best : whole;
}

}  // namespace cospot
