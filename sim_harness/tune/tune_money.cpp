#include "sim_harness/tune/tune_money.hpp"

#include <fmt/format.h>

#include "core/model/revenue.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {
namespace {

/// The money of the candidate that `pick` names in each search; nothing if it names none in one.
template <class Pick>
std::optional<SettingMoney> money_of(const RequestedMoney& requested, const TuneFindings& findings,
                                     const Pick& pick) {
  const TuneFigures figures(findings.settings, findings.runs);
  const std::optional<HeldOutFigures> found = figures.held_out(findings.judged(), pick);
  if (!found) return std::nullopt;
  const auto samples = static_cast<double>(found->samples());
  return SettingMoney{.spots_earned = requested.spots * found->share_sum / samples,
                      .vms_lost = requested.vms * found->loss_sum / samples};
}

/// Sample by sample, so that the interval is that of the difference.
std::optional<MeanInterval> gain_of(const RequestedMoney& requested, const TuneFindings& findings) {
  if (findings.verdict.advice == TuneAdvice::kNotCompared) return std::nullopt;
  const TuneFigures figures(findings.settings, findings.runs);
  const std::optional<HeldOutFigures> with = figures.held_out(
      findings.judged(),
      [&](const TuneOutcome& one) { return judged_setting(findings.verdict, one); });
  const std::optional<HeldOutFigures> without = figures.held_out(
      findings.judged(), [](const TuneOutcome& one) { return one.without_cooperation; });
  if (!with || !without) return std::nullopt;
  std::vector<double> gains;
  for (std::size_t i = 0; i < with->samples(); ++i) {
    const double gain = requested.spots * (with->shares[i] - without->shares[i]) -
                        requested.vms * (with->losses[i] - without->losses[i]);
    gains.push_back(gain / requested.days * kDaysPerMonth);
  }
  return mean_interval(gains);
}

std::string signed_text(double amount) { return (amount >= 0 ? "+" : "") + money_text(amount); }

Json setting_json(const SettingMoney& money, const RequestedMoney& requested) {
  return {{"vms_lost", json_of(money.vms_lost)},
          {"spots_earned", json_of(money.spots_earned)},
          {"net", json_of(money.net())},
          {"net_per_month", json_of(money.net() / requested.days * kDaysPerMonth)}};
}

std::string money_line(std::string_view name, const SettingMoney& money,
                       const RequestedMoney& requested) {
  const std::string currency = requested.currency.empty() ? "" : " " + requested.currency;
  return fmt::format(
      "  {:<20} spots earn {} of {}, VMs lose {} of {}: net {}{currency}, {}{currency} a month\n",
      name, money_text(money.spots_earned), money_text(requested.spots), money_text(money.vms_lost),
      money_text(requested.vms), money_text(money.net()),
      money_text(money.net() / requested.days * kDaysPerMonth), fmt::arg("currency", currency));
}

}  // namespace

TunePrices tune_prices(const PriceList& list, std::span<const WorkloadSpec> workloads) {
  TunePrices money;
  money.requested.currency = list.currency;
  for (const WorkloadSpec& spec : workloads) {
    const Workload workload = load_workload(spec);
    const VcpuHourPrices prices = list.of(workload, vcpus_unit_of(spec));
    money.vm_worth.push_back(prices.spot > 0 ? prices.on_demand / prices.spot : 1);
    money.requested.days +=
        static_cast<double>(workload.window.count()) / static_cast<double>(SimTime(kDay).count());
    for (const WorkloadRow& row : workload.rows) {
      const double seconds = vcpu_seconds(requested_revenue(row, workload.window));
      (row.is_spot() ? money.requested.spots : money.requested.vms) +=
          row.is_spot() ? prices.of_spots(seconds) : prices.of_vms(seconds);
    }
  }
  return money;
}

TuneMoney tune_money(const RequestedMoney& requested, const TuneFindings& findings) {
  TuneMoney money{.requested = requested};
  money.without_cooperation =
      money_of(requested, findings, [](const TuneOutcome& one) { return one.without_cooperation; });
  money.recommended = *money_of(requested, findings, [&](const TuneOutcome& one) {
    return std::optional(advised(findings.verdict, one));
  });
  money.gain_per_month = gain_of(requested, findings);
  return money;
}

std::string money_gain_text(const TuneMoney& money) {
  if (!money.gain_per_month) return "";
  const auto& [mean, half] = *money.gain_per_month;
  const std::string currency =
      money.requested.currency.empty() ? "" : " " + money.requested.currency;
  return fmt::format("In money, cooperation is worth {}{} a month{}, net of lost VMs.\n",
                     signed_text(mean), currency,
                     half ? fmt::format(" (95% interval {} to {})", signed_text(mean - *half),
                                        signed_text(mean + *half))
                          : "");
}

std::string tune_money_text(const TuneMoney& money) {
  std::string text =
      "\nMoney (the expected shares, of what all requests ask for; a month is 365.25 / 12 days)\n" +
      money_line("recommendation", money.recommended, money.requested);
  if (money.without_cooperation) {
    text += money_line("without cooperation", *money.without_cooperation, money.requested);
  }
  return text + std::string(kSoldOnce);
}

Json tune_money_json(const TuneMoney& money) {
  Json json{{"vms_requested", json_of(money.requested.vms)},
            {"spots_requested", json_of(money.requested.spots)},
            {"recommendation", setting_json(money.recommended, money.requested)},
            {"without_cooperation", money.without_cooperation
                                        ? setting_json(*money.without_cooperation, money.requested)
                                        : Json()}};
  json["gain_per_month"] = mean_json(money.gain_per_month);
  json["note"] = sold_once_note();
  return json;
}

}  // namespace cospot
