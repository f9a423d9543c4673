#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"

namespace cospot {
namespace {

/// "+374 EUR a month (95 % interval +94 to +654)", of an amount a day.
std::string month_gain_text(const MeanInterval& gain, const std::string& currency) {
  std::string text = signed_money(kDaysPerMonth * gain.mean, currency) + " a month";
  if (!gain.half_width) return text + " (one part, so no interval)";
  return text + fmt::format(" (95 % interval {})", money_interval(of_month(gain)));
}

std::string loss_sentence(const JudgedAlternative& of, double limit) {
  const bool more_before = of.last_vm_loss > of.most_vm_loss;
  const std::string where = more_before ? " in the judged parts" : "";
  std::string text = "VMs lost nothing" + where;
  if (of.vm_loss > 0) {
    text = fmt::format("VMs lost {} of what they asked for{}, {} in the worst part",
                       percent(of.vm_loss, 4), where, percent(of.most_vm_loss, 4));
  }
  if (more_before) {
    text += fmt::format("; by this setting they lose {} in the worst part of the whole history",
                        percent(of.last_vm_loss, 4));
  }
  if (of.vm_loss == 0 && !more_before) return text + ".";
  return text + "; the limit is " + limit_text(limit) + ".";
}

/// " (they lose 12.30 EUR a day even if nothing is sold)", if VMs do.
std::string lost_anyway(const PlanFindings& findings) {
  const double net = findings.of(Alternative::kSellNothing).mean_net.mean;
  if (net >= 0) return "";
  return fmt::format(" (they lose {} a month even if nothing is sold)",
                     money(-kDaysPerMonth * net, findings.currency));
}

std::string division_label(const Division& division) {
  return fmt::format("{:g}% Economy at {:g}", division.economy_percent, division.confidence);
}

/// "COS, sUTIL, FIFO, SAF on, OTN 4; 25% Economy at 0.9".
std::string label_of(const std::string& setting, const Division& division) {
  return division == Division{} ? setting : setting + "; " + division_label(division);
}

std::string count_of(std::uint64_t count) { return count_text(static_cast<std::int64_t>(count)); }

std::string broken_text(const PromiseCount& economy) {
  if (economy.promised == 0) return "-";
  return count_of(economy.broken) + " of " + count_of(economy.promised);
}

/// "25 of 1,557 (96%)": the evictions, of the spots that ran, and the share within a day.
std::string evictions_text(const LevelAccount& spots) {
  const std::string text =
      count_of(spots.evictions) + " of " + count_of(spots.placed + spots.carried);
  if (spots.evictions == 0) return text;
  return text + fmt::format(" ({})", percent(share_of(spots.early, spots.evictions), 0));
}

SummaryColumn column(std::string title, TextTable::Align align = TextTable::Align::kRight) {
  return {.name = {}, .title = std::move(title), .align = align};
}
SummaryColumn left(std::string title) { return column(std::move(title), TextTable::Align::kLeft); }
SummaryColumn net_column(const std::string& currency) {
  return column(currency.empty() ? "net a month" : "net " + currency + " a month");
}
void add_row(SummaryTable& table, std::vector<std::string> cells) {
  std::vector<SummaryCell>& row = table.rows.emplace_back();
  for (std::string& cell : cells) row.push_back({.text = std::move(cell), .json = {}});
}

std::string half_width_text(const MeanInterval& mean) {
  return mean.half_width ? fmt::format("+/- {}", month_text(*mean.half_width)) : "";
}

SummaryTable alternatives_table(const PlanFindings& findings) {
  SummaryTable table{.columns = {left("alternative"), net_column(findings.currency), column("95 %"),
                                 column("VM loss"), column("worst part"), column("served"),
                                 column("evicted (in a day)"), column("Economy broken"),
                                 column("idle sold"), left("chosen last")}};
  for (const JudgedAlternative& one : findings.alternatives) {
    const PlanRun& last = findings.runs[one.last];
    std::string name(alternative_name(one.alternative));
    add_row(table, {std::move(name), month_text(one.mean_net.mean), half_width_text(one.mean_net),
                    percent(one.vm_loss, 3), percent(one.most_vm_loss, 3), percent(one.served),
                    evictions_text(one.spots), broken_text(one.economy), percent(one.recovered),
                    label_of(last.setting.label(), last.division)});
  }
  return table;
}

/// Names what earned more than the bound for what holds.
std::string above_bound_text(const PlanFindings& findings) {
  const double bound = findings.of(Alternative::kHindsight).mean_net.mean;
  std::vector<std::string_view> names;
  for (const JudgedAlternative& one : findings.alternatives) {
    if (one.mean_net.mean > bound) names.push_back(alternative_name(one.alternative));
  }
  if (names.empty()) return "";
  return fmt::format(
      "\n\"{}\" is a bound for what keeps the limit of VM loss and the Economy promises in every "
      "part. More was earned only by not keeping them: {}.\n",
      alternative_name(Alternative::kHindsight), fmt::join(names, ", "));
}

/// "+7%", and "nothing" if the promise is not worth more than what plain spots give anyway.
std::string worth_text(double worth) {
  const double percents = std::round(100 * worth);
  return percents <= 0 ? "nothing" : fmt::format("{:+.0f}%", percents);
}

/// A class may have been kept by the settings of each part, and not by the one to set from now on.
std::string verdict_text(const JudgedClass& one) {
  if (one.parts == 0) return "not proven before";
  const PromiseVerdict verdict = verdict_of(one.interval(), one.promise.broken);
  if (verdict == PromiseVerdict::kKept && !one.is_sold) return "kept, unproven for this setting";
  return std::string(verdict_name(verdict));
}

/// True of the surest promise of a lifetime that can be sold, and, where none can, of the least
/// sure one if it broke no more than it may.
bool may_be_sold(const PlanFindings& findings, const JudgedClass& one) {
  const PromiseCount tested = one.tally.tested();
  return tested.promised >= kLeastTested &&
         share_of(tested.broken, tested.promised) <= one.promise.broken &&
         std::ranges::none_of(findings.classes, [&](const JudgedClass& other) {
           const bool is_surer = other.promise.broken < one.promise.broken;
           return other.promise.life == one.promise.life && other.promise != one.promise &&
                  (other.is_sold ? is_surer || !one.is_sold : !is_surer && !one.is_sold);
         });
}

/// The promises of spots' lifetimes, and that of the Economy class where the plan has one.
SummaryTable promises_table(const PlanFindings& findings, bool all) {
  SummaryTable table{.columns = {left("promise"), column("kept with"), column("of spots"),
                                 left("sell?"), column("tested"), column("broken"),
                                 column("95 % interval"), left("verdict"), column("could carry")}};
  const auto add = [&](std::vector<std::string> row, const PromiseCount& tested,
                       const ProbabilityInterval& interval, std::string verdict,
                       std::string worth) {
    const bool is_known = tested.promised > 0;
    row.push_back(count_of(tested.promised));
    row.push_back(is_known ? percent(share_of(tested.broken, tested.promised)) : "-");
    row.push_back(is_known ? percent(interval.lower) + " to " + percent(interval.upper) : "-");
    row.insert(row.end(), {std::move(verdict), std::move(worth)});
    add_row(table, std::move(row));
  };
  for (const JudgedClass& one : findings.classes) {
    if (!all && !may_be_sold(findings, one)) continue;
    add({fmt::format("lives {} h", one.promise.life / std::chrono::hours(1)),
         percent(1 - one.promise.broken, 0), percent(share_of(one.tally.given, one.spots), 0),
         one.is_sold ? "yes" : "not yet"},
        one.tally.tested(), one.interval(), verdict_text(one),
        one.worth ? worth_text(*one.worth) : "-");
  }
  const JudgedAlternative& plan = findings.of(Alternative::kPlan);
  const Division& division = findings.runs[plan.last].division;
  const ProbabilityInterval interval = eviction_interval(plan.economy);
  const PromiseVerdict verdict = verdict_of(interval, kEconomyBroken);
  if (division == Division{} || (!all && verdict == PromiseVerdict::kBroken)) return table;
  add({"Economy, " + days_text(findings.datacenter.economy.economy.horizon_days),
       percent(1 - kEconomyBroken, 0), percent(division.economy_percent / 100, 0),
       findings.advised == Alternative::kPlan ? "yes" : "not yet"},
      plan.economy, interval, std::string(verdict_name(verdict)), "-");
  return table;
}

void add_promises(const PlanFindings& findings, bool all, SummaryText& text) {
  if (findings.classes.empty()) return;
  const SummaryTable table = promises_table(findings, all);
  text += fmt::format("\n{} of {} promised lifetimes can be sold{}\n",
                      std::ranges::count_if(findings.classes, &JudgedClass::is_sold),
                      findings.classes.size(),
                      table.rows.empty() ? "." : "; tested on parts after those that chose them");
  if (table.rows.empty()) return;
  text.add(table);
  text +=
      "\"could carry\": how much more the promise is worth to a job than a plain spot, by the "
      "utility price: an estimate of value, not of demand\n";
}

/// The judged parts: the use of the capacity, the income of the recommendation beside what was
/// forecast before the part, and its lead.
SummaryTable judged_parts_table(const PlanFindings& findings) {
  const JudgedAlternative& advised = findings.of(findings.advised);
  SummaryTable table{.columns = {left("part"), column("days"), column("VMs use"), column("sold"),
                                 column("idle"), net_column(findings.currency), column("forecast"),
                                 column("lead"), column("served"), column("VM loss"),
                                 column("evicted (in a day)")}};
  const WindowParts& parts = findings.datacenter.parts;
  for (std::size_t i = 0; i < advised.chosen.size(); ++i) {
    const std::size_t part = findings.past() + i;
    const PlanRun& run = findings.runs[advised.chosen[i]];
    const CapacityShares shares = capacity_shares(findings, run, part);
    const ForecastOrigin& forecast = findings.income_forecast.origins[i];
    add_row(table,
            {std::to_string(part + 1),
             fmt::format("{:.3g} to {:.3g}", days_of(parts.begin(part)), days_of(parts.end(part))),
             percent(shares.vms), percent(shares.economy + shares.spots), percent(shares.idle()),
             month_text(forecast.came), month_text(forecast.forecast),
             signed_money(kDaysPerMonth * findings.lead_forecast.origins[i].came, ""),
             percent(served_of(run.parts[part])), percent(vm_loss_of(run.parts[part]), 3),
             evictions_text(run.parts[part].of(Level::kSpot))});
  }
  return table;
}

/// Describes an alternative that exceeds a limit.
std::string beyond_text(const PlanFindings& findings, double vm_loss, const PromiseCount& economy) {
  std::string text;
  if (vm_loss > findings.max_vm_loss) text += "; loses more than allowed";
  if (verdict_of(economy, kEconomyBroken) == PromiseVerdict::kBroken) {
    text += "; breaks its promises";
  }
  return text;
}

SummaryTable sensitivity_table(const PlanFindings& findings) {
  SummaryTable table{.columns = {left("if"), net_column(findings.currency),
                                 column("VM loss, worst part"), left("then")}};
  for (const Sensitivity& one : findings.sensitivities) {
    add_row(table, {one.what, month_text(one.net), percent(one.vm_loss, 3),
                    label_of(one.label, one.division) + beyond_text(findings, one.vm_loss, {})});
  }
  return table;
}

SummaryTable divisions_table(const PlanFindings& findings) {
  const std::string unit = findings.currency.empty() ? "" : findings.currency + " ";
  SummaryTable table{.columns = {left("of requested spots"), column("of all vCPUs promised"),
                                 column("Economy " + unit + "a month"),
                                 column("spots " + unit + "a month"), net_column(findings.currency),
                                 column("VM loss, worst part"), column("Economy broken"),
                                 left("by")}};
  for (const DivisionResult& one : findings.divisions) {
    const PlanRun& run = findings.runs[one.run];
    const bool is_plain = run.division == Division{};
    add_row(table, {is_plain ? "none as Economy" : division_label(run.division),
                    run.promised_percent ? percent(*run.promised_percent / 100) : "-",
                    is_plain ? "-" : month_text(one.economy), month_text(one.spots),
                    month_text(one.net), percent(one.vm_loss, 3), broken_text(one.promises),
                    run.setting.label() + beyond_text(findings, one.vm_loss, one.promises)});
  }
  return table;
}

/// That nothing can be sold because VMs alone lose too much: the hosts, or the choice of policy.
std::string vms_lose_alone(const PlanFindings& findings) {
  const JudgedAlternative& alone = findings.of(Alternative::kSellNothing);
  const PlanDatacenter& datacenter = findings.datacenter;
  const PlanRun& last = findings.runs[alone.last];
  const std::string lost = percent(alone.worst_vm_loss(), 4);
  const std::string limit = limit_text(findings.max_vm_loss);
  if (datacenter.with != nullptr) {
    return fmt::format(
        "Sell nothing yet: with what --with adds, VMs lose {} of what they ask for in the worst "
        "part even without any spot, and the limit is {}. Allow that loss with --max-vm-loss, or "
        "add hosts if cospot size finds them too few.",
        lost, limit);
  }
  if (alone.last_vm_loss <= findings.max_vm_loss) {
    return fmt::format(
        "Sell nothing yet: even without spots, the VM policy that had held on earlier parts lost "
        "{} of VM revenue in a later one, and the limit is {}. {} holds all VMs of this history on "
        "{} hosts: plan with --vm {}, add hosts, or allow that loss with --max-vm-loss.",
        lost, limit, last.setting.vm.label, last.hosts, last.setting.vm.label);
  }
  return fmt::format(
      "These {} hosts do not hold the VMs, let alone spots: without any spot VMs lose {} of what "
      "they ask for in the worst part, and the limit is {}. {}, or allow that loss with "
      "--max-vm-loss.",
      last.hosts, lost, limit,
      fits_every_vm(datacenter.history->workload, datacenter.host)
          ? "Add hosts (cospot size finds how many)"
          : "Some VMs are larger than every host: use larger hosts");
}

/// The undivided way to sell idle capacity that earns most.
const JudgedAlternative& most_earning(const PlanFindings& findings) {
  return *std::ranges::max_element(std::span(findings.alternatives)
                                       .subspan(static_cast<std::size_t>(Alternative::kToday),
                                                static_cast<std::size_t>(Alternative::kPlan) -
                                                    static_cast<std::size_t>(Alternative::kToday)),
                                   {},
                                   [](const JudgedAlternative& one) { return one.mean_net.mean; });
}

std::string division_text(const AllocatorSpec& setting, const Division& division) {
  if (setting.places_no_spots()) return "nothing";
  if (division == Division{}) return "all idle capacity as spots";
  return fmt::format(
      "{:g}% of requested spots as Economy instances (promised with confidence {:g}) and the rest "
      "as spots",
      division.economy_percent, division.confidence);
}

std::string first_sentence(const PlanFindings& findings) {
  const PlanRun& run = findings.set_from_now_on();
  const JudgedAlternative& alone = findings.of(Alternative::kSellNothing);
  if (findings.advice == PlanAdvice::kNothingHolds &&
      alone.worst_vm_loss() > findings.max_vm_loss) {
    return vms_lose_alone(findings);
  }
  if (run.setting.places_no_spots()) {
    const JudgedAlternative& most = most_earning(findings);
    if (most.mean_net.mean > 0) {
      return fmt::format(
          "Sell nothing yet: all that earned something lost more VM revenue in some part than the "
          "limit of {} allows, {} {}. Add hosts, or allow such a loss with --max-vm-loss.",
          limit_text(findings.max_vm_loss), alternative_name(most.alternative),
          percent(most.worst_vm_loss(), 4));
    }
    return "Sell nothing: at these prices, no way to sell idle capacity earned more than it lost "
           "in VM revenue.";
  }
  return fmt::format("Sell {}, placed by {}.", division_text(run.setting, run.division),
                     run.setting.label());
}

bool is_zero(const MeanInterval& difference) {
  return difference.mean == 0 && difference.half_width.value_or(0) == 0;
}

/// Explains a division that earned more than the advice.
std::string why_not_to_divide(const PlanFindings& findings) {
  const JudgedAlternative& plan = findings.of(Alternative::kPlan);
  if (plan.worst_vm_loss() > findings.max_vm_loss) {
    return ", but VMs lose more by it than is allowed";
  }
  if (verdict_of(plan.economy, kEconomyBroken) == PromiseVerdict::kBroken) {
    return fmt::format(", but {} Economy instances were evicted", broken_text(plan.economy));
  }
  return ", too uncertain to divide";
}

/// "ahead in 4 of 5 parts, -97 EUR a month in the worst".
std::string ahead_text(const PlanFindings& findings) {
  std::vector<double> leads;
  for (const ForecastOrigin& origin : findings.lead_forecast.origins) leads.push_back(origin.came);
  if (leads.empty()) return "";
  const auto ahead = std::ranges::count_if(leads, [](double lead) { return lead > 0; });
  return fmt::format("ahead in {} of {}, {} in the worst", ahead, plural(leads.size(), "part"),
                     signed_money(kDaysPerMonth * std::ranges::min(leads), findings.currency));
}

/// The forecast of the next month.
std::string forecast_sentence(const PlanFindings& findings) {
  std::string text =
      fmt::format("The next month should earn {} from idle capacity, net of lost VMs",
                  forecast_text(findings.income_forecast, findings.currency));
  if (!is_zero(findings.lead)) {
    text += fmt::format("; over {}: {}", alternative_name(findings.next_best),
                        forecast_text(findings.lead_forecast, findings.currency));
  }
  return text + ".";
}

/// The reason to act on a lead that more parts may reverse: what is at stake on either side.
std::string stakes_sentence(const PlanFindings& findings) {
  const MeanInterval lead = of_month(findings.lead);
  // Below 0 only where the next best exceeds the limit: then waiting gives up nothing.
  if (lead.mean <= 0 || is_above_zero(lead) || !lead.half_width) return "";
  // The interval shrinks with the root of the number of parts.
  const double ratio = *lead.half_width / lead.mean;
  const double days = findings.days(findings.judged_parts()) * (ratio * ratio - 1);
  return fmt::format(
      "More parts may reverse that lead: to act on it risks up to {} a month, to wait gives up {} "
      "a month as far as is known; about {} more days like these would settle it.",
      money(*lead.half_width - lead.mean, findings.currency), money(lead.mean, findings.currency),
      count_text(static_cast<std::int64_t>(std::ceil(days))));
}

/// The difference that a host makes to the income, and whether to buy some or to give some up.
std::string hosts_sentence(const PlanFindings& findings) {
  const auto each = [](const Sensitivity& of) {
    MeanInterval gain = of.hosts->gain;
    const auto count = static_cast<double>(std::abs(of.hosts->more));
    gain.mean /= count;
    if (gain.half_width) *gain.half_width /= count;
    return gain;
  };
  const Sensitivity* more = nullptr;   // of the type that earns most
  const Sensitivity* fewer = nullptr;  // of all types
  for (const Sensitivity& one : findings.sensitivities) {
    if (!one.hosts) continue;
    const bool is_more = one.hosts->more > 0;
    if (is_more && (more == nullptr || each(one).mean > each(*more).mean)) more = &one;
    if (!is_more && one.hosts->type.empty()) fewer = &one;
  }
  if (more == nullptr) return "";
  const auto value = [&](const Sensitivity& of, const char* yes, const char* no) {
    MeanInterval net = each(of);
    std::string text = month_gain_text(net, findings.currency);
    if (std::abs(of.hosts->more) > 1) text += " each";
    if (!findings.host_cost) return text;
    const bool is_more = of.hosts->more > 0;
    net.mean += is_more ? -*findings.host_cost : *findings.host_cost;
    const bool is_unsure = std::abs(net.mean) < net.half_width.value_or(0);
    return text + fmt::format(" and {} {}: {}", is_more ? "cost" : "save",
                              month_text(*findings.host_cost),
                              is_unsure      ? "too uncertain to say"
                              : net.mean > 0 ? yes
                                             : no);
  };
  std::string text = fmt::format("By the whole history, {}{} would earn {}",
                                 plural(static_cast<std::size_t>(more->hosts->more), "more host"),
                                 (more->hosts->type.empty() ? "" : " of type ") + more->hosts->type,
                                 value(*more, "buy", "buy none for that"));
  const std::size_t then = findings.demand.needed_in_a_month();
  if (fewer == nullptr || then > findings.datacenter.history->hosts) return text + ".";
  text += fmt::format("; {} fewer would ", -fewer->hosts->more);
  if (fewer->vm_loss == 0)
    return text + "lose no VM, and earn " + value(*fewer, "give up", "keep") + ".";
  return text + fmt::format("lose {} of VM revenue in the worst part.", percent(fewer->vm_loss, 4));
}

std::string second_sentence(const PlanFindings& findings) {
  const JudgedAlternative& advised = findings.of(findings.advised);
  const std::string judged = findings.judged_parts() == 1
                                 ? "the judged part"
                                 : fmt::format("the {} judged parts", findings.judged_parts());
  if (findings.set_from_now_on().setting.places_no_spots()) {
    const JudgedAlternative& most = most_earning(findings);
    return fmt::format(
        "The best alternative, {}, earned {} a month in {}, net of lost VMs{}, with {} of VM "
        "revenue lost in the worst part.",
        alternative_name(most.alternative),
        money(kDaysPerMonth * most.mean_net.mean, findings.currency), judged, lost_anyway(findings),
        percent(most.most_vm_loss, 4));
  }
  std::string text = fmt::format(
      "In {}, settings chosen on earlier parts earned {} a month by serving {} of what spots asked "
      "for{}: ",
      judged, money(kDaysPerMonth * advised.mean_net.mean, findings.currency),
      percent(advised.served, 0), lost_anyway(findings));
  const std::string_view next = alternative_name(findings.next_best);
  if (is_zero(findings.lead)) {
    text += fmt::format("the same as {}", next);
  } else {
    text += fmt::format("{} over {}, {}", month_gain_text(findings.lead, findings.currency), next,
                        ahead_text(findings));
  }
  if (advised.is_for_nova) {
    text +=
        ", by settings that nova.conf supports, as the best of all lost more VM revenue than "
        "the limit";
  }
  const auto same = static_cast<std::size_t>(std::ranges::count(advised.chosen, advised.last));
  if (same < advised.chosen.size()) {
    text += fmt::format("; {} of these parts used this very setting",
                        same == 0 ? "none" : std::to_string(same));
  }
  const std::vector<std::size_t>& planned = findings.of(Alternative::kPlan).chosen;
  const bool is_divided =
      planned != advised.chosen && std::ranges::any_of(planned, [&](std::size_t chosen) {
        return findings.runs[chosen].division != Division{};
      });
  if (is_divided && !is_zero(findings.gain)) {
    text += fmt::format("; dividing it as the past suggested would have earned {} in comparison",
                        month_gain_text(findings.gain, findings.currency));
    if (findings.gain.mean > 0) text += why_not_to_divide(findings);
  }
  return text + ".";
}

}  // namespace

SummaryTable breakdown_table(const PlanFindings& findings, std::size_t most) {
  const VcpusUnit unit = vcpus_unit_of(findings.workload);
  const std::string a_month =
      (findings.currency.empty() ? "" : findings.currency + " ") + "a month";
  SummaryTable table{
      .columns = {{"name", findings.by, TextTable::Align::kLeft},
                  {"vm_vcpu_seconds", unit.is_relative ? "VM unit-hours" : "VM vCPU-hours"},
                  {"spots_requested", "spots requested"},
                  {"placed", "placed"},
                  {"evictions", "evicted"},
                  {"spots_per_day"},
                  {"economy_per_day"},
                  {"", "earns " + a_month},
                  {"vms_lost_per_day", "VMs lose " + a_month}}};
  const double days = findings.days(findings.datacenter.parts.count);
  const auto count = [](std::uint64_t of) {
    return SummaryCell{count_text(static_cast<std::int64_t>(of)), of};
  };
  const auto money = [days](double of) {
    return SummaryCell{month_text(of / days), json_of(of / days)};
  };
  const auto add = [&](const std::string& name, const PartAccount& account) {
    const double seconds = vcpu_seconds(account.of(Level::kVm).requested);
    LevelAccount sold = account.of(Level::kSpot);
    sold += account.of(Level::kEconomy);
    const Income income = income_of(account, findings.prices);
    SummaryCell evicted = count(sold.evictions);
    if (sold.evictions > 0) {
      evicted.text += fmt::format(" ({})", percent(share_of(sold.evictions, sold.placed)));
    }
    table.rows.push_back({{name, name},
                          {amount_text(seconds / 3600 * unit.vcpus), json_of(seconds)},
                          count(sold.requests),
                          count(sold.placed),
                          evicted,
                          money(income.spots_earned),
                          money(income.economy_earned),
                          money(income.spots_earned + income.economy_earned),
                          money(income.vms_lost)});
  };
  const std::span all(findings.breakdown);
  const std::size_t shown = std::min(most, all.size());
  for (const auto& [name, account] : all.first(shown)) add(name, account);
  PartAccount others;
  for (const auto& one : all.subspan(shown)) others += one.second;
  if (shown < all.size()) add(fmt::format("{} others", all.size() - shown), others);
  return table;
}

std::string_view verdict_name(PromiseVerdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames{"kept", "not refuted", "broken"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<std::string> decision_of(const PlanFindings& findings) {
  std::vector<std::string> sentences{first_sentence(findings)};
  const bool sells = !findings.set_from_now_on().setting.places_no_spots();
  if (sells) {
    sentences.push_back(forecast_sentence(findings));
    sentences.push_back(record_sentence(findings.income_forecast));
  }
  sentences.push_back(second_sentence(findings));
  if (sells) sentences.push_back(stakes_sentence(findings));
  sentences.push_back(demand_sentence(findings.demand, findings.datacenter.history->hosts));
  sentences.push_back(hosts_sentence(findings));
  sentences.push_back(loss_sentence(findings.of(findings.advised), findings.max_vm_loss));
  std::erase(sentences, "");
  return sentences;
}

SummaryText plan_text(const PlanFindings& findings, PlanDetail detail) {
  const PlanDatacenter& datacenter = findings.datacenter;
  const bool all = detail != PlanDetail::kBrief;
  SummaryText text;
  std::string decision;
  for (const std::string& sentence : decision_of(findings)) decision += sentence + "\n";
  text.add_answer(decision);
  text += fmt::format(
      "\n{} on {} hosts: {} parts of {}. From part {} on, each part judges the setting chosen on "
      "the parts before it.\n",
      findings.workload.label, datacenter.history->hosts, datacenter.parts.count,
      days_text(findings.days()), findings.past() + 1);
  text.add(judged_parts_table(findings));
  if (all) {
    text += "\nAlternatives in the judged parts\n";
    text.add(alternatives_table(findings));
    text += above_bound_text(findings);
  }
  add_promises(findings, detail == PlanDetail::kAll, text);
  if (!findings.breakdown.empty()) {
    text += fmt::format("\nBy {}, over the whole history with the setting to use from now on\n",
                        findings.by);
    text.add(breakdown_table(findings, 20));
  }
  if (all) {
    if (!findings.divisions.empty()) {
      text += "\nWhat each division would earn (simulated on the whole history)\n";
      text.add(divisions_table(findings));
    }
    text += "\nWhat would change the decision (simulated on the whole history)\n";
    text.add(sensitivity_table(findings));
  }
  if (!findings.notes.empty()) text += "\n";
  for (const std::string& note : findings.notes) text += note + "\n";
  if (!all) {
    text +=
        "\n--all adds the alternatives, every promised lifetime, divisions, and what would change "
        "the decision; --report draws them.\n";
  }
  return text;
}

}  // namespace cospot
