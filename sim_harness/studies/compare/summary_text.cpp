#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/files/amount_text.hpp"
#include "sim_harness/studies/compare/summary.hpp"

namespace cospot {
namespace {

constexpr std::size_t kMaxLabelWidth = 13;
constexpr std::size_t kLineWidth = 94;  // of a table, behind its first column
constexpr std::size_t kGainWidth = 11;  // "+1000.00%" and two spaces

std::string percent_text(double fraction) { return fmt::format("{:.2f}%", fraction * 100); }

std::string percent_text(const std::optional<double>& fraction) {
  return fraction ? percent_text(*fraction) : "-";
}

std::string gain_text(const std::optional<double>& gain) {
  return gain ? fmt::format("{:+.2f}%", *gain * 100) : "-";
}

std::string short_label(const std::string& label) {
  return label.size() <= kMaxLabelWidth ? label : label.substr(0, kMaxLabelWidth - 1) + "~";
}

const char* plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

std::string on_off(bool value) { return value ? "on" : "off"; }

std::string heading_text(const Summary& summary) {
  std::string text = fmt::format("{} run{} of {} workload{}", summary.runs, plural(summary.runs),
                                 summary.workloads, plural(summary.workloads));
  if (summary.runs < summary.expected_runs) {
    text += fmt::format("; {} of the sweep's {} runs are missing",
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

std::string gains_text(const Summary& summary) {
  std::string text =
      "\nGain: spot revenue over that of the same run without cooperation (OTN 1, SAF off)\n";
  text += fmt::format("  {:<22}{:>8}{:>12}{:>12}\n", "", "runs", "mean", "max");
  text += gain_line("all runs", summary.gain);
  text += gain_line("runs without VM loss", summary.gain_without_loss);
  if (summary.without_baseline > 0) {
    text += fmt::format(
        "  {} runs have no gain: the run with OTN 1 and SAF off is not among the results.\n",
        summary.without_baseline);
  }
  if (summary.with_empty_baseline > 0) {
    text += fmt::format("  {} runs have no gain: the run with OTN 1 and SAF off earned nothing.\n",
                        summary.with_empty_baseline);
  }
  return text;
}

std::string table_row(const Summary& summary, bool saf, const OfferRule& otn) {
  for (const GainCell& cell : summary.gain_by_saf_otn) {
    if (cell.saf == saf && cell.otn == otn) return gain_text(cell.mean);
  }
  return "";
}

std::size_t column_width(const OfferRule& otn) {
  return std::max(kGainWidth, otn.label().size() + 1);
}

/// One block of the table: the columns of some OTNs.
std::string table_block(const Summary& summary, std::span<const OfferRule> otns) {
  std::string text = "  SAF ";
  for (const OfferRule& otn : otns) {
    text += fmt::format("{:>{}}", otn.label(), column_width(otn));
  }
  for (const bool saf : {false, true}) {
    std::string line = fmt::format("\n  {:<4}", on_off(saf));
    bool any = false;
    for (const OfferRule& otn : otns) {
      const std::string cell = table_row(summary, saf, otn);
      any = any || !cell.empty();
      line += fmt::format("{:>{}}", cell, column_width(otn));
    }
    if (any) text += line;
  }
  return text + "\n";
}

std::string table_text(const Summary& summary) {
  std::vector<OfferRule> otns;
  for (const GainCell& cell : summary.gain_by_saf_otn) otns.push_back(cell.otn);
  std::sort(otns.begin(), otns.end());
  otns.erase(std::unique(otns.begin(), otns.end()), otns.end());
  std::string text = "\nMean gain by SAF (rows) and OTN (columns)\n";
  std::size_t first = 0;
  std::size_t width = 0;
  for (std::size_t i = 0; i < otns.size(); ++i) {
    width += column_width(otns[i]);
    if (i + 1 < otns.size() && width + column_width(otns[i + 1]) <= kLineWidth) continue;
    text += table_block(summary, std::span(otns).subspan(first, i + 1 - first));
    first = i + 1;
    width = 0;
  }
  return text;
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

/// The table of what to set: how wide its columns are.
struct BestWidths {
  std::size_t vm = 2;
  std::size_t spot = 4;
  std::size_t evictor = 7;
  std::size_t otn = 4;

  explicit BestWidths(const Summary& summary) {
    for (const BestOfSize& best : summary.best) {
      for (const std::optional<BestCombination>& one : {best.to_set, best.bound}) {
        if (!one) continue;
        vm = std::max(vm, short_label(one->vm).size());
        spot = std::max(spot, short_label(one->spot).size());
        evictor = std::max(evictor, short_label(one->evictor).size());
        otn = std::max(otn, one->otn.label().size());
      }
    }
  }
};

/// The mean over workloads of one size: whole where they all have as many.
std::string hosts_text(double hosts) {
  return std::floor(hosts) == hosts ? count_text(static_cast<std::int64_t>(hosts))
                                    : fmt::format("{:.1f}", hosts);
}

std::string best_row(std::string_view name, const BestCombination& best, const BestWidths& width) {
  return fmt::format(
      "  {:<14} {:>7} {:<{}} {:<{}} {:<{}} {:<3} {:>{}} {:>9} {:>9} {:>9} {:>10.1f}\n", name,
      hosts_text(best.hosts), short_label(best.vm), width.vm, short_label(best.spot), width.spot,
      short_label(best.evictor), width.evictor, on_off(best.saf), best.otn.label(), width.otn,
      percent_text(best.spot_revenue_share), amount_text(best.spot_vcpu_hours_per_host),
      gain_text(best.gain), best.evictions);
}

std::string best_rows(const Summary& summary, const BestOfSize& best, const BestWidths& width) {
  std::string text;
  if (best.to_set) {
    text = best_row(best.size, *best.to_set, width);
  } else {
    text = fmt::format("  {:<14} {}\n", best.size,
                       !summary.any_to_set ? "nothing in this sweep can be set"
                       : summary.any_bound ? "none: every combination that can be set rejects VMs"
                                           : "none: every combination rejects VMs");
  }
  if (best.bound) return text + best_row("  upper bound", *best.bound, width);
  if (!summary.any_bound) return text;
  return text + "    upper bound  none: every combination that knows lifetimes rejects VMs\n";
}

/// What most readers came for.
std::string best_text(const Summary& summary) {
  const BestWidths width(summary);
  std::string text =
      "\nMost spot revenue earned without VM loss: the best combination, averaged over the "
      "workloads\n";
  text += fmt::format("  {:<14} {:>7} {:<{}} {:<{}} {:<{}} {:<3} {:>{}} {:>9} {:>9} {:>9} {:>10}\n",
                      "size", "hosts", "VM", width.vm, "spot", width.spot, "evictor", width.evictor,
                      "SAF", "OTN", width.otn, "earned", "per host", "gain", "evictions");
  for (const BestOfSize& best : summary.best) text += best_rows(summary, best, width);
  text += fmt::format(
      "  (earned: spot revenue, % of what spots requested; per host: {}-hours that spots earn)\n",
      summary.is_relative ? "unit" : "vCPU");
  if (summary.has_own_sizes) {
    text +=
        "  (headroom_of: each_policy: a size is more hosts for a VM policy that packs worse, so "
        "its\n"
        "  rows do not compare policies on equal hosts)\n";
  }
  if (summary.any_bound) {
    text += fmt::format("  ({}: no datacenter can be set to that row)\n", kUpperBoundNote);
  }
  return text;
}

}  // namespace

std::string summary_text(const Summary& summary) {
  std::string text = heading_text(summary);
  if (summary.runs == 0) return text;
  return text + best_text(summary) + vms_text(summary) + gains_text(summary) + table_text(summary) +
         first_hours_text(summary) + times_text(summary.times);
}

}  // namespace cospot
