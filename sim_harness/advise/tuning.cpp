#include "sim_harness/advise/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "guarantees/predictor_file.hpp"
#include "sim_harness/advise/tune_figures.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

constexpr std::size_t kDefaultFolds = 10;

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

OfferRule read_offer(const std::string& label, const std::string& dashes) {
  try {
    return OfferRule::parse(label);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}otn: {}", dashes, error.what()));
  }
}

}  // namespace

TuneCandidates::TuneCandidates()
    : vm(candidates(weigher_registry(), TuneChoice::kVm)),
      spot(candidates(weigher_registry(), TuneChoice::kSpot)),
      evictor(candidates(evictor_registry(), TuneChoice::kEvictor)),
      otn{"1",
          "2",
          "4",
          "8",
          "16",
          "32",
          "epsilon-0.2",
          "epsilon-0.7",
          "adaptive:at_low_load=32:at_high_load=1:from=0.9:to=0.97",
          "adaptive:at_low_load=64:at_high_load=1:from=0.93:to=0.97"} {}

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
  require_distinct(candidates.vm, dashes + "vm");
  require_distinct(candidates.spot, dashes + "spot");
  require_distinct(candidates.evictor, dashes + "evictor");
  require_distinct(candidates.otn, dashes + "otn");
  require_distinct(candidates.promises, dashes + "promise");
  const auto named = [&dashes](std::string_view option, const auto& read) {
    try {
      return read();
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}{}: {}", dashes, option, error.what()));
    }
  };
  for (const std::string& name : candidates.vm) {
    settings.vm.push_back(named("vm", [&] { return load_chain(name, loader); }));
  }
  for (const std::string& name : candidates.spot) {
    settings.spot.push_back(named("spot", [&] { return load_chain(name, loader); }));
  }
  for (const std::string& target : candidates.promises) {
    for (const std::string& name : candidates.spot) {
      settings.spot.push_back(promising_chain(name, target, dashes, loader));
    }
  }
  const std::map<KnownLifetimes, std::string> models = models_by_kind(candidates.models, dashes);
  for (const std::string& name : candidates.evictor) {
    settings.evictors.push_back(named("evictor", [&] { return evictor_spec(name, models); }));
  }
  for (const std::string& label : candidates.otn) {
    settings.otn.push_back(read_offer(label, dashes));
  }
  require_something_to_set(settings);
}

TunedDatacenter tuned_datacenter(HostMix host, std::optional<std::size_t> hosts,
                                 std::optional<double> headroom_percent,
                                 const std::string& dashes) {
  if (hosts) {
    if (*hosts < host.least_hosts()) {
      throw ConfigError(fmt::format(
          "{0}hosts: found {1}, expected at least the {2} that {0}host names: only hosts of the "
          "type {3} are added",
          dashes, *hosts, host.declared(), host.added_type()));
    }
    return {.host = std::move(host), .size = {.percent = {}, .hosts = *hosts}};
  }
  const std::size_t declared = host.declared();
  if (declared > 0 && !headroom_percent) {
    return {.host = std::move(host), .size = {.percent = {}, .hosts = declared}};
  }
  return {.host = std::move(host),
          .size = {.percent = headroom_percent.value_or(kDefaultTuneHeadroomPercent)}};
}

Tuning::Tuning(TuneRequest request, ProgressSink& progress,
               const std::function<void(const std::vector<std::string>&)>& warn)
    : request_(std::move(request)),
      made_(load(warn)),
      runs_(request_.settings, made_.samples, request_.datacenter.host, 0, &progress),
      found_(search(runs_)) {
  verdict_ = judge(request_.settings, runs_, found_.outcome, findings().judged());
  if (!verdict_.cooperates()) tried_ = try_more_hosts(progress);
  runs_.finish();
}

TuneFindings Tuning::findings() const {
  return {request_.settings, made_.samples, runs_,    found_.outcome,
          found_.folds,      made_.whole,   verdict_, tried_};
}

TuneSamples Tuning::load(const std::function<void(const std::vector<std::string>&)>& warn) const {
  const TuneSettings& settings = request_.settings;
  TuneSamples made = make_samples(request_.workloads, request_.datacenter, settings.vm,
                                  settings.evictors, request_.parts);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    TuneSample& sample = made.samples[i];
    if (!request_.vm_worth.empty()) sample.vm_worth = request_.vm_worth[made.whole ? 0 : i];
    warnings.insert(warnings.end(), sample.warnings.begin(), sample.warnings.end());
  }
  const std::vector<std::string> of_samples = sample_warnings(made);
  warnings.insert(warnings.end(), of_samples.begin(), of_samples.end());
  warn(warnings);
  return made;
}

std::size_t Tuning::number_of_folds() const {
  if (request_.folds) return *request_.folds;
  if (request_.settings.budget) return 1;
  const std::size_t samples = made_.samples.size();
  return request_.workloads.size() == 1 ? samples : std::min(kDefaultFolds, samples);
}

Tuning::Searches Tuning::search(TuneRuns& runs) const {
  const TuneSettings& settings = request_.settings;
  const std::size_t samples = made_.samples.size();
  Searches made;
  std::vector<bool> held_out(samples, false);
  if (const std::size_t count = number_of_folds(); count > 1) {
    made.folds = cross_validate(settings, draw_folds(samples, count, settings.seed), runs);
  } else {
    held_out = draw_held_out(samples, settings.seed);
  }
  made.outcome = tune(settings, held_out, runs);
  return made;
}

std::vector<MoreHosts> Tuning::try_more_hosts(ProgressSink& progress) const {
  static constexpr std::array kMorePercent{5.0, 10.0, 20.0};
  const TuneSettings& settings = request_.settings;
  std::vector<MoreHosts> tried;
  for (const double percent : kMorePercent) {
    TuneRuns runs(settings, made_.samples, request_.datacenter.host, percent, &progress);
    const std::size_t hosts = runs.hosts(0);
    const std::size_t added = hosts - made_.samples.front().hosts;
    if (added == 0 || (!tried.empty() && tried.back().added == added)) continue;
    const Searches found = search(runs);
    const TuneFindings findings{settings,      made_.samples, runs,
                                found.outcome, found.folds,   made_.whole};
    tried.push_back({.percent = percent,
                     .hosts = hosts,
                     .added = added,
                     .setting = runs.space().at(found.outcome.recommendation).label(),
                     .verdict = judge(settings, runs, found.outcome, findings.judged())});
    if (tried.back().verdict.advice == TuneAdvice::kCooperate) break;
  }
  return tried;
}

}  // namespace cospot
