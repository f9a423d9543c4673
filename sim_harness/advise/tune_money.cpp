#include "sim_harness/advise/tune_money.hpp"

#include <fmt/format.h>

#include <numeric>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {
namespace {

/// By judging sample, the income of the candidate that `pick` names in each search; nothing if it
/// names none in one.
template <class Pick>
std::optional<std::vector<Income>> incomes_of(const TunePrices& prices,
                                              const TuneFindings& findings, const Pick& pick) {
  std::vector<Income> incomes;
  for (const TuneOutcome& search : findings.judged()) {
    const std::optional<std::size_t> candidate = pick(search);
    if (!candidate) return std::nullopt;
    for (const std::size_t sample : search.held_out) {
      const VcpuHourPrices& price = prices.by_workload[findings.whole ? 0 : sample];
      incomes.push_back(findings.runs.income(*candidate, sample, price));
    }
  }
  return incomes;
}

Income sum_of(const std::vector<Income>& incomes) {
  return std::accumulate(incomes.begin(), incomes.end(), Income{},
                         [](Income sum, const Income& one) { return sum += one; });
}

std::string signed_text(double amount) { return (amount >= 0 ? "+" : "") + money_text(amount); }

std::string currency_text(const TuneMoney& money) {
  return money.currency.empty() ? "" : " " + money.currency;
}

Json income_json(const Income& income) {
  return {{"vms_lost", json_of(income.vms_lost)},
          {"spots_earned", json_of(income.spots_earned)},
          {"net", json_of(income.net())},
          {"net_per_month", json_of(income.net_per_month())}};
}

std::string money_line(std::string_view name, const Income& income, const std::string& currency) {
  return fmt::format(
      "  {:<20} spots earn {} of {}, VMs lose {} of {}: net {}{currency}, {}{currency} a month\n",
      name, money_text(income.spots_earned), money_text(income.spots_requested),
      money_text(income.vms_lost), money_text(income.vms_requested), money_text(income.net()),
      money_text(income.net_per_month()), fmt::arg("currency", currency));
}

}  // namespace

std::vector<double> TunePrices::vm_worth() const {
  std::vector<double> worth;
  for (const VcpuHourPrices& prices : by_workload) {
    worth.push_back(prices.spot > 0 ? prices.on_demand / prices.spot : 1);
  }
  return worth;
}

TunePrices tune_prices(const PriceList& list, std::span<const WorkloadSpec> workloads) {
  TunePrices prices{.currency = list.currency};
  for (const WorkloadSpec& spec : workloads) {
    prices.by_workload.push_back(list.of(load_workload(spec), vcpus_unit_of(spec)));
  }
  return prices;
}

TuneMoney tune_money(const TunePrices& prices, const TuneFindings& findings) {
  const auto without =
      incomes_of(prices, findings, [](const TuneOutcome& one) { return one.without_cooperation; });
  TuneMoney money{.currency = prices.currency};
  money.recommended = sum_of(*incomes_of(prices, findings, [&](const TuneOutcome& one) {
    return std::optional(advised(findings.verdict, one));
  }));
  if (without) money.without_cooperation = sum_of(*without);
  if (findings.verdict.advice == TuneAdvice::kNotCompared) return money;
  const auto judged = incomes_of(prices, findings, [&](const TuneOutcome& one) {
    return judged_setting(findings.verdict, one);
  });
  if (judged && without) money.gain_per_month = gain_per_month(*judged, *without);
  return money;
}

std::string money_gain_text(const TuneMoney& money) {
  if (!money.gain_per_month) return "";
  const auto& [mean, half] = *money.gain_per_month;
  return fmt::format("In money, cooperation is worth {}{} a month{}, net of lost VMs.\n",
                     signed_text(mean), currency_text(money),
                     half ? fmt::format(" (95% interval {} to {})", signed_text(mean - *half),
                                        signed_text(mean + *half))
                          : "");
}

std::string tune_money_text(const TuneMoney& money) {
  const std::string currency = currency_text(money);
  std::string text =
      fmt::format("\nMoney on the validation samples, {:.4g} days (a month is 365.25 / 12 days)\n",
                  money.recommended.days);
  text += money_line("recommendation", money.recommended, currency);
  if (money.without_cooperation) {
    text += money_line("without cooperation", *money.without_cooperation, currency);
  }
  return text + std::string(kSoldOnce);
}

Json tune_money_json(const TuneMoney& money) {
  Json json{{"days", json_of(money.recommended.days)},
            {"vms_requested", json_of(money.recommended.vms_requested)},
            {"spots_requested", json_of(money.recommended.spots_requested)},
            {"recommendation", income_json(money.recommended)},
            {"without_cooperation",
             money.without_cooperation ? income_json(*money.without_cooperation) : Json()}};
  json["gain_per_month"] = mean_json(money.gain_per_month);
  json["note"] = sold_once_note();
  return json;
}

}  // namespace cospot
