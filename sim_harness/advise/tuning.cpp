#include "sim_harness/advise/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "guarantees/predictor_file.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

constexpr std::size_t kDefaultFolds = 10;
/// Offers that narrow as the datacenter fills.
constexpr const char* kWide = "adaptive:at_low_load=32:at_high_load=1:from=0.9:to=0.97";
constexpr const char* kWidest = "adaptive:at_low_load=64:at_high_load=1:from=0.93:to=0.97";

template <class Plugin>
std::vector<std::string> candidates(std::span<const RegistryEntry<Plugin>> registry,
                                    TuneChoice choice) {
  return names_where(registry,
                     [choice](const PluginInfo& info) { return info.tune_choice == choice; });
}

/// Lifetime models by their kind, of which `files` have one each.
std::map<KnownLifetimes, std::string> models_by_kind(const std::vector<std::string>& files,
                                                     const std::string& dashes) {
  std::map<KnownLifetimes, std::string> models;
  for (const std::string& file : files) {
    const auto [found, is_new] = models.emplace(
        model_kind(find_model(file, std::filesystem::current_path()).string()), file);
    if (is_new) continue;
    throw ConfigError(fmt::format("{}model: {} and {} are models of one kind, expected one of each",
                                  dashes, found->second, file));
  }
  return models;
}

EvictorSpec evictor_spec(const std::string& name,
                         const std::map<KnownLifetimes, std::string>& models) {
  EvictorSpec spec{.label = name, .name = name};
  const PluginInfo* info = find_info(evictor_registry(), name);
  if (info != nullptr && models.contains(info->lifetimes)) {
    spec.options["model"] = models.at(info->lifetimes);
  }
  make_shared_evictor(spec, std::filesystem::current_path());
  return spec;
}

/// The chain of a spot policy that takes only spots whose lifetime it can promise.
ChainSpec promising_chain(const std::string& policy, const std::string& target,
                          const std::string& dashes, PolicyLoader& loader) {
  const std::string chain = fmt::format(
      "[{{label: \"{0} promises {1}\", filters: [{{name: LifetimeSla, target: {1}}}], weighers: "
      "[\"{0}\"]}}]",
      policy, target);
  return read_chains(parse_yaml(chain, dashes + "promise " + target), "spot", loader).front();
}

/// The price of each workload's vCPU-hour. Before the work, not after it: a flavor may have no
/// price.
std::vector<VcpuHourPrices> prices_of(const TuneRequest& request) {
  std::vector<VcpuHourPrices> prices;
  if (!request.prices) return prices;
  for (const WorkloadSpec& spec : request.workloads) {
    prices.push_back(request.prices->of(load_workload(spec), vcpus_unit_of(spec)));
  }
  return prices;
}

TuneSamples load(const TuneRequest& request, std::span<const VcpuHourPrices> prices,
                 const WarningSink& warn) {
  TuneSamples made =
      make_samples(request.workloads, request.datacenter, request.settings, request.parts);
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    made.samples[i].vm_worth =
        prices.empty() ? request.vm_worth : vm_worth_of(prices[made.whole ? 0 : i]);
  }
  warn(sample_warnings(made));
  return made;
}

/// The uses of the samples that judge; none: half of the samples judge instead.
std::vector<SampleUse> judging_uses(const TuneRequest& request, std::size_t samples) {
  if (request.workloads.size() == 1) {
    if (request.folds) {
      throw ConfigError(
          "--folds: the parts of one workload judge forward in time, each what all before it "
          "choose; expected several workloads");
    }
    return request.settings.budget ? std::vector<SampleUse>{} : forward_in_time(samples);
  }
  const std::size_t folds =
      request.folds.value_or(request.settings.budget ? 1 : std::min(kDefaultFolds, samples));
  return folds == 1 ? std::vector<SampleUse>{} : draw_folds(samples, folds, request.settings.seed);
}

/// The halves of a search that judges itself; of one history the second.
SampleUse halves(const TuneRequest& request, std::size_t samples) {
  if (request.workloads.size() != 1) return draw_halves(samples, request.settings.seed);
  SampleUse use = use_all(samples);
  const auto middle = use.selection.begin() + static_cast<std::ptrdiff_t>(samples - samples / 2);
  use.held_out.assign(middle, use.selection.end());
  use.selection.erase(middle, use.selection.end());
  return use;
}

/// One search over all samples, and those that judge if any.
std::pair<TuneOutcome, std::vector<TuneOutcome>> search(const TuneRequest& request,
                                                        std::size_t samples, TuneRuns& runs) {
  std::vector<TuneOutcome> judged;
  for (const SampleUse& use : judging_uses(request, samples)) judged.push_back(tune(use, runs));
  const SampleUse use = judged.empty() ? halves(request, samples) : use_all(samples);
  return {tune(use, runs), std::move(judged)};
}

/// Judges one choice of each search.
TuneVerdict judge_choice(JudgedChoice choice, const TuneRuns& runs, const TuneOutcome& outcome,
                         std::span<const TuneOutcome> judged) {
  const auto pick = [choice](const TuneOutcome& one) { return judged_setting(choice, one); };
  const HeldOutFigures figures = runs.figures(*judged_runs(judged, pick));
  TuneVerdict verdict{.choice = choice,
                      .searches = judged.size(),
                      .validated = figures.nets.size(),
                      .over_limit = figures.over_limit};
  for (const TuneOutcome& one : judged) verdict.chose_it += pick(one) == pick(outcome) ? 1 : 0;
  for (const double lost : figures.losses) verdict.most_lost = std::max(verdict.most_lost, lost);
  const auto without = judged_runs(judged, &TuneOutcome::without_cooperation);
  if (!without || !outcome.without_cooperation) return verdict;
  const HeldOutFigures others = runs.figures(*without);
  verdict.over_limit_without = others.over_limit;
  verdict.gain = gain_over(figures, others);
  // An unsure gain costs nothing to try where no VM is lost.
  verdict.advice = verdict.over_limit > 0 || !outcome.keeps_limit ? TuneAdvice::kKeepForLimit
                   : verdict.gain.mean > 0                        ? TuneAdvice::kCooperate
                                                                  : TuneAdvice::kKeepForGain;
  return verdict;
}

/// The incomes of such runs; nothing without runs.
std::optional<std::vector<Income>> incomes_of(const std::optional<JudgedRuns>& runs,
                                              const TuneFindings& findings,
                                              std::span<const VcpuHourPrices> prices) {
  if (!runs) return std::nullopt;
  std::vector<Income> incomes;
  for (const auto& [candidate, sample] : *runs) {
    incomes.push_back(findings.runs.income(candidate, sample, prices[findings.whole ? 0 : sample]));
  }
  return incomes;
}

/// The forecast of the gain of a choice over no cooperation, by the parts of one history.
ForecastRecord forecast_gain(const TuneFindings& findings, JudgedChoice choice,
                             const VcpuHourPrices& prices) {
  const auto gains = [&](const TuneOutcome& search, std::size_t parts) {
    std::vector<double> made;
    for (std::size_t part = 0; part < parts; ++part) {
      const Income with = findings.runs.income(*judged_setting(choice, search), part, prices);
      const Income without = findings.runs.income(*search.without_cooperation, part, prices);
      made.push_back((with.net() - without.net()) / with.days);
    }
    return made;
  };
  std::vector<std::vector<double>> judged;
  for (const TuneOutcome& search : findings.folds) {
    judged.push_back(gains(search, search.held_out.front() + 1));
  }
  return forecast_record(judged, gains(findings.outcome, findings.samples.size()),
                         days_of(findings.whole->part));
}

TuneMoney money_of(const TuneFindings& findings, std::span<const VcpuHourPrices> prices) {
  const auto made_by = [&](const auto& pick) {
    return incomes_of(judged_runs(findings.judged(), pick), findings, prices);
  };
  const TuneVerdict& verdict = findings.verdict;
  const auto recommended =
      made_by([&](const TuneOutcome& of) { return std::optional(advised(verdict, of)); });
  const auto without = made_by(&TuneOutcome::without_cooperation);
  TuneMoney money{.currency = findings.request.prices->currency};
  for (const Income& one : *recommended) money.recommended += one;
  if (without) {
    money.without_cooperation.emplace();
    for (const Income& one : *without) *money.without_cooperation += one;
  }
  if (verdict.advice == TuneAdvice::kNotCompared) return money;
  const auto judged =
      made_by([&](const TuneOutcome& of) { return judged_setting(verdict.choice, of); });
  if (!judged || !without) return money;
  money.gain_per_month = gain_per_month(*judged, *without);
  if (findings.whole && !findings.folds.empty() && findings.outcome.without_cooperation) {
    money.next_gain = forecast_gain(findings, verdict.choice, prices.front());
  }
  return money;
}

/// Tests if cooperation pays with more hosts; stops at the first number with which it does.
std::vector<MoreHosts> try_more_hosts(const TuneRequest& request, const TuneSamples& made,
                                      ProgressSink& progress) {
  static constexpr std::array kMorePercent{5.0, 10.0, 20.0};
  const TuneSettings& settings = request.settings;
  std::vector<MoreHosts> tried;
  for (const double percent : kMorePercent) {
    TuneRuns runs(settings, made.samples, request.datacenter.host, percent, &progress);
    const std::size_t hosts = runs.hosts(0);
    const std::size_t added = hosts - made.samples.front().hosts;
    if (added == 0 || (!tried.empty() && tried.back().added == added)) continue;
    const auto [outcome, folds] = search(request, made.samples.size(), runs);
    const TuneFindings findings{request, made.samples, runs, outcome, folds, made.whole};
    tried.push_back({.percent = percent,
                     .hosts = hosts,
                     .added = added,
                     .setting = runs.space().at(outcome.recommendation).label(),
                     .verdict = judge(runs, outcome, findings.judged())});
    if (tried.back().verdict.advice == TuneAdvice::kCooperate) break;
  }
  return tried;
}

}  // namespace

TuneCandidates::TuneCandidates()
    : vm(candidates(weigher_registry(), TuneChoice::kVm)),
      spot(candidates(weigher_registry(), TuneChoice::kSpot)),
      evictor(candidates(evictor_registry(), TuneChoice::kEvictor)),
      otn{"1", "2", "4", "8", "16", "32", "epsilon-0.2", "epsilon-0.7", kWide, kWidest} {}

void require_distinct(const std::vector<std::string>& values, std::string_view option) {
  std::set<std::string> seen;
  for (const std::string& value : values) {
    if (seen.insert(value).second) continue;
    throw ConfigError(fmt::format("{}: {} is given twice", option, value));
  }
}

void add_candidates(const TuneCandidates& candidates, PolicyLoader& loader,
                    TuneSettings& settings) {
  const std::string& dashes = candidates.dashes;
  require_distinct(candidates.promises, dashes + "promise");
  const auto add = [&dashes](std::string_view option, const std::vector<std::string>& values,
                             auto& settings_of, const auto& read) {
    require_distinct(values, fmt::format("{}{}", dashes, option));
    try {
      for (const std::string& value : values) settings_of.push_back(read(value));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}{}: {}", dashes, option, error.what()));
    }
  };
  const auto chain = [&loader](const std::string& name) { return load_chain(name, loader); };
  add("vm", candidates.vm, settings.vm, chain);
  add("spot", candidates.spot, settings.spot, chain);
  for (const std::string& target : candidates.promises) {
    for (const std::string& name : candidates.spot) {
      settings.spot.push_back(promising_chain(name, target, dashes, loader));
    }
  }
  const std::map<KnownLifetimes, std::string> models = models_by_kind(candidates.models, dashes);
  add("evictor", candidates.evictor, settings.evictors,
      [&models](const std::string& name) { return evictor_spec(name, models); });
  add("otn", candidates.otn, settings.otn, &OfferRule::parse);
  require_something_to_set(settings);
}

TunedDatacenter tuned_datacenter(HostMix host, std::optional<std::size_t> hosts,
                                 std::optional<double> headroom_percent,
                                 const std::string& dashes) {
  if (hosts && *hosts < host.least_hosts()) {
    throw ConfigError(fmt::format(
        "{0}hosts: found {1}, expected at least the {2} that {0}host names: only hosts of the "
        "type {3} are added",
        dashes, *hosts, host.declared(), host.added_type()));
  }
  Headroom size{.percent = headroom_percent.value_or(kDefaultTuneHeadroomPercent)};
  if (!hosts && !headroom_percent && host.declared() > 0) hosts = host.declared();
  if (hosts) size = {.percent = {}, .hosts = *hosts};
  return {.host = std::move(host), .size = size};
}

TuneVerdict judge(const TuneRuns& runs, const TuneOutcome& outcome,
                  std::span<const TuneOutcome> judged) {
  TuneVerdict best = judge_choice(JudgedChoice::kBest, runs, outcome, judged);
  const bool has_plainer =
      outcome.recommendation_for_nova && std::ranges::all_of(judged, [](const TuneOutcome& one) {
        return one.recommendation_for_nova.has_value();
      });
  if (best.cooperates() || !has_plainer) return best;
  TuneVerdict plainer = judge_choice(JudgedChoice::kForNova, runs, outcome, judged);
  if (!plainer.cooperates()) return best;
  plainer.over_limit_of_best = best.over_limit;
  return plainer;
}

std::optional<std::size_t> judged_setting(JudgedChoice choice, const TuneOutcome& outcome) {
  return choice == JudgedChoice::kBest ? outcome.recommendation : outcome.recommendation_for_nova;
}

std::size_t advised(const TuneVerdict& verdict, const TuneOutcome& outcome) {
  return verdict.cooperates() ? *judged_setting(verdict.choice, outcome)
                              : *outcome.without_cooperation;
}

std::optional<std::size_t> advised_for_nova(const TuneVerdict& verdict,
                                            const TuneOutcome& outcome) {
  return verdict.cooperates() ? outcome.recommendation_for_nova
                              : outcome.without_cooperation_for_nova;
}

Tuning::Tuning(TuneRequest request, ProgressSink& progress, const WarningSink& warn)
    : request_(std::move(request)),
      prices_(prices_of(request_)),
      made_(load(request_, prices_, warn)),
      runs_(request_.settings, made_.samples, request_.datacenter.host, 0, &progress) {
  std::tie(outcome_, folds_) = search(request_, made_.samples.size(), runs_);
  verdict_ = judge(runs_, outcome_, findings().judged());
  if (!verdict_.cooperates()) tried_ = try_more_hosts(request_, made_, progress);
  runs_.finish();
  if (request_.prices) money_ = money_of(findings(), prices_);
}

TuneFindings Tuning::findings() const {
  return {request_, made_.samples, runs_, outcome_, folds_, made_.whole, verdict_, tried_, money_};
}

}  // namespace cospot
