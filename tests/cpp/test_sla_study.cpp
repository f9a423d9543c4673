#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/studies/sla/sla_quote.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_cloud.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/scratch_folder.hpp"
#include "tests/cpp/sla_runs.hpp"

namespace cospot {
namespace {

/// The paper's first experiment: Table I, 8 hosts of 4 vcpus.
constexpr const char* kSynthetic = R"(
study: sla
workloads: {synthetic: lognormal, interarrival: [3.5, 1], lifetime: [6, 1.5], days: 10, vcpus: 1}
spot_workloads: {synthetic: lognormal, interarrival: [3.5, 1], lifetime: [6, 1.5], days: 10, vcpus: 1}
host: {vcpus: 4}
hosts: [8]
target: [none, 0.25, 0.1, 0.05, 0.01]
seed: [1, 2, 3]
)";

SlaSettings sla_settings_of(const std::string& text, const std::vector<std::string>& overrides = {},
                            const std::filesystem::path& folder = ".") {
  ConfigNode root = parse_yaml(text, "study.yaml");
  for (const std::string& assignment : overrides) apply_override(root, assignment);
  NoPythonPolicies none;
  return read_sla_settings(
      {.root = root, .folder = folder, .window = std::nullopt, .policies = &none});
}

/// Means over the seeds of one target.
struct SlaOutcome {
  double admitted = 0;
  double evicted = 0;
  double on_demand_vcpus = 0;
  double spot_vcpus = 0;
  std::vector<std::uint64_t> vms_rejected;
};

SlaOutcome outcome_of(const SlaSettings& settings, std::size_t target) {
  SlaOutcome mean;
  const auto runs = static_cast<double>(settings.seeds.size());
  for (std::size_t seed = 0; seed < settings.seeds.size(); ++seed) {
    const RunOutcome result = run_sla(settings, {.target = target, .seed = seed});
    const auto admitted = static_cast<double>(result.run().spot_admitted);
    mean.admitted += admitted / static_cast<double>(result.run().spot_requests) / runs;
    mean.evicted += static_cast<double>(result.run().evictions) / admitted / runs;
    mean.on_demand_vcpus += result.vm_vcpus_mean / runs;
    mean.spot_vcpus += result.spot_vcpus_mean / runs;
    mean.vms_rejected.push_back(result.run().vm_rejected);
  }
  return mean;
}

TEST_CASE("study sla: the paper's synthetic experiment") {
  const SlaSettings settings = sla_settings_of(kSynthetic);
  const SlaOutcome base = outcome_of(settings, 0);
  // Pucher et al., section III-A: 70 % admitted, 39 % of them evicted; Table I: 21.77 and 21.95.
  CHECK(std::abs(base.admitted - 0.70) <= 0.03);
  CHECK(std::abs(base.evicted - 0.39) <= 0.04);
  CHECK(std::abs(base.on_demand_vcpus - 21.77) <= 1.5);
  CHECK(std::abs(base.spot_vcpus - 21.95) <= 1.5);
  const SlaOutcome quarter = outcome_of(settings, 1);
  CHECK(std::abs(quarter.admitted - 0.60) <= 0.03);
  CHECK(quarter.evicted <= 0.10);
  double more = base.admitted;
  for (std::size_t target = 1; target < settings.targets.size(); ++target) {
    const SlaOutcome outcome = target == 1 ? quarter : outcome_of(settings, target);
    CHECK(outcome.evicted < *settings.targets[target].probability);
    CHECK(outcome.admitted < more);
    more = outcome.admitted;
    // With instances of one vcpu spots take nothing from on-demand requests.
    CHECK(outcome.vms_rejected == base.vms_rejected);
  }
}

/// Small enough to run many times.
const std::vector<std::string> kSmall{"workloads={synthetic: lognormal, days: 2}",
                                      "spot_workloads={synthetic: lognormal, days: 2}",
                                      "samples=500", "seed=1", "spot_delay_hours=6"};

std::vector<std::string> small_with(std::vector<std::string> more) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return more;
}

TEST_CASE("study sla: on-demand admissions are those of a cloud without spots") {
  const SlaSettings settings = sla_settings_of(kSynthetic, small_with({"target=none", "hosts=5"}));
  const RunOutcome with_spots = run_sla(settings);
  Workload alone = sla_workload(settings);
  std::erase_if(alone.rows, [](const WorkloadRow& row) { return row.is_spot(); });
  const EventSchedule schedule = make_schedule(alone);
  SimulationEngine engine(schedule, settings.host.table(5),
                          make_allocator(sla_simulation(settings)));
  engine.run();
  CHECK(engine.result().vm_rejected > 0);  // it is a question
  CHECK(with_spots.run().vm_requests == engine.result().vm_requests);
  CHECK(with_spots.run().vm_rejected == engine.result().vm_rejected);
  CHECK(with_spots.run().evictions > 0);
}

/// Checks at each eviction that no younger spot lives on anywhere.
class YoungestGo final : public ForecastOwner {
 public:
  [[nodiscard]] SimTime next_refresh() const override { return kNever; }
  void refresh() override {}
  [[nodiscard]] const Forecasts& forecasts() const override { return none_; }
  void placed(const Request& request, HostIndex /*host*/) override {
    if (request.is_spot()) running_.push_back(request.instance);
  }
  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& /*for_vm*/) override {
    CHECK(running_.back() == victim);
    running_.pop_back();
    ++evictions;
  }
  void departed(InstanceIndex instance, HostIndex /*host*/, SimTime /*time*/) override {
    std::erase(running_, instance);
  }

  std::size_t evictions = 0;

 private:
  Forecasts none_;
  std::vector<InstanceIndex> running_;  // spots by age
};

TEST_CASE("study sla: with instances of one size the youngest spot of all hosts goes") {
  const SlaSettings settings = sla_settings_of(kSynthetic, small_with({"target=none"}));
  const Workload workload = sla_workload(settings);
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, settings.host.table(8),
                          make_allocator(sla_simulation(settings)));
  YoungestGo youngest;
  engine.set_forecasts(&youngest);
  engine.run();
  CHECK(youngest.evictions > 100);
}

TEST_CASE("study sla: every switch changes what it says and runs") {
  const auto result = [](const std::string& assignment) {
    const SlaSettings settings =
        sla_settings_of(kSynthetic, small_with({"target=0.1", assignment}));
    return run_sla(settings);
  };
  const RunOutcome base = result("seed=1");
  CHECK(base.refreshes.count == 7);  // 48 hours: at 6, 12, ..., 42
  CHECK(result("refresh_hours=12").refreshes.count == 3);
  CHECK(result("spot_end=shift").run().spot_requests > base.run().spot_requests);
  CHECK(result("spot_delay_hours=0").run().spot_requests > base.run().spot_requests);
  CHECK(result("asked_factor=4").run().spot_admitted < base.run().spot_admitted);
  CHECK(result("history=on_demand").run().spot_admitted != base.run().spot_admitted);
  // Whoever is younger than a victim is not taken for evicted with it: more is promised.
  CHECK(result("history=without_evictions").run().spot_admitted >= base.run().spot_admitted);
  CHECK(result("samples_kept=all").run().spot_admitted != base.run().spot_admitted);
  // Without a delay the first 6 hours have no forecast.
  const RunOutcome rejecting = result("spot_delay_hours=0");
  const SlaSettings admitting = sla_settings_of(
      kSynthetic, small_with({"target=0.1", "spot_delay_hours=0", "before_first_refresh=admit"}));
  CHECK(run_sla(admitting, {}).run().spot_admitted > rejecting.run().spot_admitted);
  for (const char* assignment :
       {"victim=first_host", "victim=fewest", "censored=so_far", "censored=dropped",
        "censored=survival", "quantile=lower", "samples_per=refresh", "least_samples=50",
        "condition_width=0.2"}) {
    CAPTURE(assignment);
    CHECK(result(assignment).run().spot_admitted > 0);
  }
}

TEST_CASE("study sla: a Eucalyptus trace and the spots of a workload file") {
  ScratchFolder folder;
  (void)folder.write("a.txt", "START 0 i-1 n 12\nSTOP 100 i-1\nSTART 200 i-2 n 12\nSTOP 900 i-2\n");
  (void)folder.write("b.csv",
                     "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
                     "v,t,vm,4,1,0,1000\ns,t,spot,8,1,10,150\nu,t,spot,8,1,300,500\n");
  const std::vector<std::string> files{"workloads=[a.txt, b.csv]",
                                       "spot_workloads=[b.csv, same]",
                                       "hosts=1",
                                       "host.vcpus=12",
                                       "seed=1",
                                       "target=none",
                                       "spot_delay_hours=0"};
  const SlaSettings settings = sla_settings_of(kSynthetic, files, folder.path());
  // a.txt against the spots of b.csv: the host is full of i-1 at 10 s and of i-2 at 300 s.
  const RunOutcome one = run_sla(settings);
  CHECK(one.run().vm_requests == 2);
  CHECK(one.run().spot_requests == 2);
  CHECK(one.run().spot_admitted == 0);
  CHECK(one.vm_vcpus_mean == doctest::Approx(12.0 * 800 / 900));
  // b.csv with its own spots: 4 + 8 fit together.
  const RunOutcome own = run_sla(settings, {.vms = 1, .spots = 1});
  CHECK(own.run().vm_requests == 1);
  CHECK(own.run().spot_admitted == 2);
  CHECK(own.run().evictions == 0);
}

TEST_CASE("study sla: without a promise it is the engine of VMs and spots under every constraint") {
  Random random(19);
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Workload workload = random_workload({.seed = seed, .host = {12, 12, 0}, .hosts = 5});
    ask_for_places(random, workload);
    // On-demand requests come before spots.
    std::stable_partition(workload.rows.begin(), workload.rows.end(),
                          [](const auto& row) { return !row.is_spot(); });
    ScratchFolder folder;
    (void)folder.write("w.csv", format_workload(workload, WorkloadSchema::kCospot));
    SlaSettings settings = sla_settings_of(
        kSynthetic,
        {"workloads=w.csv", "spot_workloads=same", "target=none", "seed=1", "spot_delay_hours=0"},
        folder.path());
    settings.host = run_settings_of({.hosts = 5, .each = random_cloud(random, 5)}).host;
    settings.has_memory = true;
    settings.host_counts = {5};
    const RunOutcome result = run_sla(settings);
    const EventSchedule schedule =
        make_schedule(workload, ScheduledClasses::kVmsAndSpots, settings.host.isolated_tenants());
    SimulationEngine engine(schedule, settings.host.table(5),
                            make_allocator(sla_simulation(settings), true));
    engine.run();
    const RunResult expected = engine.result();
    CHECK(result.run().vm_rejected == expected.vm_rejected);
    CHECK(result.run().spot_admitted == expected.spot_admitted);
    CHECK(result.run().evictions == expected.evictions);
    evictions += result.run().evictions;
  }
  CHECK(evictions > 100);
}

TEST_CASE("study sla: the groups of a file hold for its VMs and spots, those of two files apart") {
  // One host of 12, a VM and a spot in one group with anti-affinity: the spot may not be there. As
  // spots of another file they are another group's, and it fits beside the VM.
  ScratchFolder folder;
  const std::string rows =
      "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s,group,group_policy\n"
      "v,t,vm,4,1,0,1000,g,anti-affinity\ns,t,spot,8,1,10,150,g,anti-affinity\n";
  (void)folder.write("a.csv", rows);
  (void)folder.write("b.csv", rows);
  const std::vector<std::string> files{"workloads=a.csv",
                                       "spot_workloads=[same, a.csv, b.csv]",
                                       "hosts=1",
                                       "host.vcpus=12",
                                       "seed=1",
                                       "target=none",
                                       "spot_delay_hours=0"};
  const SlaSettings settings = sla_settings_of(kSynthetic, files, folder.path());
  CHECK(run_sla(settings, {.spots = 0}).run().spot_admitted == 0);
  CHECK(run_sla(settings, {.spots = 1}).run().spot_admitted == 0);
  CHECK(run_sla(settings, {.spots = 2}).run().spot_admitted == 1);
  CHECK(contains(
      error_text<ConfigError>([&] { (void)load_traces(settings, WorkloadClasses::kVmsAndSpots); }),
      "workload 'a.csv': the group 'g' with anti-affinity has up to 2 members"));
}

TEST_CASE("study sla: bad settings say where and what was expected") {
  const auto error = [](const std::string& assignment) {
    return error_text<InputError>([&] { (void)sla_settings_of(kSynthetic, {assignment}); });
  };
  CHECK(contains(error("target=2"), "expected none, or a probability of eviction between 0 and 1"));
  CHECK(contains(error("target=[0.1, 0.10]"), "duplicate value '0.10'"));
  CHECK(contains(error("host.vcpus=0"), "host.vcpus"));
  CHECK(contains(error("hosts=0"), "hosts"));
  CHECK(contains(error("workloads=none.txt"), "workloads"));
  CHECK(contains(error("workloads={synthetic: gamma}"), "lognormal, ds2, ds3, ds5, ds6"));
  CHECK(contains(error("spot_workloads={synthetic: lognormal, lifetime: 3}"), "[mu, sigma]"));
  CHECK(
      contains(error("spot_workloads={synthetic: lognormal, interarrival: [-20, 1]}"), "requests"));
  CHECK(contains(error("workloads=same"), "workloads"));
  CHECK(contains(error("victim=oldest"), "youngest, first_host, fewest"));
  CHECK(contains(error("spot_end=later"), "shift or cut"));
  CHECK(contains(error("history=spots"), "all, without_evictions, on_demand"));
  CHECK(contains(error("samples_kept=some"), "refresh, all"));
  CHECK(contains(error("lifetimes=1"), "lifetimes"));
}

QuotedStudy quoted(const std::string& text, const std::vector<std::string>& overrides) {
  ConfigNode root = parse_yaml(text, "study.yaml");
  for (const std::string& assignment : overrides) apply_override(root, assignment);
  static NoPythonPolicies none;
  return read_quoted_study(
      {.root = root, .folder = ".", .window = std::nullopt, .policies = &none});
}

TEST_CASE("quote_lifetimes: the same for any number of threads, and monotone") {
  const QuotedStudy settings = quoted(kSynthetic, small_with({"target=[none, 0.25, 0.05]"}));
  const SlaQuotes one = quote_lifetimes(settings, std::chrono::hours(40), 1);
  CHECK(quotes_json(one) == quotes_json(quote_lifetimes(settings, std::chrono::hours(40), 3)));
  REQUIRE(one.sizes.size() == 1);
  CHECK(one.evicted == std::vector<double>{0.25, 0.05});
  CHECK(one.sizes[0].lifetimes[1] <= one.sizes[0].lifetimes[0]);
  CHECK(contains(quotes_text(one), "95 % live at least"));
  CHECK_THROWS_AS(
      (void)quote_lifetimes(quoted(kSynthetic, small_with({"target=none"})), std::nullopt, 1),
      ConfigError);
}

TEST_CASE("stand-ins: have the numbers that were published of the real traces") {
  for (const StandIn& trace : stand_ins()) {
    CAPTURE(trace.name);
    const Workload workload = generate_stand_in(trace, 1);
    std::size_t instances = 0;
    for (const StandIn::Size& size : trace.sizes) instances += static_cast<std::size_t>(size.count);
    CHECK(workload.rows.size() == instances);
    // The mean jumps by up to 2 % when lives grow so long that one more instance ran at the start.
    CHECK(mean_vcpus(workload.rows, SimTime{0}, workload.window) ==
          doctest::Approx(trace.mean_vcpus).epsilon(0.02));
    CHECK(workload.rows == generate_stand_in(trace, 1).rows);
    CHECK_FALSE(workload.rows == generate_stand_in(trace, 2).rows);
  }
  // Instances as the digest of the traces counts them.
  CHECK(generate_stand_in(find_stand_in("ds2"), 1).rows.size() == 900);
  CHECK(generate_stand_in(find_stand_in("ds3"), 1).rows.size() == 2600);
  CHECK(generate_stand_in(find_stand_in("ds5"), 1).rows.size() == 8456);
  CHECK(generate_stand_in(find_stand_in("ds6"), 1).rows.size() == 4157);
  CHECK_THROWS_AS((void)find_stand_in("ds4"), ConfigError);
}

TEST_CASE(
    "study sla: trace A's instances of 12 vcpus need hosts of 12, which the paper gives to B") {
  // Table II swaps the platforms of A and B; on 7 x 8 no instance of 12 could run.
  const auto admitted = [](const std::string& host) {
    const SlaSettings settings = sla_settings_of(
        kSynthetic, {"workloads={synthetic: ds2}", "spot_workloads={synthetic: ds3}", "hosts=7",
                     "target=none", "seed=1", host});
    const RunOutcome result = run_sla(settings);
    return result.run().vm_rejected;
  };
  CHECK(admitted("host.vcpus=8") >= 51);
  CHECK(admitted("host.vcpus=12") < 51);
}

}  // namespace
}  // namespace cospot
