#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/text/text_table.hpp"

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
      "{} of {} searches chose the setting below; the gain is that of the setting each chose.\n",
      verdict.chose_it, verdict.searches);
}

/// The reason to act on a gain that is not sure: what is at stake on either side.
std::string uncertainty_text(const TuneVerdict& verdict) {
  if (is_above_zero(verdict.gain) || !verdict.gain.half_width) return "";
  const double half = *verdict.gain.half_width;
  // The interval shrinks with the root of the number of samples.
  const double samples = static_cast<double>(verdict.validated) * half * half /
                         (verdict.gain.mean * verdict.gain.mean);
  return fmt::format(
      "The gain is not sure. No VM is at stake: to cooperate risks up to {:.1f} points, to wait "
      "gives up {:.1f}\npoints as far as is known. About {:.0f} validation samples like these, "
      "instead of {}, would settle it.\n",
      100 * (half - verdict.gain.mean), 100 * verdict.gain.mean, std::ceil(samples),
      verdict.validated);
}

std::string limit_reason(const TuneVerdict& verdict, double max_vm_loss) {
  std::string text = fmt::format(
      "No setting with cooperation kept the limit of VM loss, {}, on every training sample.",
      limit_text(max_vm_loss));
  if (verdict.over_limit > 0) {
    text = fmt::format(
        "With cooperation, VMs lose more than {} of their revenue on {} of {} (up to {:.2g}%:\n"
        "--max-vm-loss would have to allow that); without it, on {}.",
        limit_text(max_vm_loss), verdict.over_limit, plural(verdict.validated, "validation sample"),
        100 * verdict.most_lost, verdict.over_limit_without);
  }
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
          : "gains nothing";
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

/// "52.1% (VM revenue lost 0.0000%)"
std::string brief(const HeldOutFigures& figures) {
  return fmt::format("{} (VM revenue lost {})", percent(spread_of(figures.shares).mean),
                     percent(spread_of(figures.losses).mean, 4));
}

/// "0.1200%; 1 of 5 samples lost more than 0.1%"; the limit is a fraction.
std::string loss_of(const HeldOutFigures& figures, double limit) {
  return fmt::format("{}; {} of {} lost more than {}", percent(spread_of(figures.losses).mean, 4),
                     figures.over_limit, plural(figures.losses.size(), "sample"),
                     limit_text(limit));
}

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<21}{}\n", name, text);
}

/// For the candidate that `pick` names in each search; nothing if it names none in one.
template <class Pick>
std::optional<HeldOutFigures> held_out(const TuneFindings& findings, const Pick& pick) {
  const auto runs = judged_runs(findings.judged(), pick);
  return runs ? std::optional(findings.runs.figures(*runs)) : std::nullopt;
}

std::string earned_line(const HeldOutFigures& advised) {
  const Spread earned = spread_of(advised.shares);
  std::string text = fmt::format("{} of what spots request ({} to {}", percent(earned.mean),
                                 percent(earned.least), percent(earned.greatest));
  if (advised.shares.size() > 1) text += "; standard error " + percent(earned.error);
  return line("spot revenue earned", text + ")");
}

std::string without_cooperation_lines(const TuneFindings& findings) {
  const CandidateSpace& space = findings.runs.space();
  const TuneOutcome& outcome = findings.outcome;
  const auto best = held_out(findings, &TuneOutcome::without_cooperation);
  if (!best) return line("without cooperation", "not tried: --otn has no 1");
  std::string text =
      line("without cooperation",
           fmt::format("{}: the best of {} with OTN 1 and SAF off, chosen in the same way",
                       brief(*best), plural(outcome.tried_without_cooperation, "setting")));
  if (outcome.without_cooperation) {
    text += line("", fmt::format("(on the training samples {})",
                                 space.at(*outcome.without_cooperation).label()));
  }
  const auto same = held_out(findings, [&](const TuneOutcome& search) {
    return space.baseline_of(search.recommendation);
  });
  if (same) {
    text += line("", fmt::format("{}: the same policies with OTN 1 and SAF off", brief(*same)));
  }
  return text;
}

std::string bound_line(const TuneFindings& findings) {
  const std::optional<std::size_t> best = findings.outcome.bound;
  const auto bound = held_out(findings, &TuneOutcome::bound);
  if (!bound || !best) return "";
  return line("cannot be set",
              fmt::format("{}: {} ({})", brief(*bound), findings.runs.space().at(*best).label(),
                          kKnowsLifetimes));
}

std::string nova_line(const TuneFindings& findings) {
  const auto nova = held_out(findings, &TuneOutcome::recommendation_for_nova);
  const bool differs = std::ranges::any_of(findings.judged(), [](const TuneOutcome& search) {
    return search.recommendation_for_nova != search.recommendation;
  });
  if (!nova || !differs) return "";
  return line("in nova.conf",
              fmt::format("{}, VM revenue lost {}", percent(spread_of(nova->shares).mean),
                          loss_of(*nova, findings.request.settings.max_vm_loss)));
}

/// The revenue and loss of the recommendations, and of what they are compared with: one line each.
std::string comparison_text(const TuneFindings& findings) {
  const HeldOutFigures advised = *held_out(findings, &TuneOutcome::recommendation);
  return earned_line(advised) +
         line("VM revenue lost", loss_of(advised, findings.request.settings.max_vm_loss)) +
         without_cooperation_lines(findings) + bound_line(findings) + nova_line(findings);
}

/// A warning if no candidate of the search keeps the limit of VM loss.
std::string limit_warning(const TuneOutcome& outcome) {
  if (outcome.keeps_limit) return "";
  return "  No setting that ran on every training sample kept that limit on each; this one loses "
         "least.\n";
}

/// Without the folders that all have in common.
void shorten(std::vector<std::string>& names) {
  std::string common = names.front();
  for (const std::string& name : names) {
    const auto end = std::ranges::mismatch(common, name).in1;
    common.erase(end, common.end());
  }
  const std::size_t slash = common.rfind('/');
  if (slash == std::string::npos) return;
  for (std::string& name : names) name.erase(0, slash + 1);
}

/// "days 2 to 4" of a workload that was split, else the workloads.
std::vector<std::string> sample_names(const TuneFindings& findings) {
  std::vector<std::string> names;
  for (const TuneSample& sample : findings.samples) {
    std::string name = sample.spec.label;
    if (findings.whole) {
      const auto i = static_cast<double>(names.size());
      const double days = hours_of(findings.whole->part) / 24;
      name = fmt::format("days {:.3g} to {:.3g}", i * days, (i + 1) * days);
    }
    names.push_back(std::move(name));
  }
  shorten(names);
  return names;
}

std::string fold_table(const TuneFindings& findings) {
  const TuneRuns& runs = findings.runs;
  const std::vector<std::string> names = sample_names(findings);
  TextTable table;
  table.add_column(findings.whole ? "validation part" : "validation fold", TextTable::Align::kLeft);
  table.add_column(findings.whole ? "chosen on the parts before" : "chosen on the other folds",
                   TextTable::Align::kLeft);
  for (const char* title : {"earned", "no cooperation", "VM lost", "net gain", "over the limit"}) {
    table.add_column(title);
  }
  for (const TuneOutcome& fold : findings.folds) {
    const auto [lost, earned] = runs.mean(fold.recommendation, fold.held_out);
    std::string plain, gain;
    if (fold.without_cooperation) {
      plain = percent(runs.mean(*fold.without_cooperation, fold.held_out).spot_share);
      gain =
          fmt::format("{:+.1f}", 100 * (runs.mean_net(fold.recommendation, fold.held_out) -
                                        runs.mean_net(*fold.without_cooperation, fold.held_out)));
    }
    table.add_row({fold.held_out.size() == 1 ? names[fold.held_out.front()]
                                             : plural(fold.held_out.size(), "sample"),
                   runs.space().at(fold.recommendation).label(), percent(earned), plain,
                   percent(lost, 4), gain,
                   std::to_string(runs.over_limit(fold.recommendation, fold.held_out))});
  }
  return table.text();
}

std::string cross_validation_text(const TuneFindings& findings) {
  const TuneOutcome& outcome = findings.outcome;
  const auto same =
      std::ranges::count(findings.folds, outcome.recommendation, &TuneOutcome::recommendation);
  return fmt::format(
      "{}\n(spot revenue earned and VM revenue lost, % of requested; net gain over no cooperation, "
      "net of lost VMs, points)\n{}\nExpected of the search's choice, here {}\n{}"
      "  {} of {} searches choose the same setting.\n{}",
      findings.whole
          ? "Forward in time: each part validates the setting chosen on the parts before it"
          : "Cross-validation: each fold validates the setting chosen on the other folds",
      fold_table(findings), findings.runs.space().at(outcome.recommendation).label(),
      comparison_text(findings), same, findings.folds.size(), limit_warning(outcome));
}

/// A finalist that keeps the limit on all samples, held-out ones included.
std::string careful(const TuneFindings& findings) {
  const TuneRuns& runs = findings.runs;
  const TuneOutcome& outcome = findings.outcome;
  for (const std::size_t candidate : outcome.finalists) {
    if (runs.over_limit(candidate, outcome.selection) > 0 ||
        runs.over_limit(candidate, outcome.held_out) > 0) {
      continue;
    }
    return fmt::format("\n  More careful: {}\n  keeps it on all of them and earns {} on these.\n",
                       runs.space().at(candidate).label(),
                       percent(runs.mean(candidate, outcome.held_out).spot_share));
  }
  return " No finalist does.\n";
}

}  // namespace

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
             agreement_text(verdict) + uncertainty_text(verdict) + plainer_reason(verdict);
    case TuneAdvice::kKeepForLimit:
      return keep + limit_reason(verdict, max_vm_loss) + "\n" + more_hosts_text(tried);
    case TuneAdvice::kKeepForGain:
      return keep +
             fmt::format(
                 "No gain: cooperation changes spot revenue, net of lost VMs, by\n{} of what "
                 "spots request.\n",
                 gain_text(verdict)) +
             more_hosts_text(tried);
    case TuneAdvice::kNotCompared:
      break;
  }
  return "Recommendation: the setting below. It was not compared with no cooperation: --otn has no "
         "1, or\nthe budget was too small.\n";
}

std::string validation_text(const TuneFindings& findings) {
  if (!findings.folds.empty()) return cross_validation_text(findings);
  const TuneOutcome& outcome = findings.outcome;
  std::string text = "On the validation samples\n" + comparison_text(findings);
  text += limit_warning(outcome);
  if (outcome.keeps_limit &&
      findings.runs.over_limit(outcome.recommendation, outcome.held_out) > 0) {
    text += "  It keeps that limit on the training samples, but not on these.";
    text += careful(findings);
  }
  return text;
}

}  // namespace cospot
