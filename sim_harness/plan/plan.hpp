#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/prices/demand_curve.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/plan/plan_runs.hpp"
#include "sim_harness/tune/tuning.hpp"

namespace cospot {

/// Settings are chosen on so many parts at least, before the first one that judges.
inline constexpr std::size_t kPastParts = 2;
inline constexpr std::size_t kDefaultPlanParts = 7;
/// Of the economy instances that were admitted: so many may be evicted by VMs.
inline constexpr double kEconomyBroken = 0.01;

/// What is planned.
struct PlanRequest {
  WorkloadSpec workload;
  TunedDatacenter datacenter;
  TuneSettings settings;  ///< candidates, what every run has beside, the limit of VM loss, threads
  std::size_t parts = 0;  ///< 0: kDefaultPlanParts, or as many as the history has days
  PriceList prices;
  std::vector<double> economy_percents{10, 25, 50};
  std::vector<double> confidences{0.5, 0.9};  ///< of what is promised to the Economy class
  std::vector<DemandPoint> demand{};          ///< how much is bought at other prices, if known
};

/// What can be done with idle capacity. All but the last are chosen on the past of each part.
enum class Alternative : std::uint8_t {
  kSellNothing,
  kToday,               ///< Nova's own weighers, spots without cooperation
  kWithoutCooperation,  ///< plain spots: the best setting with OTN 1 and without SAF
  kCooperation,         ///< plain spots: the best setting
  kPlan,                ///< the best division of all
  kHindsight,           ///< the best of each part, known afterwards: an upper bound
};
inline constexpr std::size_t kAlternatives = 6;
[[nodiscard]] std::string_view alternative_name(Alternative alternative);

/// What an alternative came to in the parts that judged it, which played no part in its choice.
struct JudgedAlternative {
  Alternative alternative = Alternative::kSellNothing;
  std::vector<std::size_t> chosen{};  ///< runs, by judged part
  std::size_t last = 0;               ///< chosen on the whole history: the run to set from now on
  std::vector<double> net{};          ///< by judged part, a day: net_income_of
  MeanInterval mean_net{};
  double income = 0;        ///< a day, VMs included: the mean
  double vm_loss = 0;       ///< of what VMs requested in all judged parts
  double most_vm_loss = 0;  ///< of a part
  std::uint64_t evictions = 0;
  double idle = 0;       ///< of the capacity: used by nobody
  double recovered = 0;  ///< of what VMs leave: sold
  PromiseCount economy{};
};

/// A class of promised lifetimes in the parts that judged it.
struct JudgedClass {
  PromiseClass promise{};
  std::size_t parts = 0;  ///< in which it was sold, because it held before
  PromiseTally tally{};   ///< of these
  bool is_sold = false;   ///< from now on
  /// By what a job gains from it: the share more than for a plain spot that it could cost.
  std::optional<double> worth{};
};

/// What would change the choice.
struct Sensitivity {
  std::string what;  ///< "spot price x 0.5", or "spot price 0.02, bought by 60%"
  std::string label;
  Division division{};
  double net = 0;  ///< a day, of the whole history, at these prices or on these hosts
  double vm_loss = 0;
};

enum class PlanAdvice : std::uint8_t {
  kPlan,          ///< dividing earned more than each single alternative, by an interval above 0
  kSingle,        ///< it did not: sell as the best single alternative does
  kNothingHolds,  ///< nothing that is sold keeps the limit of VM loss
};

/// Everything that a plan says.
struct PlanFindings {
  WorkloadSpec workload;
  PlanDatacenter datacenter;
  VcpuHourPrices prices;  ///< of one of the workload's vcpus
  bool sells_economy = false;
  double max_vm_loss = 0;
  std::vector<PlanRun> runs;
  std::map<std::size_t, PlanRun> promised;  ///< those that the plan chose, with lifetimes promised
  std::vector<JudgedAlternative> alternatives;
  std::vector<JudgedClass> classes;
  std::vector<Sensitivity> sensitivities;
  Alternative best_single = Alternative::kSellNothing;
  MeanInterval gain{};  ///< of the plan over it, a day, paired by part
  /// The best of the single alternatives beside the one that is advised, and what that earned more.
  Alternative next_best = Alternative::kSellNothing;
  MeanInterval lead{};
  PlanAdvice advice = PlanAdvice::kSingle;
  Alternative advised = Alternative::kSellNothing;
  std::vector<std::string> notes;  ///< what this history cannot say, and what would be needed

  [[nodiscard]] const JudgedAlternative& of(Alternative alternative) const {
    return alternatives[static_cast<std::size_t>(alternative)];
  }
  [[nodiscard]] const PlanRun& set_from_now_on() const { return runs[of(advised).last]; }
  [[nodiscard]] double days(std::size_t parts = 1) const;
  [[nodiscard]] std::size_t judged_parts() const { return datacenter.parts.count - kPastParts; }
};

/// The policies and offers that are tried unless somebody says otherwise.
[[nodiscard]] TuneCandidates plan_candidates();

/// Learns and judges in time. `warn` is called once, before the first run.
///
/// Errors: ConfigError, WorkloadError, PolicyError.
[[nodiscard]] PlanFindings make_plan(
    const PlanRequest& request, ProgressSink& progress,
    const std::function<void(const std::vector<std::string>&)>& warn);

/// What all instances earn at these prices.
[[nodiscard]] double income_of(const PartAccount& part, const VcpuHourPrices& prices);
/// What idle capacity earns, less what VMs lose.
[[nodiscard]] double net_income_of(const PartAccount& part, const VcpuHourPrices& prices);
/// Of what VMs requested.
[[nodiscard]] double vm_loss_of(const PartAccount& part);

}  // namespace cospot
