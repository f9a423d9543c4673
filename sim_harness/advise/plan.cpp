#include "sim_harness/advise/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "sim_harness/advise/advice_text.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"

namespace cospot {
namespace {

/// Settings with which divisions are tried.
constexpr std::size_t kMostDivided = 2;

/// Nova as it is installed: the weighers that spread by default, the oldest spots go first.
AllocatorSpec setting_of_today() {
  ChainSpec nova{
      .label = "Nova",
      .weighers = {{.name = "RAMWeigher"}, {.name = "CPUWeigher"}, {.name = "DiskWeigher"}}};
  return {.vm = nova, .spot = nova, .evictor = {.label = "FIFO", .name = "FIFO"}};
}

class PlanMaker {
 public:
  PlanMaker(const PlanRequest& request, ProgressSink& progress)
      : request_(request), progress_(progress) {}

  PlanFindings make(const WarningSink& warn) {
    find_settings(*load_history(request_, found_, warn));
    simulate_settings();
    if (found_.sells_economy) simulate_divisions();
    judge_alternatives(found_);
    advise(found_);
    forecast_next(found_);
    promise();
    judge_classes(found_);
    if (found_.sells_economy) {
      compare_divisions(found_, std::vector{Division{}});
      compare_divisions(found_, divisions());
    }
    try_changes();
    break_down();
    counter_->set_total(counter_->done());
    counter_->finish(true);
    return std::move(found_);
  }

 private:
  /// Finds the settings worth a run of the whole history: those that `tune` recommends for each
  /// judged part, and from now on.
  void find_settings(const TuneSamples& samples) {
    TuneRuns runs(request_.settings, samples.samples, request_.datacenter.host, 0, &progress_);
    const std::size_t parts = found_.datacenter.parts.count;
    std::vector<SampleUse> uses = forward_in_time(parts);
    uses.push_back(use_all(parts));
    std::set<std::size_t> known;
    for (const SampleUse& use : uses) {
      const TuneOutcome found = tune(use, runs);
      for (const std::optional<std::size_t> candidate :
           {found.with_cooperation, found.without_cooperation, found.recommendation_for_nova,
            found.bound}) {
        if (!candidate || !known.insert(*candidate).second) continue;
        settings_.push_back(
            {.setting = runs.space().prepared(*candidate, *found_.datacenter.history),
             .hosts = hosts(),
             .from_part = use.selection.size(),
             .is_for_nova = runs.space().is_for_nova(*candidate)});
      }
    }
    runs.finish();
  }

  [[nodiscard]] std::size_t hosts() const { return found_.datacenter.history->hosts; }

  /// Several runs in parallel; the results do not depend on the number of threads.
  [[nodiscard]] std::vector<PlanRun> simulate(const std::vector<PlanTask>& tasks) {
    std::vector<PlanRun> runs(tasks.size());
    work_in_parallel(tasks.size(), request_.settings.threads, [&](std::size_t i) {
      runs[i] = run_plan(found_.datacenter, tasks[i]);
      counter_->add(1);
    });
    current_stop_token().check();
    return runs;
  }

  void run(const std::vector<PlanTask>& tasks) {
    for (PlanRun& made : simulate(tasks)) found_.runs.push_back(std::move(made));
  }

  void simulate_settings() {
    std::vector<PlanTask> tasks;
    for (const ChainSpec& vm : request_.settings.vm) {
      tasks.push_back(
          {.setting = {.vm = vm, .evictor = settings_.front().setting.evictor}, .hosts = hosts()});
    }
    found_.today = tasks.size();
    tasks.push_back({.setting = setting_of_today(), .hosts = hosts()});
    tasks.insert(tasks.end(), settings_.begin(), settings_.end());
    const std::size_t divided = found_.sells_economy ? kMostDivided * divisions().size() : 0;
    const std::size_t promised = found_.judged_parts() + 1;
    // Hosts and VM demand twice each, and once spot demand.
    const std::size_t changed = 5 + request_.demand.size() +
                                2 * types_of(found_.datacenter.host, hosts()).size() +
                                (request_.by.empty() ? 0 : 1);
    counter_.emplace(&progress_, tasks.size() + divided + promised + changed);
    run(tasks);
  }

  [[nodiscard]] std::vector<Division> divisions() const {
    std::vector<Division> all;
    for (const double percent : request_.economy_percents) {
      for (const double confidence : request_.confidences) {
        all.push_back({.economy_percent = percent, .confidence = confidence});
      }
    }
    return all;
  }

  /// Divisions of what the settings sell that were best so far: on the parts that never judge.
  void simulate_divisions() {
    std::vector<PlanTask> tasks;
    for (const std::size_t best : best_before_judging(found_, kMostDivided)) {
      for (const Division& division : divisions()) {
        tasks.push_back(
            {.setting = found_.runs[best].setting, .division = division, .hosts = hosts()});
      }
    }
    run(tasks);
  }

  /// Runs what is advised once more, with lifetimes promised.
  void promise() {
    const JudgedAlternative& plan = found_.of(found_.advised);
    std::set<std::size_t> chosen(plan.chosen.begin(), plan.chosen.end());
    chosen.insert(plan.last);
    std::erase_if(chosen,
                  [&](std::size_t run) { return found_.runs[run].setting.places_no_spots(); });
    std::vector<PlanTask> tasks;
    for (const std::size_t run : chosen) {
      tasks.push_back(found_.runs[run]);
      tasks.back().promises = true;
    }
    std::vector<PlanRun> made = simulate(tasks);
    std::size_t next = 0;
    for (const std::size_t run : chosen) found_.promised[run] = std::move(made[next++]);
  }

  /// Compares the advice with that of the whole history at other prices and on other hosts.
  void try_changes() {
    add_change("as advised", found_.set_from_now_on(), found_.prices);
    const auto add_prices = [&](std::string_view name, const auto& price_of) {
      for (const double factor : {0.5, 2.0}) {
        VcpuHourPrices prices = found_.prices;
        double& price = price_of(prices);
        // Nobody pays more than for a VM.
        const double most = price > 0 ? prices.on_demand / price : factor;
        if (factor > 1 && most <= 1) continue;
        price *= std::min(factor, most);
        add_change(fmt::format("{} price x {:.3g}", name, std::min(factor, most)),
                   found_.runs[best_at(found_, prices)], prices);
      }
    };
    add_prices("spot", [](VcpuHourPrices& prices) -> double& { return prices.spot; });
    if (found_.sells_economy) {
      add_prices("economy", [](VcpuHourPrices& prices) -> double& { return *prices.economy; });
    }
    try_runs();
  }

  /// The run that is repeated on other hosts and with another demand: the advice, or the best that
  /// sells anything.
  [[nodiscard]] const PlanRun& planned() const {
    for (const Alternative one : {found_.advised, Alternative::kPlan}) {
      const PlanRun& run = found_.runs[found_.of(one).last];
      if (!run.setting.places_no_spots()) return run;
    }
    return found_.runs[found_.of(Alternative::kCooperation).last];
  }

  /// A run of the plan under another assumption.
  struct Change : PlanTask {
    std::string what{};
    VcpuHourPrices prices{};
    std::optional<AddedHosts> added{};
  };

  /// The same in other circumstances, each a run of the whole history.
  void try_runs() {
    std::vector<Change> changes;
    add_hosts(changes);
    for (const double more : {0.05, 0.1}) {
      add(changes, fmt::format("VM demand {:+.0f}%", 100 * more)).more_vms = more;
    }
    add(changes, "spot demand -20%").demand = 0.8;
    const std::size_t first = found_.sensitivities.size() + changes.size();
    for (const auto& [price, share] : request_.demand) {
      Change& one =
          add(changes, fmt::format("spot price {:g}, bought by {:g}%", price, 100 * share));
      one.demand = share;
      one.prices.spot = VcpuHourPrices{.spot = price}.in(vcpus_unit_of(request_.workload)).spot;
    }
    const std::vector<PlanRun> made = simulate({changes.begin(), changes.end()});
    const auto nets = [&](const PlanRun& run) {
      return net_per_day(found_, run, found_.prices, run.parts.size());
    };
    const auto requested = [](const PlanRun& run) {
      PartAccount sum;
      for (const PartAccount& part : run.parts) sum += part;
      return sum.of(Level::kVm).requested;
    };
    for (std::size_t i = 0; i < made.size(); ++i) {
      Change& change = changes[i];
      if (change.more_vms > 0) {
        change.what += fmt::format(" ({:+.1f}% vCPU-hours)",
                                   100 * share_of(requested(made[i]), requested(planned())) - 100);
      }
      add_change(std::move(change.what), made[i], change.prices);
      Sensitivity& row = found_.sensitivities.back();
      row.hosts = std::move(change.added);
      if (row.hosts) row.hosts->gain = gain_over(nets(made[i]), nets(found_.set_from_now_on()));
    }
    if (!request_.demand.empty()) note_best_price(first);
  }

  Change& add(std::vector<Change>& changes, std::string what,
              std::optional<AddedHosts> added = {}) const {
    Change& one =
        changes.emplace_back(Change{planned(), std::move(what), found_.prices, std::move(added)});
    if (one.added) one.hosts += static_cast<std::size_t>(one.added->more);
    return one;
  }

  /// Fewer and more hosts, of all types and of each.
  void add_hosts(std::vector<Change>& changes) const {
    const HostMix& mix = found_.datacenter.host;
    const auto now = static_cast<std::int64_t>(hosts());
    // By 5 %, and of few hosts by one.
    const std::int64_t step =
        std::max<std::int64_t>(1, std::llround(0.05 * static_cast<double>(now)));
    for (const std::int64_t more : {-step, step}) {
      if (now + more < static_cast<std::int64_t>(mix.least_hosts())) continue;
      const double percent = 100 * static_cast<double>(more) / static_cast<double>(now);
      add(changes, fmt::format("{:+.0f}% hosts ({})", percent, now + more),
          AddedHosts{.more = more});
    }
    const auto types = types_of(mix, hosts());
    for (const auto& [type, count] : types) {
      if (count > 0 && count < hosts()) {
        HostMix others = mix.with_count(hosts(), type, 0);
        const char* needed =
            may_hold_all(found_.datacenter, others) ? "" : ", which some requests need";
        add(changes, fmt::format("no {} hosts{} ({} left)", type, needed, hosts() - count),
            AddedHosts{.type = type, .more = -static_cast<std::int64_t>(count)})
            .other_hosts = std::move(others);
      }
      if (types.size() == 1 || !mix.added_type().empty()) continue;
      add(changes, fmt::format("{:+} {} hosts ({})", step, type, now + step),
          AddedHosts{.type = type, .more = step})
          .other_hosts = mix.with_count(hosts(), type, count + static_cast<std::size_t>(step));
    }
  }

  /// Names the best price of the curve, whose rows begin with `first`.
  void note_best_price(std::size_t first) {
    const std::span<const Sensitivity> points = std::span(found_.sensitivities).subspan(first);
    const double today = found_.sensitivities.front().net;
    const auto best = std::ranges::max_element(points, {}, &Sensitivity::net);
    const DemandPoint& point = request_.demand[static_cast<std::size_t>(best - points.begin())];
    found_.notes.push_back(
        fmt::format("Of the {} spot prices of the demand curve {:g} earns most: {} a day, {} {} "
                    "than today's, by the whole history.",
                    points.size(), point.spot_price, money(best->net, request_.prices.currency),
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

  /// Accounts for the requests of each tenant, flavor or zone, in a run of what to deploy.
  void break_down() {
    if (request_.by.empty()) return;
    PlanTask task = found_.set_from_now_on();
    task.by_key = true;
    PlanRun made = std::move(simulate({task}).front());
    const std::vector<std::string>& names = found_.datacenter.keys.names;
    for (std::size_t key = 0; key < names.size(); ++key) {
      found_.breakdown.emplace_back(names[key], std::move(made.by_key[key]));
    }
    std::ranges::stable_sort(found_.breakdown, std::greater{}, [](const auto& one) {
      return one.second.of(Level::kSpot).requests + one.second.of(Level::kEconomy).requests;
    });
  }

  const PlanRequest& request_;
  ProgressSink& progress_;
  std::optional<RunCounter> counter_{};  ///< of the runs of the whole history, the most there are
  PlanFindings found_{};
  std::vector<PlanTask> settings_;
};

}  // namespace

std::string_view alternative_name(Alternative alternative) {
  static constexpr std::array<std::string_view, kAlternatives> kNames{
      "sell nothing",      "Nova's defaults", "spots without cooperation",
      "cooperating spots", "the plan",        "known afterwards"};
  return kNames[static_cast<std::size_t>(alternative)];
}

double PlanFindings::days(std::size_t parts) const {
  return days_of(datacenter.parts.begin(1)) * static_cast<double>(parts);
}

PlanFindings make_plan(const PlanRequest& request, ProgressSink& progress,
                       const WarningSink& warn) {
  return PlanMaker(request, progress).make(warn);
}

}  // namespace cospot
