#include "sim_harness/tune/tune_money.hpp"

#include <fmt/format.h>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {
namespace {

/// Of the candidate that `pick` names in each search; nothing where one names none.
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

Json setting_json(const SettingMoney& money, const RequestedMoney& requested) {
  return {{"vms_lost", json_of(money.vms_lost)},
          {"spots_earned", json_of(money.spots_earned)},
          {"net", json_of(money.net())},
          {"net_per_month", json_of(money.net() / requested.days * kDaysPerMonth)}};
}

std::string line(std::string_view name, const SettingMoney& money,
                 const RequestedMoney& requested) {
  const std::string currency = requested.currency.empty() ? "" : " " + requested.currency;
  return fmt::format(
      "  {:<20} spots earn {} of {}, VMs lose {} of {}: net {}{currency}, {}{currency} a month\n",
      name, money_text(money.spots_earned), money_text(requested.spots), money_text(money.vms_lost),
      money_text(requested.vms), money_text(money.net()),
      money_text(money.net() / requested.days * kDaysPerMonth), fmt::arg("currency", currency));
}

}  // namespace

TuneMoney tune_money(const RequestedMoney& requested, const TuneFindings& findings) {
  TuneMoney money{.requested = requested};
  money.without_cooperation =
      money_of(requested, findings, [](const TuneOutcome& one) { return one.without_cooperation; });
  money.recommended = *money_of(requested, findings, [&](const TuneOutcome& one) {
    return std::optional(advised(findings.verdict, one));
  });
  return money;
}

std::string tune_money_text(const TuneMoney& money) {
  std::string text =
      "\nMoney (the expected shares, of what all requests ask for; a month is 365.25 / 12 days)\n" +
      line("recommendation", money.recommended, money.requested);
  if (money.without_cooperation) {
    text += line("without cooperation", *money.without_cooperation, money.requested);
  }
  return text + std::string(kSoldOnce);
}

Json tune_money_json(const TuneMoney& money) {
  Json json{{"vms_requested", json_of(money.requested.vms)},
            {"spots_requested", json_of(money.requested.spots)},
            {"recommendation", setting_json(money.recommended, money.requested)}};
  if (money.without_cooperation) {
    json["without_cooperation"] = setting_json(*money.without_cooperation, money.requested);
  }
  json["note"] = sold_once_note();
  return json;
}

}  // namespace cospot
