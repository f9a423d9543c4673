#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/advise/forecast_record.hpp"
#include "sim_harness/advise/part_accounts.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/advise/vm_demand.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/demand_curve.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/parts/promise_plan.hpp"

namespace cospot {

/// The fraction of admitted economy instances that VMs may evict.
inline constexpr double kEconomyBroken = 0.01;

/// The division of idle capacity among products.
struct Division {
  double economy_percent = 0;  ///< share of the requested spots sold as economy instances
  double confidence = 0;       ///< of the promises to them; 0 if there are none

  friend bool operator==(const Division&, const Division&) = default;
};

/// The input of one run.
struct PlanTask {
  AllocatorSpec setting;  ///< sells nothing if it places no spots
  Division division{};
  std::size_t hosts = 0;
  bool promises = false;  ///< lifetimes are promised and judged, which changes nothing else
  double demand = 1;      ///< the share of the history's spots that are requested
  double more_vms = 0;    ///< the share of its VMs that are requested twice
  std::optional<HostMix> other_hosts{};  ///< instead of the datacenter's
  bool by_key = false;                   ///< also accounts for each of the datacenter's keys
  /// The first part that may judge it: the parts before found it.
  std::size_t from_part = 0;
  bool is_for_nova = false;  ///< nova.conf can express it (CandidateSpace::is_for_nova)
};

/// The results of one run over the whole history, by part of its window.
struct PlanRun : PlanTask {
  std::vector<PartAccount> parts{};
  /// Mean share of all vcpus promised to the Economy class.
  std::optional<double> promised_percent{};
  std::vector<PartAccount> by_key{};  ///< over the whole history
};

/// The requests of a history by what they share: a tenant, a flavor or a zone.
struct RequestKeys {
  std::vector<std::string> names{};
  std::vector<std::uint32_t> of_row{};  ///< indexes of names
};
/// Args: by: "tenant", "flavor" or "zone". Errors: ConfigError if no request has it, naming those
/// that some have.
[[nodiscard]] RequestKeys request_keys(const WorkloadSpec& spec, const Workload& history,
                                       const std::string& by);

/// The history, its hosts, and what its runs share.
struct PlanDatacenter {
  /// The whole history; its evictors are prepared for it.
  std::shared_ptr<const TuneSample> history{};
  EventSchedule vms{};  ///< of its VMs only
  HostMix host{};
  WindowParts parts{};
  EconomyClassSettings economy{};               ///< how promises are made
  std::optional<VmUse> vm_use{};                ///< nothing: the parts are too short for promises
  std::map<double, std::string> forecasters{};  ///< of the promises, by confidence
  /// The promises on its hosts, by confidence.
  std::map<double, std::vector<PromiseStep>> promised{};
  std::shared_ptr<const GivenParts> with{};
  std::vector<PromiseClass> classes{};
  RequestKeys keys{};  ///< empty unless asked for
};

/// Tells whether these hosts have a place for each VM and for what each request asks of its place.
[[nodiscard]] bool may_hold_all(const PlanDatacenter& datacenter, const HostMix& hosts);

[[nodiscard]] PlanRun run_plan(const PlanDatacenter& datacenter, const PlanTask& task);

/// The input of a plan.
struct PlanRequest {
  WorkloadSpec workload;
  TunedDatacenter datacenter;
  TuneSettings settings;  ///< candidates, parts of every run, the limit of VM loss, threads
  std::size_t parts = 0;  ///< 0: kDefaultTuneParts, or as many as the history has days
  PriceList prices;
  std::vector<double> economy_percents{10, 25, 50};
  std::vector<double> confidences{0.5, 0.9};  ///< of the promises to the Economy class
  std::vector<DemandPoint> demand{};          ///< demand at other prices, if known
  std::string by{};                           ///< of request_keys; empty: no breakdown
};

/// Uses of idle capacity. All but the last are chosen on the past of each part.
enum class Alternative : std::uint8_t {
  kSellNothing,
  kToday,               ///< Nova's own weighers, spots without cooperation
  kWithoutCooperation,  ///< plain spots: the best setting with OTN 1 and without SAF
  kCooperation,         ///< plain spots: the best setting with cooperation
  kPlan,                ///< the best division
  kHindsight,           ///< the best of each part in hindsight: a bound for what holds in it
};
inline constexpr std::size_t kAlternatives = 6;
[[nodiscard]] std::string_view alternative_name(Alternative alternative);

/// The results of an alternative in the parts that judged it; they had no influence on its choice.
struct JudgedAlternative {
  Alternative alternative = Alternative::kSellNothing;
  std::vector<std::size_t> chosen{};  ///< runs, by judged part
  /// Chosen on the whole history: the run to deploy from now on.
  std::size_t last = 0;
  std::vector<double> net{};  ///< by judged part, per day: Income::net
  MeanInterval mean_net{};
  double income = 0;         ///< per day, VMs included: the mean
  double vm_loss = 0;        ///< fraction of the VM revenue requested in all judged parts
  double most_vm_loss = 0;   ///< maximum over the judged parts
  double last_vm_loss = 0;   ///< of `last`, maximum over all parts
  bool is_for_nova = false;  ///< it had to choose among those, as the best exceeded the limit
  LevelAccount spots{};      ///< in the judged parts; `carried` into the first of them
  double served = 0;         ///< served_of the judged parts
  double idle = 0;           ///< fraction of the capacity that is unused
  double recovered = 0;      ///< fraction of the capacity left by VMs that is sold
  PromiseCount economy{};

  /// The maximum in the judged parts, and in all parts by the run to deploy.
  [[nodiscard]] double worst_vm_loss() const { return std::max(most_vm_loss, last_vm_loss); }
};

/// The results of a class of promised lifetimes in the parts that judged it.
struct JudgedClass {
  PromiseClass promise{};
  std::size_t parts = 0;    ///< in which it was sold because it had held before
  PromiseTally tally{};     ///< of these
  std::uint64_t spots = 0;  ///< placed in these
  bool is_sold = false;     ///< from now on
  /// By what a job gains from the promise: the extra share of a plain spot's price it may cost.
  std::optional<double> worth{};

  /// The interval of the share of broken promises.
  [[nodiscard]] ProbabilityInterval interval() const { return eviction_interval(tally.blocks); }
};

/// The results of a way to divide idle capacity, by its best setting on the whole history, per day.
struct DivisionResult {
  std::size_t run = 0;
  double economy = 0;  ///< income from Economy instances
  double spots = 0;
  double net = 0;
  double vm_loss = 0;  ///< maximum over the parts
  PromiseCount promises{};
};

/// The difference that hosts make, over the whole history.
struct AddedHosts {
  std::string type{};     ///< empty: of all types
  std::int64_t more = 0;  ///< negative: fewer
  MeanInterval gain{};    ///< of net income over the advice, per day, over all parts
};

/// An alternative assumption, and the best choice under it.
struct Sensitivity {
  std::string what;  ///< "spot price x 0.5", or "spot price 0.02, bought by 60%"
  std::string label;
  Division division{};
  double net = 0;  ///< per day, over the whole history, at these prices or on these hosts
  double vm_loss = 0;
  std::optional<AddedHosts> hosts{};  ///< if only the number of hosts is another
};

enum class PlanAdvice : std::uint8_t {
  kPlan,          ///< dividing earned more than every single alternative; the interval is above 0
  kSingle,        ///< it did not: sell as the best single alternative does
  kNothingHolds,  ///< nothing that can be sold keeps the limit of VM loss
};

/// The complete result of a plan.
struct PlanFindings {
  WorkloadSpec workload;
  PlanDatacenter datacenter;
  VcpuHourPrices prices;  ///< per unit of the workload's vcpus
  std::string currency{};
  std::optional<double> host_cost{};  ///< of a host, per day
  bool sells_economy = false;
  double max_vm_loss = 0;
  std::vector<PlanRun> runs;
  std::size_t today = 0;                    ///< the run of Nova as it is installed
  std::map<std::size_t, PlanRun> promised;  ///< the chosen ones, rerun with promised lifetimes
  std::vector<JudgedAlternative> alternatives;
  std::vector<JudgedClass> classes;
  std::vector<DivisionResult> divisions;  ///< none first; empty if nothing can be divided
  std::vector<Sensitivity> sensitivities;
  std::string by{};  ///< what the requests of `breakdown` share
  /// The accounts of the run to deploy, by name, those that request most spots first.
  std::vector<std::pair<std::string, PartAccount>> breakdown{};
  Alternative best_single = Alternative::kSellNothing;
  MeanInterval gain{};  ///< of the plan over it, per day, paired by part
  /// The best single alternative other than the recommended one, and the recommended one's lead.
  Alternative next_best = Alternative::kSellNothing;
  MeanInterval lead{};
  /// The recommended one's net income of the next part, per day, and its lead in it.
  ForecastRecord income_forecast{};
  ForecastRecord lead_forecast{};
  VmDemand demand{};
  PlanAdvice advice = PlanAdvice::kSingle;
  Alternative advised = Alternative::kSellNothing;
  std::vector<std::string> notes;  ///< what this history cannot answer, and what data would

  [[nodiscard]] const JudgedAlternative& of(Alternative alternative) const {
    return alternatives[static_cast<std::size_t>(alternative)];
  }
  [[nodiscard]] const PlanRun& set_from_now_on() const { return runs[of(advised).last]; }
  [[nodiscard]] double days(std::size_t parts = 1) const;
  /// The number of parts before the first judged one.
  [[nodiscard]] std::size_t past() const { return past_parts(datacenter.parts.count); }
  [[nodiscard]] std::size_t judged_parts() const { return datacenter.parts.count - past(); }
};

/// Learns from earlier parts and judges on later ones. Calls `warn` once, before the first run.
///
/// Errors: ConfigError, WorkloadError, PolicyError.
[[nodiscard]] PlanFindings make_plan(const PlanRequest& request, ProgressSink& progress,
                                     const WarningSink& warn);

/// Loads the history into the findings, with what its runs share and what it cannot answer. Returns
/// its samples, by which settings are found.
[[nodiscard]] std::shared_ptr<const TuneSamples> load_history(const PlanRequest& request,
                                                              PlanFindings& findings,
                                                              const WarningSink& warn);

/// Judges every alternative on the parts after those that chose it.
void judge_alternatives(PlanFindings& findings);

/// Decides by the alternatives' results in the judged parts; sets `best_single`, `gain`, `advice`,
/// `advised`, `next_best` and `lead`.
///
/// Dividing binds a provider for as long as its promises run, so it is recommended only if its lead
/// over the best single alternative has an interval above 0.
void advise(PlanFindings& findings);

/// Forecasts the next part by the recommendation; sets `income_forecast` and `lead_forecast`.
void forecast_next(PlanFindings& findings);

/// Judges every class of promised lifetimes by the `promised` runs, on the parts in which it was
/// sold: because it had held in all parts before.
void judge_classes(PlanFindings& findings);

/// The income of each division: by the better of the settings with which it was tried.
void compare_divisions(PlanFindings& findings, std::span<const Division> divisions);

/// The runs that sell something undivided and can be deployed, the best on the parts that never
/// judge first; `count` at most.
[[nodiscard]] std::vector<std::size_t> best_before_judging(const PlanFindings& findings,
                                                           std::size_t count);

/// The net income of a run in each of its first parts, per day.
[[nodiscard]] std::vector<double> net_per_day(const PlanFindings& findings, const PlanRun& run,
                                              const VcpuHourPrices& prices, std::size_t parts);

/// The best of all runs at some prices, divided only if that surely earns more.
[[nodiscard]] std::size_t best_at(const PlanFindings& findings, const VcpuHourPrices& prices);

/// The decision in sentences: what to do, its forecast and record, its value so far, its risk.
[[nodiscard]] std::vector<std::string> decision_of(const PlanFindings& findings);
/// The use of a part's capacity by a run, as fractions of its vcpu-time.
struct CapacityShares {
  double vms = 0;
  double economy = 0;
  double spots = 0;

  [[nodiscard]] double idle() const { return 1 - vms - economy - spots; }
};
[[nodiscard]] CapacityShares capacity_shares(const PlanFindings& findings, const PlanRun& run,
                                             std::size_t part);

enum class PlanDetail : std::uint8_t {
  kBrief,  ///< the decision, the judged parts, and the promises that can or nearly can be sold
  kPage,   ///< and the other tables
  kAll,    ///< and every promise
};
/// The breakdown as text and as JSON: the first `most` rows, and the sum of the others.
[[nodiscard]] SummaryTable breakdown_table(const PlanFindings& findings, std::size_t most);
/// The output of `cospot plan`.
[[nodiscard]] SummaryText plan_text(const PlanFindings& findings, PlanDetail detail);
/// The same as one object; docs/json.md describes its keys.
[[nodiscard]] Json plan_json(const PlanFindings& findings);

[[nodiscard]] std::string_view verdict_name(PromiseVerdict verdict);

/// The settings to deploy, as a study file: `cospot compare` repeats the whole history with them
/// and gets the same numbers. Its comments contain the decision and the promised lifetimes to sell,
/// which `cospot-nova plan` reads.
///
/// Args: folder: the file's folder; paths are relative to it.
[[nodiscard]] std::string plan_yaml(const PlanFindings& findings, const StudyFileWords& words,
                                    const std::filesystem::path& folder);

}  // namespace cospot
