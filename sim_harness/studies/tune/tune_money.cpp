#include "sim_harness/studies/tune/tune_money.hpp"

#include <fmt/format.h>

#include "sim_harness/files/amount_text.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/studies/tune/tune_figures.hpp"

namespace cospot {

TuneMoney tune_money(const RequestedMoney& requested, const TuneSettings& settings,
                     const TuneRuns& runs, const TuneOutcome& outcome,
                     std::span<const TuneOutcome> folds) {
  const TuneFigures figures(settings, runs);
  const std::span<const TuneOutcome> judged = folds.empty() ? std::span(&outcome, 1) : folds;
  double share = 0;
  double loss = 0;
  double samples = 0;
  for (const TuneOutcome& one : judged) {
    const auto count = static_cast<double>(one.held_out.size());
    share += figures.mean_share(one.recommendation, one.held_out) * count;
    loss += figures.mean_loss(one.recommendation, one.held_out) * count;
    samples += count;
  }
  return {.requested = requested,
          .spots_earned = requested.spots * share / samples,
          .vms_lost = requested.vms * loss / samples};
}

std::string tune_money_text(const TuneMoney& money) {
  return fmt::format(
      "\nMoney of the recommendation (the expected shares, of what all requests ask for)\n"
      "  spots earn {} of {}; VMs lose {} of {}\n",
      money_text(money.spots_earned), money_text(money.requested.spots), money_text(money.vms_lost),
      money_text(money.requested.vms));
}

std::string tune_money_json(const TuneMoney& money) {
  return JsonObject()
      .add("vms_requested", json_number(money.requested.vms))
      .add("vms_lost", json_number(money.vms_lost))
      .add("spots_requested", json_number(money.requested.spots))
      .add("spots_earned", json_number(money.spots_earned))
      .text();
}

}  // namespace cospot
