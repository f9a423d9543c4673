#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/compare/summary.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

constexpr std::size_t kMaxLabelWidth = 20;

std::string percent_text(double fraction) { return fmt::format("{:.2f}%", fraction * 100); }

std::string gain_text(const std::optional<double>& gain) {
  return gain ? fmt::format("{:+.2f}%", *gain * 100) : "-";
}

/// In tables a policy written in Python goes by its class, and a long label is cut; the answer
/// above them has all of it.
std::string short_label(const std::string& label) {
  const bool is_python = label.starts_with("python:") || label.starts_with("nova:");
  const std::string name = is_python ? label.substr(label.rfind('.') + 1) : label;
  return name.size() <= kMaxLabelWidth ? name : name.substr(0, kMaxLabelWidth - 1) + "~";
}

const char* plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

std::string heading_text(const Summary& summary) {
  std::string text = fmt::format("{} run{} of {} workload{}", summary.runs, plural(summary.runs),
                                 summary.workloads, plural(summary.workloads));
  if (summary.runs < summary.expected_runs) {
    text += fmt::format("; {} of the study's {} runs are missing",
                        summary.expected_runs - summary.runs, summary.expected_runs);
  }
  return text + "\n";
}

std::string gain_line(const char* what, const MeanAndMax& gain) {
  const bool any = gain.count > 0;
  return fmt::format("  {:<22}{:>8}{:>12}{:>12}\n", what, gain.count,
                     gain_text(any ? std::optional(gain.mean) : std::nullopt),
                     gain_text(any ? std::optional(gain.max) : std::nullopt));
}

std::string runs_have(std::size_t count) {
  return count == 1 ? "1 run has" : fmt::format("{} runs have", count);
}

std::string gains_text(const Summary& summary) {
  std::string text =
      "\nGain: spot revenue over that of the same run without cooperation (OTN 1, SAF off)\n";
  text += fmt::format("  {:<22}{:>8}{:>12}{:>12}\n", "", "runs", "mean", "max");
  text += gain_line("all runs", summary.gain);
  text += gain_line("runs without VM loss", summary.gain_without_loss);
  if (summary.without_baseline > 0) {
    text += fmt::format("  {} no gain: the run with OTN 1 and SAF off is not among the results.\n",
                        runs_have(summary.without_baseline));
  }
  if (summary.with_empty_baseline > 0) {
    text += fmt::format("  {} no gain: the run with OTN 1 and SAF off earned nothing.\n",
                        runs_have(summary.with_empty_baseline));
  }
  return text;
}

/// A row for each OTN, a column for SAF off and on as far as they were tried.
SummaryTable gain_table(const std::vector<GainCell>& cells) {
  SummaryTable table{.columns = {{"otn", "OTN"}}};
  std::map<OfferRule, std::map<bool, std::string>> by_otn;
  std::set<bool> flags;
  for (const GainCell& cell : cells) {
    by_otn[cell.otn][cell.saf] = gain_text(cell.mean);
    flags.insert(cell.saf);
  }
  for (const bool saf : flags) table.columns.push_back({"", "SAF " + axis_value(saf).label});
  for (const auto& [otn, gains] : by_otn) {
    std::vector<SummaryCell>& row = table.rows.emplace_back();
    row.push_back({otn.label(), {}});
    for (const bool saf : flags) row.push_back({gains.contains(saf) ? gains.at(saf) : "", {}});
  }
  return table;
}

std::string first_hours_text(const Summary& summary) {
  if (summary.first_hour_free_loss.count == 0) return "";
  const MeanAndMax& of_requested = summary.first_hour_free_loss_of_requested;
  return fmt::format(
      "\nSpot revenue if spots evicted in their first hour were free\n"
      "  lower by: mean {:.4f}%, max {:.4f}% of what spots earned\n"
      "            mean {:.4f}%, max {:.4f}% of what spots requested\n",
      summary.first_hour_free_loss.mean * 100, summary.first_hour_free_loss.max * 100,
      of_requested.mean * 100, of_requested.max * 100);
}

std::string vms_text(const Summary& summary) {
  const auto share = summary.runs == 0 ? 0.0
                                       : static_cast<double>(summary.runs_without_loss) /
                                             static_cast<double>(summary.runs);
  std::string text = "\nVMs\n";
  text += fmt::format("  VM revenue lost: mean {:.4f}%, max {:.4f}%\n", summary.vm_loss.mean * 100,
                      summary.vm_loss.max * 100);
  text += fmt::format("  runs that reject no VM: {} of {} ({})\n", summary.runs_without_loss,
                      summary.runs, percent_text(share));
  if (summary.too_large_vms > 0) {
    text += fmt::format(
        "  {} VM{} larger than the host, in {} workload{}. VMs larger than the host count as\n"
        "  rejected and as VM revenue lost; \"without VM loss\" and \"reject no VM\" leave them "
        "aside.\n",
        summary.too_large_vms, plural(summary.too_large_vms), summary.too_large_workloads,
        plural(summary.too_large_workloads));
  }
  return text;
}

std::string times_text(const RunTimes& times) {
  if (times.wall_ms_mean == 0) return "";
  return fmt::format(
      "\nTime\n"
      "  a run: mean {:.2f} ms\n"
      "  a VM allocation: median {:.0f} ns, 99th percentile {:.0f} ns (means over the runs), "
      "longest "
      "{:.3f} ms\n",
      times.wall_ms_mean, times.alloc_p50_ns_mean, times.alloc_p99_ns_mean,
      static_cast<double>(times.alloc_max_ns) / 1e6);
}

/// The mean over workloads of one size: whole where they all have as many.
std::string hosts_text(double hosts) {
  return std::floor(hosts) == hosts ? count_text(static_cast<std::int64_t>(hosts))
                                    : fmt::format("{:.1f}", hosts);
}

constexpr Figure kShare{.name = "spot_share", .title = "earned", .is_part = true};
constexpr Figure kGain{.name = "gain", .title = "gain"};
constexpr Figure kEvictions{
    .name = "evictions", .title = "evictions", .unit = FigureUnit::kNumber, .decimals = 1};

std::string hours_text(const std::optional<MeanInterval>& mean) {
  if (!mean) return "-";
  const std::string text = amount_text(mean->mean);
  if (!mean->half_width) return text;
  const double half = *mean->half_width;
  if (half <= mean->mean) return text + " +/- " + amount_text(half);
  return fmt::format("{} (0 to {})", text, amount_text(mean->mean + half));
}

/// The fields of a combination for `--json`, each with its label.
SummaryTable best_table() {
  constexpr auto kLeft = TextTable::Align::kLeft;
  return {.columns = {{"", "size", kLeft},
                      {"vm", "VM", kLeft},
                      {"spot", "spot", kLeft},
                      {"evictor", "evictor", kLeft},
                      {"saf", "SAF", kLeft},
                      {"otn", "OTN"},
                      {"hosts", "hosts"},
                      {"spot_share", "earned"},
                      {"spot_vcpu_hours_per_host", "per host"},
                      {"gain", "gain"},
                      {"evictions", "evictions"}}};
}

std::vector<SummaryCell> best_row(std::string_view name, const BestCombination& best) {
  SummaryCell gain = mean_cell(kGain, best.gain);
  if (best.gain && best.gain->mean >= 0) gain.text.insert(0, "+");
  return {{std::string(name), nullptr},
          {short_label(best.vm.label), best.vm.label},
          {short_label(best.spot.label), best.spot.label},
          {short_label(best.evictor.label), best.evictor.label},
          {best.saf_label(), best.saf},
          {best.otn.label(), setting_json(best.otn)},
          {hosts_text(best.hosts), json_of(best.hosts)},
          mean_cell(kShare, best.spot_revenue_share),
          {hours_text(best.spot_vcpu_hours_per_host), mean_json(best.spot_vcpu_hours_per_host)},
          std::move(gain),
          mean_cell(kEvictions, best.evictions)};
}

/// The reason for which there is none.
const char* none_text(const Summary& summary) {
  return !summary.any_to_set ? "nothing in this study can be set"
         : summary.any_bound ? "none: every combination that can be set rejects VMs"
                             : "none: every combination rejects VMs";
}

bool cooperates(const BestOfSize& best) { return best.to_set && best.to_set->cooperates(); }

/// Adds the best combinations, the main result.
void add_best(const Summary& summary, StudySummary& made) {
  SummaryTable table = best_table();
  std::string without;
  Json& list = made.json["best_without_vm_loss"] = Json::array();
  for (const BestOfSize& best : summary.best) {
    const auto add = [&](std::string_view name, const std::optional<BestCombination>& one,
                         bool is_shown) -> Json {
      if (!one) return nullptr;
      SummaryTable alone = best_table();
      alone.rows.push_back(best_row(name, *one));
      if (is_shown) table.rows.push_back(alone.rows.front());
      return alone.json().front();
    };
    const Json to_set = add(best.size, best.to_set, true);
    const Json alone = add("  not cooperating", best.without_cooperation, cooperates(best));
    const Json bound = add("  knows lifetimes", best.bound, true);
    list.push_back({{"headroom_percent", json_of(best.headroom_percent)},
                    {"hosts", best.headroom_percent ? Json() : Json(best.hosts)},
                    {"to_set", to_set},
                    {"without_cooperation", alone},
                    {"upper_bound", bound}});
    if (!best.to_set) without += fmt::format("  {}: {}\n", best.size, none_text(summary));
    if (best.bound || !summary.any_bound) continue;
    without += fmt::format("  {}: every combination that knows lifetimes rejects VMs\n", best.size);
  }
  made.text += "\nThe best combination of each size without VM loss, averaged over the workloads\n";
  if (!table.rows.empty()) made.text.add(table, "  ");
  made.text += without;
  made.text += fmt::format(
      "  (earned: spot revenue, % of what spots requested; per host: {}-hours that spots "
      "earn{})\n",
      summary.is_relative ? "unit" : "vCPU",
      summary.workloads > 1 ? ";\n  +/-: 95% interval over the workloads"
                            : ";\n  one workload: no interval; `cospot tune` validates settings on "
                              "parts of it that did not choose them");
  if (summary.has_own_sizes) {
    made.text +=
        "  (headroom_of: each_policy: a size is more hosts for a VM policy that packs worse, so "
        "its\n"
        "  rows do not compare policies on equal hosts)\n";
  }
  if (summary.any_bound) {
    made.text += fmt::format("  ({}: no datacenter can be set to that row)\n", kKnowsLifetimes);
  }
}

/// The combination of all sizes that earns most of those that can be set.
std::string answer_text(const Summary& summary) {
  const BestOfSize* most = nullptr;
  for (const BestOfSize& one : summary.best) {
    if (!one.to_set || !one.to_set->spot_revenue_share) continue;
    if (most != nullptr &&
        one.to_set->spot_revenue_share->mean <= most->to_set->spot_revenue_share->mean) {
      continue;
    }
    most = &one;
  }
  if (most == nullptr) return "";
  const BestCombination& best = *most->to_set;
  std::string text = fmt::format(
      "Most spot revenue earned without VM loss: {} of what spots requested, at {}{}\n"
      "  with {}\n",
      mean_cell(kShare, best.spot_revenue_share).text, most->headroom_percent ? "headroom " : "",
      most->size, best.named_label());
  if (!cooperates(*most)) return text;
  const std::optional<BestCombination>& alone = most->without_cooperation;
  if (!alone) {
    const bool any_alone = std::ranges::any_of(summary.gain_by_saf_otn, [](const GainCell& cell) {
      return !cell.saf && cell.otn.is_one_host();
    });
    return text + (any_alone ? "  No combination without cooperation avoids VM loss.\n"
                             : "  No run without cooperation (OTN 1, SAF off) to compare with.\n");
  }
  return text + fmt::format(
                    "  The best without cooperation (OTN 1, SAF off), with VM {}, spot {}, "
                    "evictor {}: {}\n",
                    alone->vm.label, alone->spot.label, alone->evictor.label,
                    mean_cell(kShare, alone->spot_revenue_share).text);
}

Json spread_json(const MeanAndMax& spread) {
  const bool any = spread.count > 0;
  return {{"runs", spread.count},
          {"mean", json_of(any ? std::optional(spread.mean) : std::nullopt)},
          {"max", json_of(any ? std::optional(spread.max) : std::nullopt)}};
}

Json times_json(const RunTimes& times) {
  if (times.wall_ms_mean == 0) return nullptr;
  return {{"wall_ms_mean", json_of(times.wall_ms_mean)},
          {"alloc_p50_ns_mean", json_of(times.alloc_p50_ns_mean)},
          {"alloc_p99_ns_mean", json_of(times.alloc_p99_ns_mean)},
          {"alloc_max_ns", times.alloc_max_ns}};
}

}  // namespace

StudySummary compare_summary(const Summary& summary) {
  StudySummary made;
  made.text = heading_text(summary);
  made.text.add_answer(answer_text(summary));
  made.json = {{"workloads", summary.workloads},
               {"unit", summary.is_relative ? "unit" : "vCPU"},
               {"headroom_of", summary.has_own_sizes ? "each_policy" : "study"}};
  if (summary.runs == 0) made.json["best_without_vm_loss"] = Json::array();
  if (summary.runs > 0) {
    add_best(summary, made);
    made.text += vms_text(summary) + gains_text(summary) + "\nMean gain by OTN and SAF\n";
    made.text.add(gain_table(summary.gain_by_saf_otn), "  ");
    made.text += first_hours_text(summary) + times_text(summary.times);
  }
  made.json.update({{"vm_loss", spread_json(summary.vm_loss)},
                    {"runs_without_vm_loss", summary.runs_without_loss},
                    {"too_large_vms", summary.too_large_vms},
                    {"too_large_workloads", summary.too_large_workloads},
                    {"gain", spread_json(summary.gain)},
                    {"gain_without_vm_loss", spread_json(summary.gain_without_loss)},
                    {"runs_without_baseline", summary.without_baseline},
                    {"runs_with_empty_baseline", summary.with_empty_baseline},
                    {"gain_by_saf_and_otn", json_list_of(summary.gain_by_saf_otn,
                                                         [](const GainCell& cell) {
                                                           return Json{
                                                               {"saf", cell.saf},
                                                               {"otn", setting_json(cell.otn)},
                                                               {"mean_gain", json_of(cell.mean)}};
                                                         })},
                    {"first_hour_free_loss", spread_json(summary.first_hour_free_loss)},
                    {"first_hour_free_loss_of_requested",
                     spread_json(summary.first_hour_free_loss_of_requested)},
                    {"times", times_json(summary.times)}});
  return made;
}

}  // namespace cospot
