#include "sim_harness/advise/tune_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim_harness/advise/tune_figures.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

/// "(95% interval +2.1 to +8.7, 7 validation samples)".
std::string interval_text(const TuneVerdict& verdict) {
  if (!verdict.gain.half_width) return "(one validation sample, so no interval)";
  const double mean = 100 * verdict.gain.mean;
  const double half = 100 * *verdict.gain.half_width;
  return fmt::format("(95% interval {:+.1f} to {:+.1f}, {})", mean - half, mean + half,
                     plural(verdict.validated, "validation sample"));
}

/// "+5.4 points (95% interval +2.1 to +8.7, 7 validation samples)".
std::string gain_text(const TuneVerdict& verdict) {
  return fmt::format("{:+.1f} points {}", 100 * verdict.gain.mean, interval_text(verdict));
}

/// The gain is that of what each fold chose, which need not be what all samples together choose.
std::string agreement_text(const TuneVerdict& verdict) {
  if (verdict.chose_it == verdict.searches) return "";
  return fmt::format(
      "{} of {} folds chose the setting below; the gain is that of the setting each fold chose.\n",
      verdict.chose_it, verdict.searches);
}

std::string limit_reason(const TuneVerdict& verdict, double max_vm_loss) {
  std::string text = fmt::format(
      "With cooperation, VMs lose more than {} of their revenue on {} of {} (up to {}:\n"
      "--max-vm-loss would have to allow that); without it, on {}.",
      percent(max_vm_loss, 4), verdict.over_limit, plural(verdict.validated, "validation sample"),
      percent(verdict.most_lost, 4), verdict.over_limit_without);
  if (verdict.over_limit_without > 0) text += " These VMs need more hosts.";
  return text + fmt::format("\nCooperation changes spot revenue, net of lost VMs, by {}.",
                            gain_text(verdict));
}

/// The reason for which the recommendation is not the best of all.
std::string plainer_reason(const TuneVerdict& verdict) {
  if (verdict.choice == JudgedChoice::kBest) return "";
  const std::string why =
      verdict.over_limit_of_best > 0
          ? fmt::format("loses more VM revenue than the limit on {} of {}",
                        verdict.over_limit_of_best, plural(verdict.validated, "validation sample"))
          : "shows no clear gain";
  return fmt::format("Only settings that nova.conf supports are considered: the best of all {}.\n",
                     why);
}

std::string more_hosts_text(std::span<const MoreHosts> tried) {
  if (tried.empty()) return "";
  const MoreHosts& last = tried.back();
  if (last.verdict.advice == TuneAdvice::kCooperate) {
    return fmt::format(
        "With {} % more hosts ({} instead of {}) cooperation pays: {}\ngains {} over no "
        "cooperation on the same hosts.\n",
        last.percent, last.hosts, last.hosts - last.added, last.setting, gain_text(last.verdict));
  }
  std::string hosts;
  for (const MoreHosts& one : tried) {
    hosts += fmt::format("{}{}", hosts.empty() ? "" : &one == &last ? " or " : ", ", one.percent);
  }
  return fmt::format("Nor does it pay with {} % more hosts (up to {} instead of {}).\n", hosts,
                     last.hosts, last.hosts - last.added);
}

}  // namespace

std::string_view advice_name(TuneAdvice advice) {
  switch (advice) {
    case TuneAdvice::kCooperate:
      return "cooperate";
    case TuneAdvice::kKeepForLimit:
      return "keep: over the limit";
    case TuneAdvice::kKeepForGain:
      return "keep: no gain beyond its interval";
    case TuneAdvice::kNotCompared:
      break;
  }
  return "not compared";
}

namespace {

std::optional<std::size_t> chosen(JudgedChoice choice, const TuneOutcome& outcome) {
  return choice == JudgedChoice::kBest ? outcome.recommendation : outcome.recommendation_for_nova;
}

/// Judges one choice of each search.
TuneVerdict judge_choice(JudgedChoice choice, const TuneFigures& figures, const TuneRuns& runs,
                         const TuneOutcome& outcome, std::span<const TuneOutcome> judged) {
  TuneVerdict verdict{.choice = choice};
  std::vector<double> gains;
  bool is_compared = true;
  for (const TuneOutcome& search : judged) {
    const std::size_t candidate = *chosen(choice, search);
    ++verdict.searches;
    if (candidate == chosen(choice, outcome)) ++verdict.chose_it;
    verdict.validated += search.held_out.size();
    verdict.over_limit += figures.samples_over_limit(candidate, search.held_out);
    for (const std::size_t sample : search.held_out) {
      verdict.most_lost = std::max(verdict.most_lost, runs.point(candidate, sample).vm_loss);
    }
    is_compared = is_compared && search.without_cooperation.has_value();
    if (!is_compared) continue;
    const std::size_t without = *search.without_cooperation;
    verdict.over_limit_without += figures.samples_over_limit(without, search.held_out);
    for (const std::size_t sample : search.held_out) {
      gains.push_back(runs.net(candidate, sample) - runs.net(without, sample));
    }
  }
  if (!is_compared || !outcome.without_cooperation) return verdict;
  verdict.gain = mean_interval(gains);
  const bool is_clear = is_above_zero(verdict.gain);
  verdict.advice = verdict.over_limit > 0 || !outcome.keeps_limit ? TuneAdvice::kKeepForLimit
                   : is_clear                                     ? TuneAdvice::kCooperate
                                                                  : TuneAdvice::kKeepForGain;
  return verdict;
}

}  // namespace

TuneVerdict judge(const TuneSettings& settings, const TuneRuns& runs, const TuneOutcome& outcome,
                  std::span<const TuneOutcome> judged) {
  const TuneFigures figures(settings, runs);
  TuneVerdict best = judge_choice(JudgedChoice::kBest, figures, runs, outcome, judged);
  const bool has_plainer =
      outcome.recommendation_for_nova && std::ranges::all_of(judged, [](const TuneOutcome& one) {
        return one.recommendation_for_nova.has_value();
      });
  if (best.cooperates() || !has_plainer) return best;
  TuneVerdict plainer = judge_choice(JudgedChoice::kForNova, figures, runs, outcome, judged);
  if (!plainer.cooperates()) return best;
  plainer.over_limit_of_best = best.over_limit;
  return plainer;
}

std::optional<std::size_t> judged_setting(const TuneVerdict& verdict, const TuneOutcome& outcome) {
  return chosen(verdict.choice, outcome);
}

std::size_t advised(const TuneVerdict& verdict, const TuneOutcome& outcome) {
  return verdict.cooperates() ? *chosen(verdict.choice, outcome) : *outcome.without_cooperation;
}

std::optional<std::size_t> advised_for_nova(const TuneVerdict& verdict,
                                            const TuneOutcome& outcome) {
  return verdict.cooperates() ? outcome.recommendation_for_nova
                              : outcome.without_cooperation_for_nova;
}

std::string verdict_text(const TuneVerdict& verdict, double max_vm_loss,
                         std::span<const MoreHosts> tried) {
  const std::string keep =
      "Recommendation: keep what you have, or set policies without cooperation (below).\n";
  switch (verdict.advice) {
    case TuneAdvice::kCooperate:
      return fmt::format(
                 "Recommendation: cooperate. Cooperation raises spot revenue, net of lost VMs, by "
                 "{:.1f} points\nof what spots request {}.\n",
                 100 * verdict.gain.mean, interval_text(verdict)) +
             agreement_text(verdict) + plainer_reason(verdict);
    case TuneAdvice::kKeepForLimit:
      return keep + limit_reason(verdict, max_vm_loss) + "\n" + more_hosts_text(tried);
    case TuneAdvice::kKeepForGain:
      return keep +
             fmt::format(
                 "No clear gain: cooperation changes spot revenue, net of lost VMs, by\n{} of what "
                 "spots request.\n",
                 gain_text(verdict)) +
             more_hosts_text(tried);
    case TuneAdvice::kNotCompared:
      break;
  }
  return "Recommendation: the setting below. It was not compared with no cooperation: --otn has no "
         "1, or\nthe budget was too small.\n";
}

Json verdict_json(const TuneVerdict& verdict, std::span<const MoreHosts> tried) {
  const auto core = [](const TuneVerdict& of) {
    const bool is_compared = of.advice != TuneAdvice::kNotCompared;
    return Json{{"advice", advice_name(of.advice)},
                {"choice", of.choice == JudgedChoice::kBest ? "best" : "for nova"},
                {"net_gain", is_compared ? json_of(of.gain.mean) : Json()},
                {"net_gain_half_width", json_of(of.gain.half_width)},
                {"validated_samples", of.validated},
                {"folds", of.searches},
                {"folds_that_chose_it", of.chose_it},
                {"samples_over_limit", of.over_limit},
                {"most_vm_loss", json_of(of.most_lost)},
                {"samples_over_limit_without_cooperation", of.over_limit_without}};
  };
  Json json = core(verdict);
  json["with_more_hosts"] = json_list_of(tried, [&](const MoreHosts& one) {
    Json more = core(one.verdict);
    more.update({{"hosts", one.hosts}, {"more_hosts", one.added}, {"setting", one.setting}});
    return more;
  });
  return json;
}

}  // namespace cospot
