#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "evictors/registry.hpp"
#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// A difference counts when it is more than so many standard errors.
constexpr double kClearErrors = 2;

template <class Plugin>
std::string summary_of(std::span<const RegistryEntry<Plugin>> registry, std::string_view name) {
  const PluginInfo* info = find_info(registry, name);
  return info == nullptr ? std::string() : std::string(info->summary);
}

/// The lifetime model that an evictor was given; nothing when it has its own, or needs none.
const std::string* model_of(const EvictorSpec& evictor) {
  const auto option = evictor.options.find("model");
  return option == evictor.options.end() ? nullptr : std::get_if<std::string>(&option->second);
}

/// The gain in money, the line below the verdict; empty if nothing was compared.
std::string money_gain_text(const std::optional<TuneMoney>& made) {
  if (!made || !made->gain_per_month) return "";
  const MeanInterval& gain = *made->gain_per_month;
  std::string text =
      fmt::format("In money, cooperation was worth {} a month{}, net of lost VMs.\n",
                  signed_money(gain.mean, made->currency),
                  gain.half_width ? fmt::format(" (95% interval {})", money_interval(gain)) : "");
  if (made->next_gain) {
    text += fmt::format("Next month it should be worth {}.\n{}\n",
                        forecast_text(*made->next_gain, made->currency),
                        record_sentence(*made->next_gain));
  }
  return text;
}

std::string money_line(std::string_view name, const Income& income, const std::string& currency) {
  return fmt::format("  {:<20} spots earn {} of {}, VMs lose {} of {}: net {}, {} a month\n", name,
                     money_text(income.spots_earned), money_text(income.spots_requested),
                     money_text(income.vms_lost), money_text(income.vms_requested),
                     money(income.net(), currency), money(income.net_per_month(), currency));
}

std::string money_lines(const std::optional<TuneMoney>& made) {
  if (!made) return "";
  std::string text =
      fmt::format("\nMoney on the validation samples, {:.4g} days (a month is 365.25 / 12 days)\n",
                  made->recommended.days);
  text += money_line("recommendation", made->recommended, made->currency);
  if (made->without_cooperation) {
    text += money_line("without cooperation", *made->without_cooperation, made->currency);
  }
  return text + std::string(kSoldOnce);
}

class Writer {
 public:
  explicit Writer(const TuneFindings& findings)
      : findings_(findings),
        settings_(findings.request.settings),
        runs_(findings.runs),
        outcome_(findings.outcome),
        advised_(advised(findings.verdict, outcome_)) {}

  [[nodiscard]] std::string text() const {
    return verdict_text(findings_.verdict, settings_.max_vm_loss, findings_.tried) +
           money_gain_text(findings_.money) + one_workload() + "\n" + recommendation() + "\n" +
           validation_text(findings_) + "\n" + sureness() + "\n" + front() + "\n" + effort() +
           money_lines(findings_.money);
  }

 private:
  /// The parts see the crowded days of one workload only (docs/tune.md#the-verdict), and a change.
  [[nodiscard]] std::string one_workload() const {
    if (!findings_.whole) return {};
    std::string text = demand_sentence(findings_.demand(), findings_.whole->hosts);
    if (!text.empty()) text += "\n";
    if (!findings_.verdict.gain.half_width) return text;
    return text +
           "The samples are parts of one workload: for other weeks the interval is too narrow.\n";
  }

  [[nodiscard]] std::string effort() const {
    std::string rounds;
    for (const TuneRound& round : outcome_.rounds) {
      rounds += fmt::format("{}{} on {}", rounds.empty() ? "" : ", ",
                            plural(round.candidates, "setting"), plural(round.samples, "sample"));
    }
    const std::size_t full = runs_.space().size() * findings_.samples.size();
    return fmt::format(
        "{} ({};\n{} without cooperation on each), {}.\n{} runs, {} of the {} that all {} "
        "settings take on all samples.\n{}{}{}",
        plural(outcome_.selection.size(), "training sample"), rounds,
        plural(outcome_.tried_without_cooperation, "setting"), judges(), runs_.count(),
        percent(static_cast<double>(runs_.count()) / static_cast<double>(full), 0), full,
        runs_.space().size(), hosts(), with_parts(), built_in_model());
  }

  [[nodiscard]] std::string judges() const {
    if (findings_.folds.empty()) return plural(outcome_.held_out.size(), "validation sample");
    if (findings_.whole) {
      return fmt::format("the last {} of which validate, each what those before it choose",
                         findings_.folds.size());
    }
    return fmt::format("each used once for validation, in one of {} folds", findings_.folds.size());
  }

  /// The size of what is tuned; a sample of a workload that was split has a datacenter of its own.
  [[nodiscard]] std::string hosts() const {
    const auto [fewest, most] = std::ranges::minmax(findings_.samples, {}, &TuneSample::hosts);
    const std::string range = most.hosts == fewest.hosts
                                  ? plural(fewest.hosts, "host")
                                  : fmt::format("{} to {} hosts", fewest.hosts, most.hosts);
    if (!findings_.whole) return fmt::format("A sample is one workload. Datacenters: {}\n", range);
    const std::size_t vm = runs_.space().positions(advised_).front();
    const std::string needed =
        findings_.whole->needed.empty()
            ? "some VM is larger than each of them"
            : fmt::format("VMs alone need {} with {}", findings_.whole->needed[vm],
                          settings_.vm[vm].label);
    return fmt::format(
        "Datacenter: {}; {}\nA sample is {:.3g} days of the workload, one of {}; every run starts "
        "at its beginning.\n",
        plural(findings_.whole->hosts, "host"), needed, days_of(findings_.whole->part),
        findings_.samples.size());
  }

  [[nodiscard]] std::string with_parts() const {
    if (settings_.with == nullptr) return {};
    return "In every run, so that VMs lose revenue without spots too:\n" + settings_.with->yaml({});
  }

  /// Says so when an evictor goes by a model that knows nothing of these workloads.
  [[nodiscard]] std::string built_in_model() const {
    std::string text;
    for (const EvictorSpec& evictor : settings_.evictors) {
      const PluginInfo* info = find_info(evictor_registry(), evictor.name);
      if (info == nullptr || !info->needs_lifetime_model() || model_of(evictor) != nullptr)
        continue;
      text += fmt::format(
          "{} used its built-in model, trained on synthetic requests; --model takes yours.\n",
          info->name);
    }
    return text;
  }

  [[nodiscard]] std::string recommendation() const {
    const AllocatorSpec& of = runs_.space().at(advised_);
    std::string text = fmt::format(
        "Setting (keys of a study file)\n  vm: {}\n  spot: {}\n  evictor: {}\n  saf: {}\n  otn: "
        "{}\n\n",
        of.vm.label, of.spot.label, flow_yaml(setting_json(of.evictor)), of.saf_label(),
        of.otn.label());
    text += "In nova.conf";
    const std::optional<std::size_t> for_nova =
        advised_for_nova(findings_.verdict, findings_.outcome);
    if (for_nova && *for_nova != advised_) {
      text += fmt::format(", which has no {}: the best setting it supports", what_nova_lacks());
    }
    text += for_nova ? nova_lines(*for_nova) : "\n  (it supports none of the settings)\n";
    return text + '\n' + "In words\n" + words(of);
  }

  [[nodiscard]] std::string what_nova_lacks() const {
    const AllocatorSpec& of = runs_.space().at(advised_);
    return of.spot.filters.empty() ? of.evictor.label : of.spot.label;
  }

  [[nodiscard]] std::string nova_lines(std::size_t candidate) const {
    const AllocatorSpec& of = runs_.space().at(candidate);
    return fmt::format(
        "\n  [cospot]\n  vm_policy = {}\n  spot_policy = {}\n  evictor = {}\n{}  otn = {}\n"
        "  saf = {}\n",
        of.vm.label, of.spot.label, of.evictor.label, model_line(of.evictor), of.otn.label(),
        of.saf_label());
  }

  /// Nova has no built-in model: a cloud's spots are not those that it was trained on.
  [[nodiscard]] static std::string model_line(const EvictorSpec& evictor) {
    const PluginInfo* info = find_info(evictor_registry(), evictor.name);
    if (info == nullptr || !info->needs_lifetime_model()) return {};
    const std::string* model = model_of(evictor);
    return fmt::format("  evictor_model = {}\n",
                       model != nullptr ? *model : "FILE of `cospot lifetime train`");
  }

  [[nodiscard]] static std::string words(const AllocatorSpec& of) {
    const std::string otn = of.otn.label();
    std::string offer = fmt::format("the first {} hosts", otn);
    if (of.otn.is_one_host()) offer = "the first host only";
    if (of.otn.follows_load()) offer = fmt::format("fewer hosts the fuller it is ({})", otn);
    if (of.otn.compares_weights()) offer = fmt::format("every host close to the first ({})", otn);
    return fmt::format(
        "  VMs:       {}. {}\n  Spots:     {}. {}\n  Offer:     {}; {}.\n  Evictions: {}. {}\n",
        of.vm.label, summary_of(weigher_registry(), of.vm.weighers.front().name), of.spot.label,
        summary_of(weigher_registry(), of.spot.weighers.front().name), offer,
        of.saf ? "hosts that fit the VM without an eviction come first"
               : "the ranking ignores whether spots would be evicted",
        of.evictor.label, summary_of(evictor_registry(), of.evictor.name));
  }

  [[nodiscard]] std::string sureness() const {
    std::string text = "Confidence\n";
    if (outcome_.finalists.size() == 1)
      return text + "  There was no other setting to compare with.\n";
    std::size_t alike = 0;
    std::size_t better = 0;
    for (const std::size_t other : outcome_.finalists) {
      if (other == outcome_.recommendation) continue;
      const Spread ahead = spread_of(lead_over(other));
      if (ahead.mean < 0) ++better;
      const bool is_clear =
          compared_on().size() > 1 && std::abs(ahead.mean) > kClearErrors * ahead.error;
      if (!is_clear) ++alike;
    }
    const std::size_t others = outcome_.finalists.size() - 1;
    text += fmt::format(
        "  {} of the other {} earned more on the {}, regardless of lost VMs;\n"
        "  {} {} not significantly different there (within {} standard errors).\n",
        better, plural(others, "finalist"), where(), alike, alike == 1 ? "is" : "are",
        kClearErrors);
    return text + next_best();
  }

  [[nodiscard]] std::string next_best() const {
    const std::size_t next = outcome_.finalists[1];
    const std::vector<double> leads = lead_over(next);
    const Spread ahead = spread_of(leads);
    if (leads.size() == 1) {
      return fmt::format(
          "  Next: {}.\n  On the validation sample the search's choice is {:+.2f} points ahead of "
          "it; one sample has no standard error.\n",
          runs_.space().at(next).label(), 100 * ahead.mean);
    }
    const auto wins = std::ranges::count_if(leads, [](double lead) { return lead > 0; });
    return fmt::format(
        "  Next: {}.\n  On the {} the search's choice is {:+.2f} points ahead of it "
        "(standard error {:.2f}), ahead on {} of {}.\n",
        runs_.space().at(next).label(), where(), 100 * ahead.mean, 100 * ahead.error, wins,
        leads.size());
  }

  /// The samples on which the finalists are compared: if every sample chooses, none is left to
  /// judge.
  [[nodiscard]] const std::vector<std::size_t>& compared_on() const {
    return outcome_.held_out.empty() ? outcome_.selection : outcome_.held_out;
  }
  [[nodiscard]] std::string_view where() const {
    return outcome_.held_out.empty() ? "training samples" : "validation samples";
  }

  /// The lead of the recommendation over another setting on each of those samples.
  [[nodiscard]] std::vector<double> lead_over(std::size_t other) const {
    std::vector<double> leads;
    for (const std::size_t sample : compared_on()) {
      leads.push_back(runs_.point(outcome_.recommendation, sample).spot_share -
                      runs_.point(other, sample).spot_share);
    }
    return leads;
  }

  [[nodiscard]] std::string front() const {
    using Align = TextTable::Align;
    TextTable table;
    for (const char* title : {"VM", "spot", "evictor", "SAF", "OTN"}) {
      table.add_column(title, Align::kLeft);
    }
    std::vector<std::span<const std::size_t>> sets{outcome_.selection};
    if (!outcome_.held_out.empty()) sets.emplace_back(outcome_.held_out);
    for (const char* title : {"earned, training", "VM lost, training"}) {
      table.add_column(title);
      if (sets.size() > 1) table.add_column("validation");
    }
    std::vector<std::size_t> ascending = outcome_.front;
    std::ranges::stable_sort(ascending, {}, [&](std::size_t candidate) {
      return runs_.mean(candidate, outcome_.selection).vm_loss;
    });
    for (const std::size_t candidate : ascending) {
      const AllocatorSpec& of = runs_.space().at(candidate);
      std::vector<std::string> cells{of.vm.label, of.spot.label, of.evictor.label, of.saf_label(),
                                     of.otn.label()};
      for (const auto set : sets) cells.push_back(percent(runs_.mean(candidate, set).spot_share));
      for (const auto set : sets) cells.push_back(percent(runs_.mean(candidate, set).vm_loss, 4));
      table.add_row(std::move(cells));
    }
    return front_heading() + table.text();
  }

  /// The heading of the front, which lacks the settings dropped earlier.
  [[nodiscard]] std::string front_heading() const {
    const std::size_t all = runs_.space().size();
    const std::size_t complete = outcome_.complete.size();
    std::string text =
        "Pareto front on the training samples: settings that only earn more by losing more VM "
        "revenue.\n";
    text += complete == all ? fmt::format("It covers all {}", plural(all, "setting"))
                            : fmt::format("It covers the {} that ran on all of them (of {})",
                                          plural(complete, "setting"), all);
    if (outcome_.front.size() < outcome_.whole_front) {
      text += fmt::format("; {} of its {} points", outcome_.front.size(), outcome_.whole_front);
    }
    return text + "; of equal settings, one is shown.\n";
  }

  const TuneFindings& findings_;
  const TuneSettings& settings_;
  const TuneRuns& runs_;
  const TuneOutcome& outcome_;
  std::size_t advised_;
};

}  // namespace

std::string tune_text(const TuneFindings& findings) { return Writer(findings).text(); }

}  // namespace cospot
