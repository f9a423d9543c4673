#include "sim_harness/tune/tune_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "evictors/registry.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/tune/cross_validation_text.hpp"
#include "sim_harness/tune/tune_figures.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// A difference counts when it is more than so many standard errors.
constexpr double kClearErrors = 2;

template <class Plugin>
std::string summary_of(std::span<const RegistryEntry<Plugin>> registry, std::string_view name) {
  for (const RegistryEntry<Plugin>& entry : registry) {
    if (entry.info.name == name) return std::string(entry.info.summary);
  }
  return {};
}

/// Tells whether YAML reads a text as itself without quotes, also between braces: a path of plain
/// characters, which neither a number nor a word such as `true` looks like.
bool is_plain_in_yaml(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '_' || c == '-';
  };
  return !text.empty() && (is_letter(text.front()) || text.front() == '/') &&
         text.find_first_of("./") != std::string_view::npos && std::ranges::all_of(text, is_plain);
}

std::string yaml_text(std::string_view text) {
  if (is_plain_in_yaml(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return quoted + '"';
}

/// The lifetime model that an evictor was given; nothing when it has its own, or needs none.
const std::string* model_of(const EvictorSpec& evictor) {
  const auto option = evictor.options.find("model");
  return option == evictor.options.end() ? nullptr : std::get_if<std::string>(&option->second);
}

/// The value of the key `evictor` of a sweep file.
std::string yaml_of(const EvictorSpec& evictor) {
  const std::string* model = model_of(evictor);
  if (model == nullptr) return evictor.label;
  return fmt::format("{{name: {}, model: {}}}", evictor.name, yaml_text(*model));
}

class Writer {
 public:
  using Labels = TuneFigures::Labels;

  Writer(const TuneSettings& settings, std::span<const TuneSample> samples, const TuneRuns& runs,
         const TuneOutcome& outcome, std::span<const TuneOutcome> folds)
      : settings_(settings),
        samples_(samples),
        runs_(runs),
        figures_(settings, runs),
        outcome_(outcome),
        folds_(folds) {}

  [[nodiscard]] std::string text() const {
    const std::string judged =
        folds_.empty() ? verdict() : cross_validation_text(figures_, outcome_, folds_);
    return effort() + "\n" + advice() + "\n" + judged + "\n" + sureness() + "\n" + front();
  }

 private:
  [[nodiscard]] std::string effort() const {
    const auto [fewest, most] = std::ranges::minmax(samples_, {}, &TuneSample::hosts);
    std::string rounds;
    for (const TuneRound& round : outcome_.rounds) {
      rounds += fmt::format("{}{} on {}", rounds.empty() ? "" : ", ",
                            plural(round.candidates, "setting"), plural(round.samples, "sample"));
    }
    const std::size_t full = runs_.space().size() * samples_.size();
    return fmt::format(
        "{} chose ({}),\n{}. {} runs of the {} that all {} settings take on all samples "
        "({}).\nHosts: {}{}\n{}",
        plural(outcome_.selection.size(), "sample"), rounds, judges(), runs_.count(), full,
        runs_.space().size(),
        percent(static_cast<double>(runs_.count()) / static_cast<double>(full), 0), fewest.hosts,
        most.hosts == fewest.hosts ? "" : fmt::format(" to {}", most.hosts), built_in_model());
  }

  [[nodiscard]] std::string judges() const {
    if (folds_.empty()) return plural(outcome_.held_out.size(), "other") + " judged";
    return fmt::format("and each judged a search without its fold, one of {}", folds_.size());
  }

  /// Says so when LPML goes by a model that knows nothing of these workloads.
  [[nodiscard]] std::string_view built_in_model() const {
    const auto has_none = [](const EvictorSpec& evictor) {
      return evictor.name == "LPML" && model_of(evictor) == nullptr;
    };
    if (std::ranges::none_of(settings_.evictors, has_none)) return "";
    return "LPML used its built-in model, trained on synthetic requests; --model takes yours.\n";
  }

  [[nodiscard]] std::string advice() const {
    const Labels of = figures_.labels(outcome_.advice);
    std::string text = fmt::format(
        "Set (keys of a sweep file)\n  vm: {}\n  spot: {}\n  evictor: {}\n  saf: {}\n  otn: {}\n\n",
        of.vm, of.spot, yaml_of(settings_.evictors[runs_.space().at(outcome_.advice).evictor]),
        of.saf, of.otn);
    text += "In nova.conf";
    if (outcome_.advice_for_nova && *outcome_.advice_for_nova != outcome_.advice) {
      text += fmt::format(", which has no {}: the best of what it has", what_nova_lacks());
    }
    text += outcome_.advice_for_nova ? nova_lines(*outcome_.advice_for_nova)
                                     : "\n  (none of the settings can be given there)\n";
    return text + '\n' + "In words\n" + words(of);
  }

  [[nodiscard]] std::string what_nova_lacks() const {
    const RunCoordinates at = runs_.space().at(outcome_.advice);
    const OfferRule& otn = settings_.otn[at.otn];
    return otn.kind() == OfferRule::Kind::kTopN ? settings_.evictors[at.evictor].label
                                                : "offer " + otn.label();
  }

  [[nodiscard]] std::string nova_lines(std::size_t candidate) const {
    const Labels of = figures_.labels(candidate);
    return fmt::format(
        "\n  [cospot]\n  vm_policy = {}\n  spot_policy = {}\n  evictor = {}\n  otn = {}\n"
        "  saf = {}\n",
        of.vm, of.spot, of.evictor, of.otn, of.saf);
  }

  [[nodiscard]] std::string words(const Labels& of) const {
    const RunCoordinates at = runs_.space().at(outcome_.advice);
    const OfferRule& otn = settings_.otn[at.otn];
    std::string offer = fmt::format("the first {} hosts", of.otn);
    if (otn.is_one_host()) offer = "the first host alone: spots have no say";
    if (otn.follows_load()) offer = fmt::format("fewer hosts the fuller it is ({})", of.otn);
    if (otn.compares_weights()) offer = fmt::format("every host close to the first ({})", of.otn);
    return fmt::format(
        "  VMs:       {}. {}\n  Spots:     {}. {}\n  Offer:     {}; {}.\n  Evictions: {}. {}\n",
        of.vm, summary_of(weigher_registry(), settings_.vm[at.vm].weighers.front().name), of.spot,
        summary_of(weigher_registry(), settings_.spot[at.spot].weighers.front().name), offer,
        settings_.saf[at.saf] ? "hosts with room beside their spots come first"
                              : "whether spots would have to go plays no part in the ranking",
        of.evictor, summary_of(evictor_registry(), settings_.evictors[at.evictor].name));
  }

  [[nodiscard]] std::string loss_of(std::size_t candidate) const {
    return loss_text(figures_.mean_loss(candidate, outcome_.held_out),
                     figures_.samples_over_limit(candidate, outcome_.held_out),
                     outcome_.held_out.size(), settings_.max_vm_loss);
  }

  [[nodiscard]] std::string verdict() const {
    const Spread spread = spread_of(figures_.shares(outcome_.advice, outcome_.held_out));
    std::string text = fmt::format(
        "On the held-out samples\n  spot revenue     {} of what spots request ({} to {})\n",
        percent(spread.mean), percent(spread.least), percent(spread.greatest));
    if (const auto baseline = runs_.space().baseline_of(outcome_.advice)) {
      const Spread plain = spread_of(figures_.shares(*baseline, outcome_.held_out));
      text += fmt::format("  without offers   {} ({} to {}): the same policies, OTN 1, SAF off\n",
                          percent(plain.mean), percent(plain.least), percent(plain.greatest));
    }
    text += "  VM revenue lost  " + loss_of(outcome_.advice) + "\n";
    if (outcome_.advice_for_nova && *outcome_.advice_for_nova != outcome_.advice) {
      const std::size_t nova = *outcome_.advice_for_nova;
      text += fmt::format("  in nova.conf     {}, VM revenue lost {}\n",
                          percent(figures_.mean_share(nova, outcome_.held_out)), loss_of(nova));
    }
    const std::size_t over = figures_.samples_over_limit(outcome_.advice, outcome_.held_out);
    text += limit_warning(outcome_);
    if (outcome_.keeps_limit && over > 0) {
      text += "  It kept that limit on the samples that chose, but does not on these.";
      text += careful();
    }
    return text;
  }

  /// A finalist that keeps the limit on all samples, held-out ones included.
  [[nodiscard]] std::string careful() const {
    for (const std::size_t candidate : outcome_.finalists) {
      if (figures_.samples_over_limit(candidate, outcome_.selection) > 0 ||
          figures_.samples_over_limit(candidate, outcome_.held_out) > 0) {
        continue;
      }
      return fmt::format(
          "\n  More careful: {},\n  which keeps it on all of them and earns {} on these.\n",
          figures_.short_name(candidate),
          percent(figures_.mean_share(candidate, outcome_.held_out)));
    }
    return " No finalist does.\n";
  }

  [[nodiscard]] std::string sureness() const {
    std::string text = "How sure\n";
    if (outcome_.finalists.size() == 1) return text + "  There was nothing to compare with.\n";
    std::size_t alike = 0;
    std::size_t better = 0;
    for (const std::size_t other : outcome_.finalists) {
      if (other == outcome_.advice) continue;
      const Spread ahead = spread_of(lead_over(other));
      if (ahead.mean < 0) ++better;
      const bool is_clear =
          compared_on().size() > 1 && std::abs(ahead.mean) > kClearErrors * ahead.error;
      if (!is_clear) ++alike;
    }
    const std::size_t others = outcome_.finalists.size() - 1;
    text += fmt::format(
        "  {} of the other {} earned more on the {}, whatever VMs they lost; {}\n"
        "  {} not told apart from it there (within {} standard errors).\n",
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
          "  Next: {}.\n  On the held-out sample the advice is {:+.2f} points ahead of it; one "
          "sample tells "
          "no spread.\n",
          figures_.short_name(next), 100 * ahead.mean);
    }
    const auto wins = std::ranges::count_if(leads, [](double lead) { return lead > 0; });
    return fmt::format(
        "  Next: {}.\n  On the {} the advice is {:+.2f} points ahead of it "
        "(standard error {:.2f}), ahead on {} of {}.\n",
        figures_.short_name(next), where(), 100 * ahead.mean, 100 * ahead.error, wins,
        leads.size());
  }

  /// Where the finalists are compared: with every sample choosing, none is left to judge by.
  [[nodiscard]] const std::vector<std::size_t>& compared_on() const {
    return outcome_.held_out.empty() ? outcome_.selection : outcome_.held_out;
  }
  [[nodiscard]] std::string_view where() const {
    return outcome_.held_out.empty() ? "samples that chose" : "held-out samples";
  }

  /// What the advice earns more than another on each of those samples.
  [[nodiscard]] std::vector<double> lead_over(std::size_t other) const {
    std::vector<double> leads = figures_.shares(outcome_.advice, compared_on());
    const std::vector<double> theirs = figures_.shares(other, compared_on());
    for (std::size_t i = 0; i < leads.size(); ++i) leads[i] -= theirs[i];
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
    for (const char* title : {"earned, choosing", "VM lost, choosing"}) {
      table.add_column(title);
      if (sets.size() > 1) table.add_column("held out");
    }
    std::vector<std::size_t> ascending = outcome_.front;
    std::ranges::stable_sort(ascending, {}, [&](std::size_t candidate) {
      return figures_.mean_loss(candidate, outcome_.selection);
    });
    for (const std::size_t candidate : ascending) {
      const Labels of = figures_.labels(candidate);
      std::vector<std::string> cells{of.vm, of.spot, of.evictor, of.saf == "true" ? "on" : "off",
                                     of.otn};
      for (const auto set : sets) cells.push_back(percent(figures_.mean_share(candidate, set)));
      for (const auto set : sets) cells.push_back(percent(figures_.mean_loss(candidate, set), 4));
      table.add_row(std::move(cells));
    }
    return front_heading() + table.text();
  }

  /// What the front is of: settings that were dropped before are not in it.
  [[nodiscard]] std::string front_heading() const {
    const std::size_t all = runs_.space().size();
    const std::size_t complete = outcome_.complete.size();
    std::string text =
        "The front: more spot revenue only for more VM revenue lost, on the samples that chose.\n";
    text += complete == all ? fmt::format("It is of all {}", plural(all, "setting"))
                            : fmt::format("It is of the {} that ran on every one of them (of {})",
                                          plural(complete, "setting"), all);
    if (outcome_.front.size() < outcome_.whole_front) {
      text += fmt::format("; {} of its {} points", outcome_.front.size(), outcome_.whole_front);
    }
    return text + "; of equal ones, one is shown.\n";
  }

  const TuneSettings& settings_;
  std::span<const TuneSample> samples_;
  const TuneRuns& runs_;
  TuneFigures figures_;
  const TuneOutcome& outcome_;
  std::span<const TuneOutcome> folds_;
};

}  // namespace

std::string tune_text(const TuneSettings& settings, std::span<const TuneSample> samples,
                      const TuneRuns& runs, const TuneOutcome& outcome,
                      std::span<const TuneOutcome> folds) {
  return Writer(settings, samples, runs, outcome, folds).text();
}

}  // namespace cospot
