// A plan is chosen on the past and judged on what followed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

constexpr std::size_t kPlannedHosts = 45;

PlanRequest request_for(const std::string& workload, std::size_t threads = 1) {
  PlanRequest request{
      .workload = parse_workload_spec(workload),
      .datacenter = tuned_datacenter({10400, 2250}, kPlannedHosts, std::nullopt, "--"),
      .settings = {},
      .parts = 5,
      .prices = {.vcpu_hour = {.on_demand = 4, .spot = 1, .economy = 2}, .currency = "EUR"},
      .economy_percents = {20},
      .confidences = {0.5}};
  request.settings.max_vm_loss = 0.01;
  request.settings.threads = threads;
  TuneCandidates candidates;
  candidates.vm = {"COS", "DPD"};
  candidates.spot = {"sDPD", "vmaUTIL"};
  candidates.evictor = {"FIFO", "YJF"};
  candidates.otn = {"1", "8"};
  NoPythonPolicies none;
  add_candidates(candidates, none, request.settings);
  return request;
}

PlanFindings monthly_plan_of(const PlanRequest& request) {
  NoProgress progress;
  return make_plan(request, progress, [](const std::vector<std::string>&) {});
}

const char* const kHistory = "azure2020:seed=3:scale=0.001";

TEST_CASE("A plan does not depend on the number of threads") {
  const Json one = plan_json(monthly_plan_of(request_for(kHistory, 1)));
  const Json three = plan_json(monthly_plan_of(request_for(kHistory, 3)));
  CHECK(text_of(one) == text_of(three));
  CHECK(one["alternatives"].size() == kAlternatives);
}

TEST_CASE("What a plan chooses for a part does not depend on what comes later") {
  const ScratchFolder folder;
  const Workload whole = load_workload(parse_workload_spec(kHistory));
  const SimTime last = WindowParts{.window = whole.window, .count = 5}.begin(4);
  Workload other = whole;
  // In the last part nobody asks for anything that was asked for, but for what is twice as large.
  std::erase_if(other.rows, [&](const WorkloadRow& row) {
    return row.start >= last && row.resources.vcpus % 2 == 0;
  });
  REQUIRE(other.rows.size() < whole.rows.size());
  const auto write = [&](const Workload& workload, const char* name) {
    const std::filesystem::path file = folder.path() / name;
    write_workload(workload, file.string(), find_workload_schema("cospot"), {});
    return file.string();
  };
  const PlanFindings first = monthly_plan_of(request_for(write(whole, "whole.csv")));
  const PlanFindings second = monthly_plan_of(request_for(write(other, "other.csv")));
  for (std::size_t i = 0; i < kAlternatives; ++i) {
    CAPTURE(i);
    const JudgedAlternative& a = first.alternatives[i];
    const JudgedAlternative& b = second.alternatives[i];
    if (a.alternative == Alternative::kHindsight) continue;
    REQUIRE(a.chosen.size() == 3);
    for (std::size_t part = 0; part < 3; ++part) {
      CHECK(first.runs[a.chosen[part]].setting.label() ==
            second.runs[b.chosen[part]].setting.label());
      CHECK((first.runs[a.chosen[part]].division == second.runs[b.chosen[part]].division));
    }
    CHECK(a.net[0] == b.net[0]);
    CHECK(a.net[1] == b.net[1]);
  }
  CHECK(first.datacenter.forecasters == second.datacenter.forecasters);
  // The last part is another one.
  CHECK(first.of(Alternative::kPlan).net[2] != second.of(Alternative::kPlan).net[2]);
}

TEST_CASE("A plan promises as `cospot economy plan` does on the parts that never judge") {
  PlanRequest request = request_for(kHistory);
  request.confidences = {0.5, 0.9};
  const PlanFindings found = monthly_plan_of(request);
  EconomySettings settings = found.datacenter.economy.economy;
  CHECK(settings.training_days == 2 * settings.horizon_days);
  settings.training_days = settings.horizon_days;  // a test needs a part before and a part to judge
  settings.capacity = static_cast<std::int64_t>(kPlannedHosts) * 10400;
  WorkloadSpec first_parts = request.workload;
  first_parts.window = found.datacenter.parts.begin(2);
  const EconomyInput input = load_economy_input(first_parts, settings);
  const EconomyPlan made = plan_promises(
      input, settings, {.forecasters = {}, .confidences = request.confidences, .prices = {0.7}});
  REQUIRE(made.promises.size() == 2);
  for (const PlannedPromise& one : made.promises) {
    CAPTURE(one.confidence);
    CHECK(one.tests == 1);
    CHECK(found.datacenter.forecasters.at(one.confidence) == one.forecaster);
    CHECK(found.notes.back().find(answer_text(input, settings, made, one)) != std::string::npos);
  }
}

TEST_CASE("A plan is the best of what was tried, by the parts before") {
  const PlanFindings found = monthly_plan_of(request_for(kHistory));
  const JudgedAlternative& plan = found.of(Alternative::kPlan);
  for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
    const std::size_t parts = found.past() + i;
    const auto past = [&](const PlanRun& run) {
      double net = 0;
      bool holds = true;
      PromiseCount economy;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto& levels = run.parts[part].levels;
        // VMs at 4, economy instances at 2, spots at 1 the vCPU-hour; what VMs miss is missing.
        const double hour = 3600;
        net += (4 * (vcpu_seconds(levels[0].earned) - vcpu_seconds(levels[0].requested)) +
                2 * vcpu_seconds(levels[1].earned) + vcpu_seconds(levels[2].earned)) /
               hour;
        const auto lost = static_cast<double>(levels[0].requested - levels[0].earned);
        holds = holds && lost <= 0.01 * static_cast<double>(levels[0].requested);
        economy.promised += levels[1].placed;
        economy.broken += levels[1].evictions;
      }
      if (eviction_interval(economy).lower > kEconomyBroken) holds = false;
      return std::pair(holds, net);
    };
    const auto chosen = past(found.runs[plan.chosen[i]]);
    for (const PlanRun& run : found.runs) {
      if (needs_true_lifetimes(run.setting)) continue;
      const auto other = past(run);
      if (other.first && chosen.first) CHECK(chosen.second >= doctest::Approx(other.second));
      if (other.first) CHECK(chosen.first);
    }
  }
  // Of each alternative what is chosen is one of its own.
  for (const std::size_t run : found.of(Alternative::kWithoutCooperation).chosen) {
    CHECK_FALSE(found.runs[run].setting.cooperates());
    CHECK((found.runs[run].division == Division{}));
  }
  for (const std::size_t run : found.of(Alternative::kCooperation).chosen) {
    CHECK(found.runs[run].setting.cooperates());
    CHECK((found.runs[run].division == Division{}));
  }
  for (const std::size_t run : found.of(Alternative::kSellNothing).chosen) {
    CHECK(found.runs[run].parts[0].of(Level::kSpot).earned == 0);
  }
  const bool divides = std::ranges::any_of(
      found.runs, [](const PlanRun& run) { return run.division.economy_percent == 20; });
  CHECK(divides);
}

TEST_CASE("Only what does not keep its limits is above what is known afterwards") {
  std::size_t above = 0;
  // On 42 hosts VMs lose some in all ways, on 45 in few.
  for (const std::size_t hosts : {std::size_t{42}, std::size_t{45}}) {
    CAPTURE(hosts);
    constexpr double kLimit = 0;
    PlanRequest request = request_for(kHistory);
    request.datacenter = tuned_datacenter({10400, 2250}, hosts, std::nullopt, "--");
    request.settings.max_vm_loss = kLimit;
    const PlanFindings found = monthly_plan_of(request);
    const JudgedAlternative& bound = found.of(Alternative::kHindsight);
    bool is_above = false;
    for (const JudgedAlternative& one : found.alternatives) {
      for (std::size_t i = 0; i < one.chosen.size(); ++i) {
        const PartAccount& part = found.runs[one.chosen[i]].parts[found.past() + i];
        const LevelAccount& economy = part.of(Level::kEconomy);
        const bool keeps_promises =
            eviction_interval({.promised = economy.placed, .broken = economy.evictions}).lower <=
            kEconomyBroken;
        if (vm_loss_of(part) <= kLimit && keeps_promises) CHECK(one.net[i] <= bound.net[i]);
      }
      if (one.mean_net.mean > bound.mean_net.mean) is_above = true;
    }
    const std::string text = plan_text(found, PlanDetail::kAll).plain();
    CHECK((text.find("More was earned only by not keeping them: ") != std::string::npos) ==
          is_above);
    if (is_above) ++above;
  }
  CHECK(above > 0);
}

/// Findings of three judged parts, in which plain spots earned 100 a day.
PlanFindings judged(const std::vector<double>& plan, double plan_loss = 0,
                    PromiseCount economy = {}) {
  PlanFindings findings;
  for (std::size_t i = 0; i < kAlternatives; ++i) {
    const auto alternative = static_cast<Alternative>(i);
    JudgedAlternative one{.alternative = alternative};
    one.net.assign(3, alternative == Alternative::kCooperation ? 100 : 50);
    if (alternative == Alternative::kPlan) {
      one.net = plan;
      one.most_vm_loss = plan_loss;
      one.economy = economy;
    }
    one.mean_net = mean_interval(one.net);
    findings.alternatives.push_back(std::move(one));
  }
  advise(findings);
  return findings;
}

TEST_CASE("Dividing is advised only if its lead is surely above 0, and its promises hold") {
  // Leads of 6, 9 and 12: mean 9, standard deviation 3, standard error 3 / sqrt 3 = 1.732.
  // Student's t of 3 parts is 4.303, half the interval 7.45: above 0.
  CHECK(judged({106, 109, 112}).advice == PlanAdvice::kPlan);
  CHECK(judged({106, 109, 112}).advised == Alternative::kPlan);
  CHECK(judged({106, 109, 112}).next_best == Alternative::kCooperation);
  // Leads of 4, 9 and 14: standard deviation 5, half the interval 4.303 * 5 / sqrt 3 = 12.42.
  const PlanFindings unsure = judged({104, 109, 114});
  CHECK(unsure.gain.mean == doctest::Approx(9));
  CHECK(unsure.advice == PlanAdvice::kSingle);
  CHECK(unsure.advised == Alternative::kCooperation);
  CHECK(judged({106, 109, 112}, 0.001).advised == Alternative::kCooperation);
  // 1 of 100 may be evicted: 20 of 100 refute the promise.
  CHECK(judged({106, 109, 112}, 0, {.promised = 100, .broken = 20}).advised ==
        Alternative::kCooperation);
}

TEST_CASE("What lost VMs before the judged parts is not advised either") {
  PlanFindings findings = judged({50, 50, 50});
  REQUIRE(findings.advised == Alternative::kCooperation);
  const auto lose = [&findings](Alternative alternative) {
    findings.alternatives[static_cast<std::size_t>(alternative)].last_vm_loss = 0.1;
    advise(findings);
  };
  lose(Alternative::kCooperation);  // what to set from now on, in parts that did not judge
  CHECK(findings.advised == Alternative::kSellNothing);
  lose(Alternative::kToday);
  lose(Alternative::kWithoutCooperation);
  lose(Alternative::kSellNothing);
  CHECK(findings.advice == PlanAdvice::kNothingHolds);
}

void add_row(Workload& history, InstanceClass of, SimTime start, SimTime end,
             ResourceAmount vcpus) {
  WorkloadRow& row = history.rows.emplace_back();
  row.id = std::to_string(history.rows.size());
  row.tenant = "t";
  row.instance_class = of;
  row.resources = {vcpus, 1, 0};
  row.start = start;
  row.end = end;
}

/// Nine days of 3 VMs of 10 vCPUs that run all the time, and of a spot of 5 vCPUs each day, on 4
/// hosts of 10: three for the VMs, half of the last for the spot.
PlanRequest three_vms_and_a_spot(const std::string& file) {
  Workload history{.name = "made", .window = 9 * kDay};
  history.window_is_stated = true;
  for (int i = 0; i < 3; ++i) add_row(history, InstanceClass::kVm, SimTime(0), 9 * kDay, 10);
  for (int day = 0; day < 9; ++day) {
    add_row(history, InstanceClass::kSpot, day * kDay, (day + 1) * kDay, 5);
  }
  write_workload(history, file, find_workload_schema("cospot"), {});
  PlanRequest request = request_for(file);
  request.datacenter = tuned_datacenter({10, 10}, 4, std::nullopt, "--");
  request.parts = 3;
  request.settings.max_vm_loss = 0;
  return request;
}

TEST_CASE("A plan of few hosts says what one more or less would do, and no price above a VM's") {
  const ScratchFolder folder;
  PlanRequest request = three_vms_and_a_spot((folder.path() / "made.csv").string());
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 3};
  const PlanFindings found = monthly_plan_of(request);
  std::vector<std::pair<std::string, double>> changes;
  for (const Sensitivity& one : found.sensitivities) {
    changes.emplace_back(one.what, std::round(one.net));
  }
  // 5 vCPUs, 24 h, at 3. At most 4, a third more, is the price on demand. On 3 hosts no spot fits.
  changes.resize(5);
  CHECK(changes == std::vector<std::pair<std::string, double>>{{"as advised", 360},
                                                               {"spot price x 0.5", 180},
                                                               {"spot price x 1.33", 480},
                                                               {"-25% hosts (3)", 0},
                                                               {"+25% hosts (5)", 360}});
  // A month has 365.25 / 12 = 30.4375 days.
  CHECK(decision_of(found).at(4) ==
        "By the whole history, 1 more host would earn +0.00 EUR a month (95 % interval +0.00 to "
        "+0.00); 1 fewer would lose no VM, and earn -10,958 EUR a month (95 % interval -10,958 to "
        "-10,958).");
}

TEST_CASE("A plan says whether hosts are worth their cost") {
  const ScratchFolder folder;
  PlanRequest request = three_vms_and_a_spot((folder.path() / "made.csv").string());
  const auto says = [](const PlanFindings& found, const std::string& words) {
    return plan_text(found, PlanDetail::kBrief).plain().find(words) != std::string::npos;
  };
  request.prices = {.vcpu_hour = {.on_demand = 4, .spot = 3}, .host = 1};
  PlanFindings found = monthly_plan_of(request);
  // A host costs 24 x 30.4375 = 730.50 a month; the spot on the fourth earns 360 a day.
  CHECK(says(found,
             "1 more host would earn +0.00 a month (95 % interval +0.00 to +0.00) and cost "
             "730.50: buy none for that; 1 fewer would lose no VM, and earn -10,958 a month (95 % "
             "interval -10,958 to -10,958) and save 730.50: keep.\n"));
  // On 3 hosts the fourth earns that; the third is needed.
  request.datacenter = tuned_datacenter({10, 10}, 3, std::nullopt, "--");
  found = monthly_plan_of(request);
  CHECK(says(found,
             "+10,958) and cost 730.50: buy; 1 fewer would lose 33.3333% of VM revenue in the "
             "worst part.\n"));
  // By 5,000 a day more or less, what the host earns and costs cannot be told apart.
  for (Sensitivity& one : found.sensitivities) {
    if (one.hosts) one.hosts->gain.half_width = 5000;
  }
  CHECK(says(found, "and cost 730.50: too uncertain to say; "));
  // VMs that take 3 hosts and grow by 40 % a month take 4.2 then. Missing hosts are not given up.
  found.demand = VmDemand{.growth_per_month = 0.4, .needed = 3, .days_left = 0};
  CHECK(says(found, "no longer fit in 0 days; in a month they need 5 hosts: buy 2.\n"));
  CHECK(says(found, "and cost 730.50: too uncertain to say.\n"));
  CHECK_FALSE(says(found, "1 fewer"));
}

/// The row of a change, which has to be there.
const Sensitivity& change(const PlanFindings& found, std::string_view begin) {
  const auto row = std::ranges::find_if(
      found.sensitivities, [&](const Sensitivity& one) { return one.what.starts_with(begin); });
  REQUIRE_MESSAGE(row != found.sensitivities.end(), begin);
  return *row;
}

TEST_CASE("A plan tries one type of hosts less, and one more of each") {
  const ScratchFolder folder;
  PlanRequest request = three_vms_and_a_spot((folder.path() / "made.csv").string());
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 3};
  HostMix mix({{.type = "big", .count = 3, .total = {10, 10, 0}},
               {.type = "small", .count = 2, .total = {5, 10, 0}}},
              HostPlaces(1));
  request.datacenter = tuned_datacenter(mix, 5, std::nullopt, "--");
  const PlanFindings found = monthly_plan_of(request);
  CHECK(change(found, "as advised").net == doctest::Approx(360));
  // Three VMs of 10 vCPUs, a day at 4 the hour, are lost; the spots stay.
  const Sensitivity& no_big = change(found, "no big hosts, which some requests need (2 left)");
  CHECK(no_big.net == doctest::Approx(360 - 3 * 10 * 24 * 4));
  CHECK(no_big.vm_loss == 1);
  CHECK(no_big.hosts->more == -3);
  CHECK(no_big.hosts->gain.mean == doctest::Approx(-3 * 10 * 24 * 4));
  const Sensitivity& no_small = change(found, "no small hosts (3 left)");
  CHECK(no_small.net == 0);
  CHECK(no_small.vm_loss == 0);
  for (const char* more : {"+1 big hosts (6)", "+1 small hosts (6)"}) {
    CHECK(change(found, more).hosts->gain.mean == doctest::Approx(0));
  }
  mix.add_only("small");
  request.datacenter = tuned_datacenter(mix, 5, std::nullopt, "--");
  const PlanFindings only_small = monthly_plan_of(request);
  CHECK(change(only_small, "no small hosts (3 left)").net == 0);
  CHECK(std::ranges::none_of(only_small.sensitivities, [](const Sensitivity& one) {
    return one.what.starts_with("+1 ");  // that is +20 % hosts
  }));
}

TEST_CASE("A plan with more VMs runs a history in which some are requested twice") {
  const PlanFindings found = monthly_plan_of(request_for(kHistory));
  const PlanRun& planned = found.set_from_now_on();
  REQUIRE_FALSE(planned.setting.places_no_spots());
  const Workload& given = found.datacenter.history->workload;
  std::vector<std::size_t> repeated;
  Revenue now = 0;
  for (const PartAccount& part : planned.parts) now += part.of(Level::kVm).requested;
  for (const double share : {0.05, 0.1}) {
    CAPTURE(share);
    // A draw for each VM in the order of the file, from seed 2.
    auto more = std::make_shared<TuneSample>(*found.datacenter.history);
    Random random(2);
    for (const WorkloadRow& row : given.rows) {
      if (!row.is_spot() && random.uniform() < share) more->workload.rows.push_back(row);
    }
    repeated.push_back(more->workload.rows.size() - given.rows.size());
    more->schedule = make_schedule(more->workload);
    PlanDatacenter other = found.datacenter;
    other.history = more;
    PlanTask task{.setting = planned.setting, .hosts = kPlannedHosts};
    const PlanRun expected = run_plan(other, task);
    task.more_vms = share;
    const PlanRun made = run_plan(found.datacenter, task);
    Revenue requested = 0;
    for (std::size_t part = 0; part < expected.parts.size(); ++part) {
      requested += made.parts[part].of(Level::kVm).requested;
      for (const Level level : {Level::kVm, Level::kSpot}) {
        const LevelAccount& a = made.parts[part].of(level);
        const LevelAccount& b = expected.parts[part].of(level);
        CHECK(a.requests == b.requests);
        CHECK(a.requested == b.requested);
        CHECK(a.earned == b.earned);
        CHECK(a.evictions == b.evictions);
      }
    }
    CHECK(requested > now);
    const std::string what =
        fmt::format("VM demand +{:g}% ({:+.1f}% vCPU-hours)", 100 * share,
                    100 * static_cast<double>(requested - now) / static_cast<double>(now));
    // More VMs on the same hosts lose more, and leave less to sell.
    CHECK(change(found, what).vm_loss > change(found, "as advised").vm_loss);
    CHECK(change(found, what).net < change(found, "as advised").net);
  }
  // Of about 1,600 VMs, 5 and 10 %: the standard deviations are 9 and 12.
  const auto vms = static_cast<double>(
      std::ranges::count_if(given.rows, [](const WorkloadRow& row) { return !row.is_spot(); }));
  CHECK(std::abs(static_cast<double>(repeated[0]) - 0.05 * vms) < 0.015 * vms);
  CHECK(std::abs(static_cast<double>(repeated[1]) - 0.1 * vms) < 0.02 * vms);
  CHECK(change(found, "spot demand -20%").net < change(found, "as advised").net);
}

TEST_CASE("A plan by tenant, flavor or zone adds up to its run") {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "made.csv").string();
  PlanRequest request = three_vms_and_a_spot(file);
  request.prices = {.vcpu_hour = {.on_demand = 4, .spot = 3}};
  request.by = "zone";
  CHECK(error_text<ConfigError>([&] { (void)monthly_plan_of(request); }) ==
        "--by zone: no request of " + file + " has one, expected tenant or flavor");
  Workload history = load_workload(parse_workload_spec(file));
  Workload zoned = history;
  zoned.placements.asked = {RowPlacement{.rules = {.zone = "north"}}};
  zoned.rows[1].placement = 1;
  const RequestKeys zones = request_keys(request.workload, zoned, "zone");
  CHECK(zones.names == std::vector<std::string>{"(none)", "north"});
  CHECK(zones.of_row == std::vector<std::uint32_t>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  // The spots of odd days are a's, and larger than what the VMs leave on the last day.
  for (std::size_t i = 4; i < history.rows.size(); i += 2) history.rows[i].tenant = "a";
  history.rows[11].resources.vcpus = 20;
  write_workload(history, file, find_workload_schema("cospot"), {});
  request.by = "tenant";
  const PlanFindings found = monthly_plan_of(request);
  REQUIRE(found.breakdown.size() == 2);
  // t asks for three VMs and the spots of days 0, 2, 4, 6 and 8, a for those of 1, 3, 5 and 7.
  const auto& [t, of_t] = found.breakdown[0];
  const auto& [a, of_a] = found.breakdown[1];
  CHECK(t == "t");
  CHECK(of_t.of(Level::kVm).requests == 3);
  CHECK(vcpu_seconds(of_t.of(Level::kVm).requested) / 3600 == 3 * 10 * 9 * 24);
  CHECK(of_t.of(Level::kSpot).requests == 5);
  CHECK(of_t.of(Level::kSpot).placed == 4);
  CHECK(income_of(of_t, found.prices).spots_earned == doctest::Approx(4 * 5 * 24 * 3));
  CHECK(a == "a");
  CHECK(of_a.of(Level::kVm).requests == 0);
  CHECK(of_a.of(Level::kSpot).placed == 4);
  CHECK(income_of(of_a, found.prices).spots_earned == doctest::Approx(4 * 5 * 24 * 3));

  // Exactly, also where instances run from part to part and spots are evicted.
  for (const char* by : {"tenant", "flavor"}) {
    CAPTURE(by);
    PlanRequest large = request_for(kHistory);
    large.by = by;
    const PlanFindings of = monthly_plan_of(large);
    PartAccount whole;
    PartAccount sum;
    for (const PartAccount& part : of.set_from_now_on().parts) whole += part;
    for (const auto& [name, account] : of.breakdown) sum += account;
    CHECK(of.breakdown.size() > 20);
    CHECK(whole.of(Level::kSpot).evictions > 0);
    for (std::size_t level = 0; level < kLevels; ++level) {
      const LevelAccount& x = whole.levels[level];
      const LevelAccount& y = sum.levels[level];
      CHECK(x.requested == y.requested);
      CHECK(x.earned == y.earned);
      CHECK(std::tie(x.requests, x.placed, x.carried, x.evictions, x.broken) ==
            std::tie(y.requests, y.placed, y.carried, y.evictions, y.broken));
    }
    const std::string text = plan_text(of, PlanDetail::kBrief).plain();
    CHECK(text.find(fmt::format("{} others", of.breakdown.size() - 20)) != std::string::npos);
    CHECK(plan_json(of)["by"]["rows"].size() == of.breakdown.size());
  }
}

TEST_CASE("A plan says what each division would earn") {
  const ScratchFolder folder;
  PlanRequest request = three_vms_and_a_spot((folder.path() / "made.csv").string());
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 2, .economy = 3};
  request.economy_percents = {50};
  const PlanFindings found = monthly_plan_of(request);
  REQUIRE(found.divisions.size() == 2);
  const DivisionResult& none = found.divisions[0];
  CHECK(none.economy == 0);
  CHECK(none.spots == doctest::Approx(240));  // 5 vCPUs, 24 h, at 2
  CHECK(none.net == doctest::Approx(240));
  // Promises need two parts of three days to learn from: those drawn for the last three days are
  // admitted, at 360 a day each, and those before find no promise.
  const std::vector<std::uint8_t> level_of = levels_of(found.datacenter.history->workload, 50, 1);
  double economy = 0;
  double spots = 0;
  for (std::size_t day = 0; day < 9; ++day) {
    const bool is_spot = level_of[3 + day] == static_cast<std::uint8_t>(Level::kSpot);
    if (is_spot) spots += 240;
    if (!is_spot && day >= 6) economy += 360;
  }
  REQUIRE(economy > 0);
  const DivisionResult& half = found.divisions[1];
  CHECK(found.runs[half.run].division.economy_percent == 50);
  CHECK(half.economy == doctest::Approx(economy / 9));
  CHECK(half.spots == doctest::Approx(spots / 9));
  CHECK(half.net == doctest::Approx((economy + spots) / 9));
  CHECK(half.promises.promised == static_cast<std::uint64_t>(std::round(economy / 360)));
  CHECK(half.promises.broken == 0);
  CHECK(plan_text(found, PlanDetail::kAll).plain().find("50% Economy at 0.5") != std::string::npos);

  // Below the price of the spot that it replaces, nobody would divide.
  request.prices.vcpu_hour.economy = 1.5;
  const PlanFindings cheap = monthly_plan_of(request);
  CHECK(cheap.divisions.empty());
  REQUIRE(cheap.notes.size() == 1);
  CHECK(cheap.notes[0].starts_with(
      "No Economy instances are planned: at 1.5 a vCPU-hour each would earn less than the spot "
      "that it replaces, at 2;"));
}

TEST_CASE("A plan weighs acting against waiting only where its lead is above 0") {
  PlanFindings found = monthly_plan_of(request_for(kHistory));
  const auto says = [&found](double lead, const char* words) {
    found.lead = {.mean = lead, .half_width = 30};
    return plan_text(found, PlanDetail::kBrief).plain().find(words) != std::string::npos;
  };
  // Three parts of 2.8 days judge: as wide as the lead on 3 x 3 times as many days, 8.4 x 8 more.
  CHECK(says(10, "about 68 more days"));
  for (const double lead : {0.0, -10.0, 31.0}) CHECK_FALSE(says(lead, "to wait gives up"));
}

TEST_CASE("A plan with several schedulers does not blame the hosts for what these lose") {
  PlanRequest request = request_for(kHistory);
  request.settings.max_vm_loss = 0;
  request.settings.with = parse_given_parts("{schedulers: 4, refresh_interval_s: 30}");
  const std::vector<std::string> decision = decision_of(monthly_plan_of(request));
  CHECK(decision[0].starts_with("Sell nothing yet: with what --with adds, VMs lose "));
  CHECK(decision[1].find(" EUR a month even if nothing is sold)") != std::string::npos);
}

TEST_CASE("A plan with the demand at other prices") {
  PlanRequest request = request_for(kHistory);
  request.prices.vcpu_hour.economy.reset();
  // All spots at today's price and at twice as much, half of them, and none.
  request.demand = {{.spot_price = 1, .share = 1},
                    {.spot_price = 2, .share = 1},
                    {.spot_price = 3, .share = 0.5},
                    {.spot_price = 4, .share = 0}};
  const PlanFindings found = monthly_plan_of(request);
  const std::vector<Sensitivity>& all = found.sensitivities;
  const std::span<const Sensitivity> demand(all.end() - 4, all.end());
  const auto row = [&all](std::string_view what) {
    return std::ranges::find(all, what, &Sensitivity::what);
  };
  CHECK(demand[0].what == "spot price 1, bought by 100%");
  CHECK(demand[0].net == doctest::Approx(row("as advised")->net));
  CHECK(demand[1].net == doctest::Approx(row("spot price x 2")->net));
  // Without spots VMs are placed as if nothing were sold.
  const PlanRun& planned = found.runs[found.of(Alternative::kPlan).last];
  const auto alone = std::ranges::find_if(found.runs, [&](const PlanRun& run) {
    return run.setting.places_no_spots() && run.setting.vm.label == planned.setting.vm.label;
  });
  REQUIRE(alone != found.runs.end());
  double net = 0;
  for (const PartAccount& part : alone->parts) net += income_of(part, found.prices).net();
  CHECK(demand[3].net == doctest::Approx(net / found.days(5)));
  // Half of the spots earn less than all would at that price, and more than none.
  CHECK(demand[2].net > demand[3].net);
  CHECK(demand[2].net < 1.5 * demand[1].net);
  CHECK(demand[2].what == "spot price 3, bought by 50%");
}

TEST_CASE("A run with some of the demand is a run of a history without the others") {
  const PlanFindings found = monthly_plan_of(request_for(kHistory));
  const PlanDatacenter& whole = found.datacenter;
  const PlanRun& planned = found.runs[found.of(Alternative::kCooperation).last];
  PlanTask task{.setting = planned.setting, .hosts = kPlannedHosts, .demand = 0.4};
  const PlanRun some = run_plan(whole, task);
  // The same spots, left out of the rows themselves: seed 2 draws them.
  const std::vector<std::uint8_t> level_of = levels_of(whole.history->workload, 40, 2);
  auto fewer = std::make_shared<TuneSample>(*whole.history);
  std::size_t row = 0;
  std::size_t left_out = 0;
  std::erase_if(fewer->workload.rows, [&](const WorkloadRow&) {
    const bool goes = level_of[row++] == static_cast<std::uint8_t>(Level::kSpot);
    left_out += goes ? 1 : 0;
    return goes;
  });
  CHECK(left_out > 20);
  fewer->schedule = make_schedule(fewer->workload);
  PlanDatacenter other = whole;
  other.history = fewer;
  task.demand = 1;
  const PlanRun expected = run_plan(other, task);
  for (std::size_t part = 0; part < expected.parts.size(); ++part) {
    for (const Level level : {Level::kVm, Level::kSpot}) {
      CHECK(some.parts[part].of(level).earned == expected.parts[part].of(level).earned);
      CHECK(some.parts[part].of(level).placed == expected.parts[part].of(level).placed);
      CHECK(some.parts[part].of(level).evictions == expected.parts[part].of(level).evictions);
    }
  }
}

TEST_CASE("held_before: over all parts before, and in the last one that tested enough") {
  // Of promises that 10 % may break.
  const PromiseClass promise{.life = std::chrono::hours(4), .broken = 0.1};
  const auto held = [&promise](const std::vector<PromiseCount>& outcomes) {
    std::vector<PartAccount> parts;
    for (const PromiseCount& count : outcomes) {
      parts.push_back({.levels = {}, .promises = {}, .outcomes = {count}});
    }
    return held_before(parts, 0, promise, parts.size());
  };
  // None of n broken leaves 1 - 0.025^(1/n) possible: 9.7 % of 36, 10.0003 % of 35.
  CHECK(held({{.promised = 36, .broken = 0}}));
  CHECK_FALSE(held({{.promised = 35, .broken = 0}}));
  CHECK(held({{.promised = 18, .broken = 0}, {.promised = 18, .broken = 0}}));  // 36 together
  // 3 of 36 are fewer than allowed, but up to 22 % are possible.
  CHECK_FALSE(held({{.promised = 36, .broken = 3}}));
  // 6 of 240 in all, but 6 of 40 lately.
  CHECK_FALSE(held({{.promised = 200, .broken = 0}, {.promised = 40, .broken = 6}}));
  // Of 20 lately too little is known: what 200 and 40 before say stands.
  CHECK(held({{.promised = 200, .broken = 0},
              {.promised = 40, .broken = 4},
              {.promised = 20, .broken = 5}}));
  CHECK_FALSE(held({{.promised = 40, .broken = 30}, {.promised = 40, .broken = 0}}));  // 30 of 80
}

TEST_CASE("A plan for hosts that do not hold the VMs says so") {
  PlanRequest request = request_for(kHistory);
  request.datacenter = tuned_datacenter({10400, 2250}, 30, std::nullopt, "--");
  const PlanFindings found = monthly_plan_of(request);
  CHECK(found.advice == PlanAdvice::kNothingHolds);
  const std::vector<std::string> decision = decision_of(found);
  CHECK(decision[0].starts_with("These 30 hosts do not hold the VMs, let alone spots: "));
  CHECK(decision[1].starts_with("The best alternative, "));
}

TEST_CASE("A plan does not call lossy what earned something") {
  // On 46 hosts every way to sell loses a VM, and all but Nova's earn more than that.
  PlanRequest request = request_for(kHistory);
  request.datacenter = tuned_datacenter({10400, 2250}, 46, std::nullopt, "--");
  request.settings.max_vm_loss = 0;
  const PlanFindings found = monthly_plan_of(request);
  CHECK(found.advised == Alternative::kSellNothing);
  const JudgedAlternative& spots = found.of(Alternative::kCooperation);
  REQUIRE(spots.most_vm_loss > 0);
  REQUIRE(spots.mean_net.mean > 0);
  CHECK(decision_of(found)[0].starts_with(
      "Sell nothing yet: all that earned something lost more VM revenue in some part than the "
      "limit of 0% allows, cooperating spots 0.0151%. Add hosts,"));
}

TEST_CASE("A plan of a log without memory divides by vCPUs alone") {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "jobs.csv").string();
  PlanRequest request = three_vms_and_a_spot(file);
  Workload jobs = load_workload(parse_workload_spec(file));
  for (WorkloadRow& row : jobs.rows) row.resources.memory_mb = 0;
  write_workload(jobs, file, find_workload_schema("cospot"), {});
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 2, .economy = 3};
  request.economy_percents = {50};
  const PlanFindings found = monthly_plan_of(request);
  REQUIRE(found.divisions.size() == 2);
  CHECK(found.divisions[1].economy > 0);
  CHECK(found.divisions[1].promises.promised > 0);
}

TEST_CASE("An Economy instance may be evicted in a later part than it was admitted in") {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "later.csv").string();
  PlanRequest request = three_vms_and_a_spot(file);
  Workload history = load_workload(parse_workload_spec(file));
  // Two from the third day on, which the last VM evicts on the seventh, when one is admitted that
  // ends before.
  std::erase_if(history.rows,
                [](const WorkloadRow& row) { return row.is_spot() && row.start >= 2 * kDay; });
  constexpr std::chrono::hours kHour{1};
  for (int i = 0; i < 2; ++i) add_row(history, InstanceClass::kSpot, 60 * kHour, 9 * kDay, 3);
  add_row(history, InstanceClass::kSpot, 145 * kHour, 150 * kHour, 3);
  add_row(history, InstanceClass::kVm, 156 * kHour, 180 * kHour, 10);
  write_workload(history, file, find_workload_schema("cospot"), {});
  request.parts = 9;
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 2, .economy = 3};
  request.economy_percents = {100};
  const PlanFindings found = monthly_plan_of(request);
  REQUIRE(found.divisions.size() == 2);
  const PlanRun& divided = found.runs[found.divisions[1].run];
  REQUIRE(divided.parts[6].of(Level::kEconomy).placed == 1);
  CHECK(divided.parts[6].of(Level::kEconomy).evictions == 2);
  // They were promised for a day.
  CHECK(divided.parts[6].of(Level::kEconomy).broken == 0);
  CHECK(found.divisions[1].promises.broken == 0);
}

TEST_CASE("A division that breaks its promises is marked") {
  const ScratchFolder folder;
  PlanRequest request = three_vms_and_a_spot((folder.path() / "made.csv").string());
  request.prices.vcpu_hour = {.on_demand = 4, .spot = 2, .economy = 3};
  request.economy_percents = {50};
  PlanFindings found = monthly_plan_of(request);
  REQUIRE(found.divisions.size() == 2);
  const auto is_marked = [&found] {
    return plan_text(found, PlanDetail::kAll).plain().find("; breaks its promises") !=
           std::string::npos;
  };
  CHECK_FALSE(is_marked());
  // Clopper and Pearson: 1 of 20 may be 0.13 %, 5 of 100 are 1.6 % at least.
  found.divisions[1].promises = {.promised = 20, .broken = 1};
  CHECK_FALSE(is_marked());
  found.divisions[1].promises = {.promised = 100, .broken = 5};
  CHECK(is_marked());
}

TEST_CASE("A plan says what a history cannot support") {
  const ScratchFolder folder;
  Workload history = load_workload(parse_workload_spec(kHistory));
  history.window = 2 * kDay;
  history.window_is_stated = true;
  const std::string file = (folder.path() / "short.csv").string();
  write_workload(history, file, find_workload_schema("cospot"), {});
  PlanRequest request = request_for(file);
  request.parts = 0;
  CHECK(error_text<ConfigError>([&] { (void)monthly_plan_of(request); }) ==
        file +
            ": has 2 days, expected 3 or more: two to choose on and one to judge, each a day or "
            "longer; two weeks are better");

  PlanRequest without = request_for(kHistory);
  without.prices.vcpu_hour.economy.reset();
  const PlanFindings found = monthly_plan_of(without);
  CHECK_FALSE(found.sells_economy);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].find("no price of theirs") != std::string::npos);
}

}  // namespace
}  // namespace cospot
