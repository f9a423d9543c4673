#include "sim_harness/advise/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"
#include "sim_harness/advise/plan_advice.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {
namespace {

using Chosen = std::vector<std::size_t>;

constexpr std::array kPromisedHours{1, 4, 12, 24, 72, 168};
constexpr std::array kBroken{0.1, 0.05, 0.01};
constexpr double kCheckpointHours = 1.0 / 6;

/// The number of settings of each kind that are tried on the whole history, after one look at its
/// first parts.
constexpr std::size_t kMostSettings = 16;
constexpr std::size_t kMostWithoutCooperation = 6;
constexpr std::size_t kMostBounds = 4;
/// Settings with which divisions are tried.
constexpr std::size_t kMostDivided = 2;

/// Nova as it is installed: the weighers that spread by default, the oldest spots go first.
AllocatorSpec setting_of_today() {
  ChainSpec nova{
      .label = "Nova",
      .weighers = {{.name = "RAMWeigher"}, {.name = "CPUWeigher"}, {.name = "DiskWeigher"}}};
  return {.vm = nova, .spot = nova, .evictor = {.label = "FIFO", .name = "FIFO"}};
}

/// The candidates worth a run of the whole history, by one look at its first parts: those that lose
/// least and earn most, and some of the ones without cooperation and of the bounds in any case.
std::vector<std::size_t> worth_a_run(const TuneSettings& settings, const TuneRuns& looks) {
  const CandidateSpace& space = looks.space();
  std::vector<std::size_t> ranked(space.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::ranges::stable_sort(ranked, {}, [&](std::size_t candidate) {
    const double loss = looks.point(candidate, 0).vm_loss;
    return std::tuple(loss > settings.max_vm_loss, -looks.net(candidate, 0));
  });
  std::array<std::size_t, 3> left{kMostWithoutCooperation, kMostSettings, kMostBounds};
  std::array<std::vector<std::size_t>, 3> kept;
  for (const std::size_t candidate : ranked) {
    const bool is_alone = space.baseline_of(candidate) == candidate;
    const std::size_t kind = space.is_bound(candidate) ? 2 : is_alone ? 0 : 1;
    if (left[kind] == 0) continue;
    --left[kind];
    kept[kind].push_back(candidate);
  }
  std::vector<std::size_t> all;
  for (const auto& of_kind : kept) all.insert(all.end(), of_kind.begin(), of_kind.end());
  return all;
}

/// Evicted instances that were admitted before the parts that are counted count as admitted, too.
PromiseCount with_earlier(PromiseCount economy) {
  economy.promised = std::max(economy.promised, economy.broken);
  return economy;
}

/// Chooses among runs by some parts, with the rule that is the same everywhere: the most income of
/// those that keep the limit of VM loss in each part and the promise of the Economy class in all;
/// where none does, the least loss.
class Chooser {
 public:
  Chooser(std::span<const PlanRun> runs, const VcpuHourPrices& prices, double max_vm_loss)
      : runs_(runs), prices_(prices), max_vm_loss_(max_vm_loss) {}

  struct Past {
    double net = 0;
    double most_vm_loss = 0;
    PromiseCount economy{};
  };

  [[nodiscard]] Past past(std::size_t run, std::size_t from, std::size_t to) const {
    Past sum;
    for (std::size_t part = from; part < to; ++part) {
      const PartAccount& account = runs_[run].parts[part];
      sum.net += income_of(account, prices_).net();
      sum.most_vm_loss = std::max(sum.most_vm_loss, vm_loss_of(account));
      sum.economy.promised += account.of(Level::kEconomy).placed;
      sum.economy.broken += account.of(Level::kEconomy).evictions;
    }
    sum.economy = with_earlier(sum.economy);
    return sum;
  }

  [[nodiscard]] bool holds(const Past& past) const {
    return past.most_vm_loss <= max_vm_loss_ &&
           verdict_of(past.economy, kEconomyBroken) != PromiseVerdict::kBroken;
  }

  [[nodiscard]] std::size_t best(const Chosen& of, std::size_t from, std::size_t to) const {
    return *std::ranges::min_element(of, {}, [&](std::size_t run) {
      const Past seen = past(run, from, to);
      const bool is_fit = holds(seen);
      return std::tuple(!is_fit, is_fit ? 0.0 : seen.most_vm_loss, -seen.net);
    });
  }

 private:
  std::span<const PlanRun> runs_;
  VcpuHourPrices prices_;
  double max_vm_loss_;
};

/// The runs that each alternative may choose.
std::array<Chosen, kAlternatives> choices(std::span<const PlanRun> runs, std::size_t today) {
  std::array<Chosen, kAlternatives> all;
  const auto add = [&](Alternative alternative, std::size_t run) {
    all[static_cast<std::size_t>(alternative)].push_back(run);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const AllocatorSpec& setting = runs[i].setting;
    const bool is_nothing = setting.places_no_spots();
    add(Alternative::kHindsight, i);
    if (needs_true_lifetimes(setting)) continue;
    if (i == today) add(Alternative::kToday, i);
    add(Alternative::kPlan, i);
    const bool is_plain = !is_nothing && runs[i].division == Division{};
    if (is_nothing) add(Alternative::kSellNothing, i);
    if (!is_plain) continue;
    add(setting.cooperates() ? Alternative::kCooperation : Alternative::kWithoutCooperation, i);
  }
  return all;
}

class PlanMaker {
 public:
  PlanMaker(const PlanRequest& request, ProgressSink& progress)
      : request_(request), counter_(&progress, 0) {}

  PlanFindings make(const std::function<void(const std::vector<std::string>&)>& warn) {
    load(warn);
    look_at_settings();
    simulate_settings();
    simulate_divisions();
    judge();
    advise(found_);
    promise();
    compare_divisions();
    try_changes();
    counter_.set_total(counter_.done());
    counter_.finish(true);
    return std::move(found_);
  }

 private:
  void load(const std::function<void(const std::vector<std::string>&)>& warn) {
    const TuneSettings& settings = request_.settings;
    const std::size_t parts = parts_of(load_workload(request_.workload));
    const auto made = std::make_shared<TuneSamples>(make_samples(std::span(&request_.workload, 1),
                                                                 request_.datacenter, settings.vm,
                                                                 settings.evictors, parts));
    std::vector<std::string> warnings = made->samples.front().warnings;
    const std::vector<std::string> of_samples = sample_warnings(*made);
    warnings.insert(warnings.end(), of_samples.begin(), of_samples.end());
    warn(warnings);
    const Workload& whole = made->samples.back().workload;
    found_.prices = request_.prices.of(whole, vcpus_unit_of(request_.workload));
    TuneSample& first = made->samples[kPastParts - 1];
    first.goes_on = false;
    first.vm_worth = found_.prices.spot > 0 ? found_.prices.on_demand / found_.prices.spot : 1;
    samples_ = made;
    found_.max_vm_loss = settings.max_vm_loss;
    PlanDatacenter& datacenter = found_.datacenter;
    datacenter.parts = {.window = whole.window, .count = parts};
    datacenter.history = std::shared_ptr<const TuneSample>(made, &made->samples.back());
    datacenter.label = request_.workload.label;
    found_.workload = request_.workload;
    datacenter.host = request_.datacenter.host;
    datacenter.vms =
        make_schedule(whole, ScheduledClasses::kVmsOnly, datacenter.host.isolated_tenants());
    datacenter.with = settings.with;
    for (const double broken : kBroken) {
      for (const int hours : kPromisedHours) {
        const SimTime life = std::chrono::hours(hours);
        if (life <= datacenter.parts.begin(1)) datacenter.classes.push_back({life, broken});
      }
    }
    prepare_economy();
  }

  [[nodiscard]] std::size_t parts_of(const Workload& given) {
    if (std::ranges::none_of(given.rows, &WorkloadRow::is_spot)) {
      throw ConfigError(fmt::format(
          "{}: has no spots, so that nobody knows what would be bought; expected requests of the "
          "class spot too, such as those of a pilot. `cospot economy plan` says how much capacity "
          "stays idle",
          request_.workload.label));
    }
    if (std::ranges::all_of(given.rows, &WorkloadRow::is_spot)) {
      throw ConfigError(fmt::format(
          "{}: has no VMs, so that nobody knows which capacity is idle; expected the requests for "
          "VMs on these hosts too",
          request_.workload.label));
    }
    if (request_.parts != 0) return request_.parts;
    const double had = days_of(given.window);
    const auto parts = std::min(kDefaultPlanParts, static_cast<std::size_t>(had));
    if (parts <= kPastParts) {
      throw ConfigError(fmt::format(
          "{}: has {}, expected {} or more: two to choose on and one to judge, each a day or "
          "longer; two weeks are better",
          request_.workload.label, days_text(had), kPastParts + 1));
    }
    if (parts < kDefaultPlanParts) {
      found_.notes.push_back(fmt::format(
          "The history has {}, of which {} judge; with {} days, {} would.", days_text(had),
          parts - kPastParts, kDefaultPlanParts, kDefaultPlanParts - kPastParts));
    }
    return parts;
  }

  /// Prepares the promises to the Economy class: for as long as a part, from the parts before it.
  void prepare_economy() {
    PlanDatacenter& datacenter = found_.datacenter;
    const double hours = std::floor(24 * days_of(datacenter.parts.begin(1)));
    EconomySettings& promise = datacenter.economy.economy;
    promise.period_hours = 1;
    promise.training_days = kPastParts * hours / 24;
    promise.horizon_days = hours / 24;
    const double had = days_of(datacenter.parts.window);
    const double needed = EconomySettings{}.training_days + EconomySettings{}.horizon_days;
    if (!found_.prices.economy) {
      found_.notes.emplace_back(
          "No Economy instances are planned: the price list has no price of theirs "
          "(--price economy=...).");
      return;
    }
    const VcpuHourPrices prices = request_.prices.of_vcpu_hour(datacenter.history->workload,
                                                               vcpus_unit_of(request_.workload));
    if (*prices.economy < prices.spot) {
      found_.notes.push_back(fmt::format(
          "No Economy instances are planned: at {:.4g} a vCPU-hour each would earn less than the "
          "spot that it replaces, at {:.4g}; give them a price between a spot's and that on "
          "demand.",
          *prices.economy, prices.spot));
      return;
    }
    if (had < needed) {
      found_.notes.push_back(fmt::format(
          "Economy instances are promised for {} at a time, from {} before: promises of half a "
          "year, judged once, need {:.0f} more days of history.",
          days_text(promise.horizon_days), days_text(promise.training_days),
          std::ceil(needed - had)));
    }
    datacenter.vm_use = vm_use_of(datacenter.history->workload, promise);
    found_.sells_economy = true;
  }

  void look_at_settings() {
    const std::span first(samples_->samples);
    TuneRuns looks(request_.settings, first.subspan(kPastParts - 1, 1), request_.datacenter.host);
    std::vector<std::size_t> all(looks.space().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::size_t only[] = {0};
    looks.simulate(all, only);
    for (const std::size_t candidate : worth_a_run(request_.settings, looks)) {
      settings_.push_back(looks.space().prepared(candidate, *found_.datacenter.history));
    }
  }

  [[nodiscard]] std::size_t hosts() const { return found_.datacenter.history->hosts; }

  [[nodiscard]] std::vector<PlanRun> simulate(const std::vector<PlanTask>& tasks) {
    counter_.set_total(counter_.total() + tasks.size());
    return run_plans(found_.datacenter, tasks, request_.settings.threads, counter_);
  }

  void run(const std::vector<PlanTask>& tasks) {
    for (PlanRun& made : simulate(tasks)) found_.runs.push_back(std::move(made));
  }

  void simulate_settings() {
    std::vector<PlanTask> tasks;
    for (const ChainSpec& vm : request_.settings.vm) {
      tasks.push_back(
          {.setting = {.vm = vm, .evictor = settings_.front().evictor}, .hosts = hosts()});
    }
    today_ = tasks.size();
    tasks.push_back({.setting = setting_of_today(), .hosts = hosts()});
    for (const AllocatorSpec& setting : settings_) {
      tasks.push_back({.setting = setting, .hosts = hosts()});
    }
    run(tasks);
  }

  [[nodiscard]] Chooser chooser() const { return {found_.runs, found_.prices, found_.max_vm_loss}; }

  /// Divisions of what the settings sell that were best so far: on the parts that never judge.
  void simulate_divisions() {
    if (!found_.sells_economy) return;
    const Chooser choose = chooser();
    Chosen plain = choices(found_.runs, today_)[static_cast<std::size_t>(Alternative::kPlan)];
    std::erase_if(plain,
                  [&](std::size_t run) { return found_.runs[run].setting.places_no_spots(); });
    std::vector<PlanTask> tasks;
    for (std::size_t i = 0; i < kMostDivided && !plain.empty(); ++i) {
      const std::size_t best = choose.best(plain, 0, kPastParts);
      std::erase(plain, best);
      for (const double percent : request_.economy_percents) {
        for (const double confidence : request_.confidences) {
          tasks.push_back({.setting = found_.runs[best].setting,
                           .division = {.economy_percent = percent, .confidence = confidence},
                           .hosts = hosts()});
        }
      }
    }
    run(tasks);
  }

  void judge() {
    const Chooser choose = chooser();
    const auto all = choices(found_.runs, today_);
    const std::size_t parts = found_.datacenter.parts.count;
    for (std::size_t i = 0; i < kAlternatives; ++i) {
      JudgedAlternative judged{.alternative = static_cast<Alternative>(i)};
      for (std::size_t part = kPastParts; part < parts; ++part) {
        const bool is_bound = judged.alternative == Alternative::kHindsight;
        judged.chosen.push_back(
            choose.best(all[i], is_bound ? part : 0, is_bound ? part + 1 : part));
      }
      judged.last = choose.best(all[i], 0, parts);
      judged.last_vm_loss = choose.past(judged.last, 0, parts).most_vm_loss;
      account_for(judged);
      found_.alternatives.push_back(std::move(judged));
    }
  }

  void account_for(JudgedAlternative& judged) const {
    Revenue vms_requested = 0;
    Revenue vms = 0;
    Revenue sold = 0;
    double capacity = 0;
    for (std::size_t i = 0; i < judged.chosen.size(); ++i) {
      const PlanRun& run = found_.runs[judged.chosen[i]];
      const PartAccount& part = run.parts[kPastParts + i];
      judged.net.push_back(income_of(part, found_.prices).net() / found_.days());
      judged.income += income_of(part, found_.prices).total() / found_.days(found_.judged_parts());
      judged.most_vm_loss = std::max(judged.most_vm_loss, vm_loss_of(part));
      vms_requested += part.of(Level::kVm).requested;
      vms += part.of(Level::kVm).earned;
      sold += part.of(Level::kEconomy).earned + part.of(Level::kSpot).earned;
      judged.evictions += part.of(Level::kSpot).evictions;
      judged.economy.promised += part.of(Level::kEconomy).placed;
      judged.economy.broken += part.of(Level::kEconomy).evictions;
      capacity += static_cast<double>(found_.datacenter.host.sum(run.hosts).vcpus) *
                  static_cast<double>(found_.datacenter.parts.begin(1).count());
    }
    judged.economy = with_earlier(judged.economy);
    judged.mean_net = mean_interval(judged.net);
    const auto used = static_cast<double>(vms);
    judged.vm_loss = vms_requested == 0 ? 0
                                        : static_cast<double>(vms_requested - vms) /
                                              static_cast<double>(vms_requested);
    judged.idle = 1 - (used + static_cast<double>(sold)) / capacity;
    judged.recovered = used >= capacity ? 0 : static_cast<double>(sold) / (capacity - used);
  }

  /// Runs what is advised once more, with lifetimes promised, and judges every class on the
  /// parts in which it was sold: because it had held in all parts before.
  void promise() {
    const JudgedAlternative& plan = found_.of(found_.advised);
    std::set<std::size_t> chosen(plan.chosen.begin(), plan.chosen.end());
    chosen.insert(plan.last);
    std::vector<PlanTask> tasks;
    Chosen order;
    for (const std::size_t run : chosen) {
      const PlanRun& of = found_.runs[run];
      if (of.setting.places_no_spots()) continue;
      order.push_back(run);
      tasks.push_back({of.setting, of.division, of.hosts, true});
    }
    std::vector<PlanRun> made = simulate(tasks);
    for (std::size_t i = 0; i < made.size(); ++i) found_.promised[order[i]] = std::move(made[i]);
    for (std::size_t i = 0; i < found_.datacenter.classes.size(); ++i) judge_class(i);
  }

  void judge_class(std::size_t index) {
    const JudgedAlternative& plan = found_.of(found_.advised);
    JudgedClass judged{.promise = found_.datacenter.classes[index]};
    for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
      const auto run = found_.promised.find(plan.chosen[i]);
      if (run == found_.promised.end()) continue;
      const std::size_t part = kPastParts + i;
      if (!held_before(run->second.parts, index, judged.promise, part)) continue;
      ++judged.parts;
      judged.tally.append(run->second.parts[part].promises[index]);
    }
    const auto last = found_.promised.find(plan.last);
    if (last != found_.promised.end()) {
      const std::size_t parts = found_.datacenter.parts.count;
      judged.is_sold =
          held_before(last->second.parts, index, judged.promise, parts) &&
          verdict_of(judged.interval(), judged.promise.broken) == PromiseVerdict::kKept;
      judged.worth = worth_of(judged, last->second);
    }
    found_.classes.push_back(judged);
  }

  /// The gain of a job from the promise: its speed at the worst rate of broken promises that the
  /// data allow, relative to a plain spot of the same run.
  [[nodiscard]] std::optional<double> worth_of(const JudgedClass& judged,
                                               const PlanRun& run) const {
    double spot_hours = 0;
    double evictions = 0;
    for (const PartAccount& part : run.parts) {
      spot_hours += vcpu_seconds(part.of(Level::kSpot).earned) / 3600;
      evictions += static_cast<double>(part.of(Level::kSpot).evictions);
    }
    // The mean over all spots.
    std::uint64_t placed = 0;
    for (const PartAccount& part : run.parts) placed += part.of(Level::kSpot).placed;
    if (evictions == 0 || placed == 0 || judged.tally.tested().promised < kLeastTested ||
        verdict_of(judged.interval(), judged.promise.broken) == PromiseVerdict::kBroken) {
      return std::nullopt;
    }
    double vcpus = 0;
    double count = 0;
    for (const WorkloadRow& row : found_.datacenter.history->workload.rows) {
      if (!row.is_spot()) continue;
      vcpus += static_cast<double>(row.resources.vcpus);
      ++count;
    }
    const double mttr = spot_hours / (vcpus / count) / evictions;
    const double hours = static_cast<double>(judged.promise.life.count()) / 3.6e9;
    const double worst = judged.interval().upper;
    if (worst <= 0 || worst >= 1 || mttr <= 0) return std::nullopt;
    const double promised_mttr = mean_life(hours, worst);
    const double plain = price(PriceRule::kUtility, best_performance(kCheckpointHours, mttr));
    const double with =
        price(PriceRule::kUtility, best_performance(kCheckpointHours, promised_mttr));
    return plain > 0 ? std::optional(with / plain - 1) : std::nullopt;
  }

  /// The income of each division: by the better of the settings with which it was tried.
  void compare_divisions() {
    if (!found_.sells_economy) return;
    const std::size_t parts = found_.datacenter.parts.count;
    const Chooser choose = chooser();
    const Chosen sold = choices(found_.runs, today_)[static_cast<std::size_t>(Alternative::kPlan)];
    std::vector<Division> divisions{Division{}};
    for (const double percent : request_.economy_percents) {
      for (const double confidence : request_.confidences) {
        divisions.push_back({.economy_percent = percent, .confidence = confidence});
      }
    }
    for (const Division& division : divisions) {
      Chosen with;
      std::ranges::copy_if(sold, std::back_inserter(with), [&](std::size_t run) {
        return found_.runs[run].division == division && !found_.runs[run].setting.places_no_spots();
      });
      if (with.empty()) continue;
      const std::size_t best = choose.best(with, 0, parts);
      const Chooser::Past past = choose.past(best, 0, parts);
      DivisionResult result{.run = best,
                            .net = past.net / found_.days(parts),
                            .vm_loss = past.most_vm_loss,
                            .promises = past.economy};
      for (const PartAccount& part : found_.runs[best].parts) {
        const Income income = income_of(part, found_.prices);
        result.economy += income.economy_earned / found_.days(parts);
        result.spots += income.spots_earned / found_.days(parts);
      }
      found_.divisions.push_back(result);
    }
  }

  /// Compares the advice with that of the whole history at other prices and on other hosts.
  void try_changes() {
    const auto add_price = [&](std::string what, const VcpuHourPrices& prices) {
      add_change(std::move(what), found_.runs[best_at(prices)], prices);
    };
    add_change("as advised", found_.set_from_now_on(), found_.prices);
    const auto add_prices = [&](std::string_view name, const auto& price_of) {
      for (const double factor : {0.5, 2.0}) {
        VcpuHourPrices prices = found_.prices;
        double& price = price_of(prices);
        // Nobody pays more than for a VM.
        const double most = price > 0 ? prices.on_demand / price : factor;
        if (factor > 1 && most <= 1) continue;
        price *= std::min(factor, most);
        add_price(fmt::format("{} price x {:.3g}", name, std::min(factor, most)), prices);
      }
    };
    add_prices("spot", [](VcpuHourPrices& prices) -> double& { return prices.spot; });
    if (found_.sells_economy) {
      add_prices("economy", [](VcpuHourPrices& prices) -> double& { return *prices.economy; });
    }
    try_hosts();
    try_demand();
  }

  /// The best of all runs at some prices, divided only if that surely earns more.
  [[nodiscard]] std::size_t best_at(const VcpuHourPrices& prices) const {
    const std::size_t parts = found_.datacenter.parts.count;
    const Chooser choose(found_.runs, prices, found_.max_vm_loss);
    const auto all = choices(found_.runs, today_);
    Chosen some = all[static_cast<std::size_t>(Alternative::kPlan)];
    const std::size_t best = choose.best(some, 0, parts);
    std::erase_if(some, [&](std::size_t run) { return found_.runs[run].division != Division{}; });
    const std::size_t whole = choose.best(some, 0, parts);
    const auto net_of = [&](std::size_t run) {
      std::vector<double> net;
      for (const PartAccount& part : found_.runs[run].parts) {
        net.push_back(income_of(part, prices).net());
      }
      return net;
    };
    return is_above_zero(gain_over(net_of(best), net_of(whole))) ? best : whole;
  }

  /// The run that is repeated on other hosts and with another demand: the advice, or the one
  /// closest to selling anything.
  [[nodiscard]] const PlanRun& planned() const {
    const PlanRun& advised = found_.set_from_now_on();
    return advised.setting.places_no_spots() ? found_.runs[found_.of(Alternative::kPlan).last]
                                             : advised;
  }

  /// The plan with the spots that would be bought at each price of the curve.
  void try_demand() {
    if (request_.demand.empty()) return;
    const PlanRun& planned = this->planned();
    if (planned.setting.places_no_spots()) {
      found_.notes.emplace_back("The demand curve changes nothing: no spots are sold.");
      return;
    }
    const double today = found_.sensitivities.front().net;
    const VcpusUnit unit = vcpus_unit_of(request_.workload);
    std::vector<PlanTask> tasks;
    for (const DemandPoint& point : request_.demand) {
      tasks.push_back({planned.setting, planned.division, planned.hosts, false, point.share});
    }
    const std::vector<PlanRun> made = simulate(tasks);
    const std::size_t first = found_.sensitivities.size();
    for (std::size_t i = 0; i < made.size(); ++i) {
      const DemandPoint& point = request_.demand[i];
      VcpuHourPrices prices = found_.prices;
      prices.spot = VcpuHourPrices{.spot = point.spot_price}.in(unit).spot;
      add_change(
          fmt::format("spot price {:g}, bought by {:g}%", point.spot_price, 100 * point.share),
          made[i], prices);
    }
    const auto best =
        std::ranges::max_element(found_.sensitivities.begin() + static_cast<std::ptrdiff_t>(first),
                                 found_.sensitivities.end(), {}, &Sensitivity::net);
    const DemandPoint& point =
        request_.demand[static_cast<std::size_t>(best - found_.sensitivities.begin()) - first];
    found_.notes.push_back(
        fmt::format("Of the {} spot prices of the demand curve {:g} earns most: {}{} a day, {} {} "
                    "than today's, by the whole history.",
                    made.size(), point.spot_price, money_text(best->net),
                    request_.prices.currency.empty() ? "" : " " + request_.prices.currency,
                    money_text(std::abs(best->net - today)), best->net >= today ? "more" : "less"));
  }

  /// Adds what a run comes to at some prices.
  void add_change(std::string what, const PlanRun& made, const VcpuHourPrices& prices) {
    Sensitivity one{
        .what = std::move(what), .label = made.setting.label(), .division = made.division};
    for (const PartAccount& part : made.parts) {
      one.net += income_of(part, prices).net();
      one.vm_loss = std::max(one.vm_loss, vm_loss_of(part));
    }
    one.net /= found_.days(made.parts.size());
    found_.sensitivities.push_back(std::move(one));
  }

  void try_hosts() {
    const PlanRun& planned = this->planned();
    const auto now = static_cast<double>(hosts());
    std::vector<PlanTask> tasks;
    for (const int sign : {-1, 1}) {
      // By 5 %, and of few hosts by one.
      const double changed = now + sign * std::max(1.0, std::round(now * 0.05));
      if (changed < std::max(1.0, static_cast<double>(found_.datacenter.host.least_hosts()))) {
        continue;
      }
      tasks.push_back(
          {planned.setting, planned.division, static_cast<std::size_t>(changed), false});
    }
    for (const PlanRun& run : simulate(tasks)) {
      const double percent = 100 * (static_cast<double>(run.hosts) / now - 1);
      add_change(fmt::format("{:+.0f}% hosts ({})", percent, run.hosts), run, found_.prices);
    }
  }

  const PlanRequest& request_;
  RunCounter counter_;
  PlanFindings found_{};
  std::shared_ptr<const TuneSamples> samples_{};
  std::vector<AllocatorSpec> settings_;
  std::size_t today_ = 0;
};

}  // namespace

std::string_view alternative_name(Alternative alternative) {
  static constexpr std::array<std::string_view, kAlternatives> kNames{
      "sell nothing",      "Nova's defaults", "spots without cooperation",
      "cooperating spots", "the plan",        "known afterwards"};
  return kNames[static_cast<std::size_t>(alternative)];
}

std::string days_text(double days) {
  return fmt::format("{:.3g} day{}", days, days == 1 ? "" : "s");
}

Income income_of(const PartAccount& part, const VcpuHourPrices& prices) {
  const LevelAccount& vms = part.of(Level::kVm);
  const LevelAccount& spots = part.of(Level::kSpot);
  return {.vms_requested = prices.of_vms(vcpu_seconds(vms.requested)),
          .vms_lost = prices.of_vms(vcpu_seconds(vms.requested - vms.earned)),
          .spots_requested = prices.of_spots(vcpu_seconds(spots.requested)),
          .spots_earned = prices.of_spots(vcpu_seconds(spots.earned)),
          .economy_earned = prices.of_economy(vcpu_seconds(part.of(Level::kEconomy).earned))};
}

double vm_loss_of(const PartAccount& part) {
  const LevelAccount& vms = part.of(Level::kVm);
  if (vms.requested == 0) return 0;
  return static_cast<double>(vms.requested - vms.earned) / static_cast<double>(vms.requested);
}

double PlanFindings::days(std::size_t parts) const {
  return days_of(datacenter.parts.begin(1)) * static_cast<double>(parts);
}

TuneCandidates plan_candidates() {
  TuneCandidates made;
  made.evictor.emplace_back("YJF");  // by which lifetimes are promised
  made.otn = {"1", "4", "16", "32"};
  return made;
}

PlanFindings make_plan(const PlanRequest& request, ProgressSink& progress,
                       const std::function<void(const std::vector<std::string>&)>& warn) {
  return PlanMaker(request, progress).make(warn);
}

}  // namespace cospot
