// What a recommendation is made of: the ranking that the summary has too, paired by seed.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/broker/broker_text.hpp"
#include "sim_harness/studies/broker/hold_out.hpp"
#include "sim_harness/studies/broker/recommendation.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

RankedSetting setting(std::size_t place, const std::vector<double>& per_job) {
  RankedSetting one{.at = {place}};
  for (std::size_t seed = 0; seed < per_job.size(); ++seed) {
    one.runs[seed] = {.cost = 10 * per_job[seed],
                      .cost_per_useful_job = per_job[seed],
                      .jobs = 10,
                      .on_demand = {.cost = 40}};
  }
  return one;
}

TEST_CASE("ranking: least cost per useful job; differences seed by seed, as a share of the best") {
  // The seeds differ by far more than the settings: means 2.1 and 2, differences .1, .1, .1 and
  // .2, -.2, .15 (mean .05, standard deviation sqrt(.0475) = .218: t x sd / sqrt(3) = .5414).
  std::vector<RankedSetting> all{setting(0, {1.1, 2.1, 3.1}), setting(1, {1.2, 1.8, 3.15}),
                                 setting(2, {1, 2, 3})};
  rank_settings(all, 0);
  CHECK(all[0].at[0] == 2);
  CHECK(all[1].at[0] == 1);
  CHECK(all[2].at[0] == 0);
  CHECK(all[0].cost.mean == doctest::Approx(20));
  CHECK(all[0].saving.mean == doctest::Approx(0.5));                   // of 40 USD on-demand
  CHECK(saving_text(all[0]) == "50.0 +/- 62.1% less than on-demand");  // 4.303 x .25 / sqrt(3)
  CHECK_FALSE(all[0].beats_on_demand());
  CHECK_FALSE(all[0].is_told_apart());
  CHECK(all[1].to_best->mean == doctest::Approx(0.05 / 2));
  CHECK(*all[1].to_best->half_width == doctest::Approx(0.541 / 2).epsilon(1e-2));
  CHECK_FALSE(all[1].is_told_apart());
  CHECK(all[2].to_best->mean == doctest::Approx(0.1 / 2));
  CHECK(all[2].is_told_apart());
  CHECK(to_best_text(all[1]) == "+2.5 +/- 27.1%, not significant");
  CHECK(to_best_text(all[2]) == "+5.0 +/- 0.0%");
}

TEST_CASE("ranking: a setting with which no job of a seed was in time comes last") {
  std::vector<RankedSetting> all{setting(0, {1, 1}), setting(1, {5, 5})};
  all[0].runs[1].cost_per_useful_job.reset();
  rank_settings(all, 0);
  CHECK(all[0].at[0] == 1);
  CHECK_FALSE(all[1].cost_per_useful_job.has_value());
  CHECK_FALSE(all[1].to_best.has_value());
}

TEST_CASE("ranking: settings that keep the limit of lateness first; undone work never does") {
  std::vector<RankedSetting> all{setting(0, {1, 1}), setting(1, {2, 2}), setting(2, {3, 3})};
  // Of 10 jobs, 3 and 1 are late, 2 of these on-demand too: none in excess, on average. The first
  // has 5 and 1: 10 % in excess. The second leaves a job undone in one seed.
  for (RankedSetting& one : all) {
    for (auto& [seed, run] : one.runs) run.on_demand.late = 2;
  }
  all[2].runs[0].late = 3;
  all[2].runs[1].late = 1;
  all[0].runs[0].late = 5;
  all[0].runs[1].late = 1;
  all[1].runs[0].late = all[1].runs[0].unfinished = 1;
  const auto order_with = [&all](double allowed) {
    rank_settings(all, allowed);
    return std::vector<std::size_t>{all[0].at[0], all[1].at[0], all[2].at[0]};
  };
  CHECK(order_with(0) == std::vector<std::size_t>{2, 0, 1});
  CHECK(all[0].keeps_limit(0));
  CHECK(all[1].more_late.mean == doctest::Approx(0.1));
  CHECK_FALSE(all[1].keeps_limit(0.09));
  CHECK(all[2].unfinished == 0.5);
  CHECK(saving_text(all[2]) == "0.5 jobs left undone");
  CHECK(saving_cell_text(all[2]) == "undone");
  CHECK_FALSE(all[2].beats_on_demand());
  CHECK(order_with(0.1) == std::vector<std::size_t>{0, 2, 1});
  CHECK_FALSE(all[2].keeps_limit(1));
}

TEST_CASE("ranking: of the settings that do not differ from the cheapest, the least dear seed") {
  // Differences from {1, 2, 3}: {.5, .2, -.3} (mean .133, standard deviation .404: half width 1.0)
  // cannot be told from 0, {.1, .1, .1} can, and {.2, .1, -.9} is beyond the limit: 2 of 10 late.
  std::vector<RankedSetting> all{setting(0, {1, 2, 3}), setting(1, {1.1, 2.1, 3.1}),
                                 setting(2, {1.5, 2.2, 2.7}), setting(3, {1.2, 2.1, 2.1})};
  for (auto& [seed, run] : all[3].runs) run.late = 2;
  rank_settings(all, 0.1);
  prefer_least_risk(all, 0.1);
  const auto places = [&all] {
    std::vector<std::size_t> at;
    for (const RankedSetting& one : all) at.push_back(one.at[0]);
    return at;
  };
  CHECK(places() == std::vector<std::size_t>{2, 0, 1, 3});
  rank_settings(all, 0.2);  // now the last one is the cheapest, and its dearest seed costs 2.1
  prefer_least_risk(all, 0.2);
  CHECK(places().front() == 3);
}

const std::string kStudy = R"(
study: broker
market: {synthetic: us_east_2011, seed: 3, days: 40}
jobs: {synthetic: grid, count: 300, days: 2}
)";

BrokerStudySettings broker_settings_of(
    const std::string& text, const BrokerStudySettings& defaults = recommendation_defaults()) {
  return read_broker_settings(parse_yaml(text, "test"), ".", defaults);
}

/// Of a study whose files are in a folder.
BrokerStudySettings settings_in(const ScratchFolder& folder, const std::string& text,
                                const BrokerStudySettings& defaults = recommendation_defaults()) {
  return read_broker_settings(parse_yaml(text, "test"), folder.path(), defaults);
}

TEST_CASE("recommend: 20 seeds, and what the page finds best, where the file says nothing") {
  const BrokerStudySettings settings = broker_settings_of(kStudy);
  CHECK(settings.seeds.size() == 20);
  CHECK(settings.market_choice == std::vector<std::string>{"preferred", "cheapest", "diversified"});
  CHECK(settings.fault_tolerance.back() == "interval");
  const BrokerStudySettings paper = broker_settings_of(kStudy, paper_defaults());
  CHECK(paper.seeds.size() == 1);
  CHECK(paper.market_choice == std::vector<std::string>{"preferred"});
  CHECK(paper.fault_tolerance.size() == 4);
}

TEST_CASE("recommend and summary rank by one rule") {
  const std::string text =
      kStudy + "bid: [minimum, on_demand]\nalpha: [1, 4]\nmarket_choice: [preferred, cheapest]\n" +
      "fault_tolerance: [none, migration]\non_demand_fallback: [false, true]\nseed: [1, 2, 3]\n" +
      "max_late_percent: 2\n";
  StudyFile file;
  file.root = parse_yaml(text, "test");
  file.folder = ".";
  NoProgress progress;
  ResultsDatabase results =
      run_in_memory(built_in_studies().find("broker")->read(file)(), 1, progress);
  std::vector<RankedSetting> summary = ranked_settings(results);
  // Those within the limit, then those beyond it: some of both. The recommended one comes first.
  prefer_least_risk(summary, 0.02);
  const RankedSetting best = summary.front();
  for (RankedSetting& one : summary) compare_setting(one, best);
  const Recommendation found =
      recommend(broker_settings_of(text), {.threads = 2, .hold_out_percent = 0});
  REQUIRE(found.ranked.size() + found.others.size() == summary.size());
  CHECK_FALSE(found.ranked.empty());
  CHECK_FALSE(found.others.empty());
  CHECK(found.dropped.empty());
  for (std::size_t i = 0; i < summary.size(); ++i) {
    const bool is_kept = i < found.ranked.size();
    const RankedSetting& one =
        (is_kept ? found.ranked[i] : found.others[i - found.ranked.size()]).figures;
    CHECK(summary[i].keeps_limit(0.02) == is_kept);
    CHECK(one.at == summary[i].at);
    CHECK(one.cost.mean == summary[i].cost.mean);
    CHECK(one.saving.mean == summary[i].saving.mean);
    CHECK(one.is_told_apart() == summary[i].is_told_apart());
  }
  const std::string page = broker_summary(results, Timing::kOff).text.plain();
  CHECK(page.starts_with("Cheapest within the limit: "));
  CHECK(page.find("Limit: at most 2.00% of the jobs late in excess of on-demand alone, on average "
                  "(max_late_percent), and none left undone, as in cospot broker recommend; ") !=
        std::string::npos);
}

TEST_CASE("recommend: dropping settings after the first seeds changes no recommendation") {
  // Against all settings on all seeds, with a limit that some keep after five seeds but not after
  // 20 (then all of them get 20), and with one that is easy to keep.
  const std::string text =
      kStudy +
      "bid: [minimum, mean, on_demand]\nalpha: [1, 4]\nfault_tolerance: [none, interval]\n";
  std::string seeds = "1";
  for (int seed = 2; seed <= 20; ++seed) seeds += ", " + std::to_string(seed);
  StudyFile file;
  file.root = parse_yaml(
      text +
          "market_choice: [preferred, cheapest, diversified]\non_demand_fallback: [false, true]\n" +
          "seed: [" + seeds + "]\n",
      "test");
  file.folder = ".";
  NoProgress progress;
  ResultsDatabase results =
      run_in_memory(built_in_studies().find("broker")->read(file)(), 2, progress);
  const std::vector<RankedSetting> all = ranked_settings(results);
  for (const double allowed_late : {0.0, 0.05}) {
    BrokerStudySettings settings = broker_settings_of(text);
    settings.max_late_percent = 100 * allowed_late;
    const Recommendation found = recommend(settings, {.threads = 2, .hold_out_percent = 0});
    const double allowed = 300 * (found.on_demand.late_share + allowed_late) + 1e-9;
    CHECK(found.dropped.empty() == (allowed_late == 0));
    std::vector<RankedSetting> safe;
    std::ranges::copy_if(all, std::back_inserter(safe), [&](const RankedSetting& one) {
      return one.late.mean <= allowed && one.unfinished == 0 && one.cost_per_useful_job;
    });
    std::ranges::sort(safe, {}, [](const auto& one) { return one.cost_per_useful_job->mean; });
    REQUIRE_FALSE(safe.empty());
    const RankedSetting cheapest = safe.front();
    const auto dearest_seed = [&](RankedSetting one) {
      compare_setting(one, cheapest);
      double most = one.is_told_apart() ? 1e9 : 0;
      for (const auto& [seed, run] : one.runs) most = std::max(most, *run.cost_per_useful_job);
      return most;
    };
    const RankedSetting best = *std::ranges::min_element(safe, {}, dearest_seed);
    REQUIRE_FALSE(found.ranked.empty());
    CHECK(found.ranked.front().figures.at == best.at);
    CHECK(found.ranked.front().figures.cost.mean == best.cost.mean);
  }
}

TEST_CASE("recommend: the saving is against the cheapest way to run on-demand") {
  // One market of a price that never changes: every setting costs 0.03 / 0.085 of on-demand.
  const ScratchFolder folder;
  (void)folder.write("a.csv", "time,price\n0,0.03\n5184000,0.03\n");
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,parallelism,deadline_s\n0,7000,1,50000\n");
  const std::string text =
      "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\n"
      "jobs: {csv: jobs.csv}\nbid: [on_demand, high]\nalpha: 2\nfault_tolerance: duplication\n";
  const Recommendation found = recommend(settings_in(folder, text), {.threads = 1});
  REQUIRE_FALSE(found.ranked.empty());
  CHECK(found.seeds == 20);
  CHECK(found.days == 1);  // of one job: the day that its submission is in
  CHECK(found.drawn == std::vector<std::string>{"estimates"});
  CHECK(found.ranked.front().figures.saving.mean == doctest::Approx(1 - 0.03 / 0.085));
  CHECK(found.beats_on_demand());
  REQUIRE(found.bids.size() == 1);
  CHECK(found.bids[0].type == "m1.small");
  CHECK(found.bids[0].os == "Linux/UNIX");
  CHECK(found.bids[0].datacenter == "a");
  CHECK(found.bids[0].bid == 85'000);
  CHECK(found.bids[0].share == 1);
  // Three hours of 0.03 USD on one day are 30.4375 x 0.09 USD a month or less by the idle hour.
  CHECK(recommendation_text(found).find("USD a month") != std::string::npos);
}

TEST_CASE("broker: the setting of jobs that a report shows reads the same jobs again") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", "time,price\n0,0.03\n5184000,0.03\n");
  (void)folder.write("jobs.csv", "submission_s,duration_s\n0,7000\n");
  const auto read = [&](const std::string& jobs) {
    const std::string text =
        "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\njobs: " + jobs;
    return settings_in(folder, text).jobs.front();
  };
  const JobsSpec jobs = read("{csv: jobs.csv, label: mine, count: 1}");
  const JobsSpec again = read(axis_value(jobs).yaml);
  CHECK(again.file == jobs.file);
  CHECK(again.label == "mine");
  CHECK(again.count == 1);
}

TEST_CASE("broker: the days of jobs are those of the jobs that count, not of the whole log") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", "time,price\n0,0.03\n5184000,0.03\n");
  // Two jobs a day for two days, then none until day 30. Jobs without a run time do not count.
  std::string csv = "submission_s,duration_s\n0,7000\n43200,7000\n86400,7000\n129600,7000\n";
  csv += "140000,0\n2592000,7000\n";
  (void)folder.write("jobs.csv", csv);
  const auto loaded = [&](const std::string& more) {
    const std::string text =
        "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\n"
        "jobs: {csv: jobs.csv" +
        more + "}\n";
    return load_broker_inputs(settings_in(folder, text)).jobs.front();
  };
  // Four jobs in 1.5 days, each with its half day until the next: 2 days.
  CHECK(loaded(", count: 4").days == 2);
  CHECK(loaded(", count: 4").pace_days == doctest::Approx(2));
  // Five jobs in 30 days: 30 x 5 / 4.
  CHECK(loaded("").days == 31);
  CHECK(loaded("").pace_days == doctest::Approx(37.5));
  // Stated days count, unless the jobs that count come in fewer.
  CHECK(loaded(", days: 10").pace_days == 10);
  CHECK(loaded(", days: 365").pace_days == 365);
  CHECK(loaded(", days: 10, count: 4").pace_days == doctest::Approx(2));
}

TEST_CASE("recommend: the search includes the fallback to on-demand, and says what it costs") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", "time,price\n0,0.03\n5184000,0.03\n");
  // 7,000 s of work and 300 s of boot are 3 hours. 14,000 s are less than 2 x 7,000 + 300: with the
  // fallback the job runs on-demand, for 3 x 0.085 instead of 3 x 0.03 USD.
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,parallelism,deadline_s,estimate_s\n"
                     "0,7000,1,14000,7000\n");
  const std::string text =
      "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\n"
      "jobs: {csv: jobs.csv}\nbid: high\nalpha: 1\nfault_tolerance: none\nseed: [1, 2]\n"
      "market_choice: cheapest\n";
  const auto found_of = [&](const std::string& more) {
    return recommend(settings_in(folder, text + more), {.threads = 1});
  };
  const Recommendation found = found_of("");
  REQUIRE(found.ranked.size() == 2);
  CHECK_FALSE(found.ranked.front().on_demand_fallback);
  REQUIRE(found.fallback.has_value());
  CHECK(found.fallback->added_cost.mean == doctest::Approx(3 * 0.055));
  CHECK(found.fallback->cost_without == doctest::Approx(3 * 0.03));
  CHECK(found.fallback->late_share_with == 0);
  CHECK(recommendation_text(found).find("do not use it; the setting with it costs 0.17 +/- 0.00 "
                                        "USD (183.3%) more than without") != std::string::npos);
  CHECK_FALSE(found_of("on_demand_fallback: false\n").fallback.has_value());
  // Without capacity from the first submission on, only the fallback gets the job done.
  (void)folder.write("a.csv", "time,available,price\n0,1,0.03\n604800,0,\n1400000,0,\n");
  const auto scarce = [&](const std::string& more) {
    std::string study = text + more;
    study.replace(study.find("prices: a.csv"), 13, "availability: a.csv");
    return recommend(settings_in(folder, study), {.threads = 1});
  };
  const Recommendation with = scarce("");
  REQUIRE(with.ranked.size() == 1);
  CHECK(with.ranked.front().on_demand_fallback);
  CHECK(with.ranked.front().figures.cost.mean == doctest::Approx(3 * 0.085));
  CHECK(with.fallback->late_share_without == 1);
  const Recommendation without = scarce("on_demand_fallback: false\n");
  CHECK(without.ranked.empty());
  CHECK(recommendation_text(without).find("Let the search try on_demand_fallback") !=
        std::string::npos);
}

TEST_CASE("hold out: two parts, each with the time for the jobs; its prices come again after it") {
  const ScratchFolder folder;
  constexpr Seconds kDay = 86'400;
  // 0.03 USD, from day 5 on 0.04, from day 30 on 0.05; one job of 7,000 s.
  (void)folder.write("a.csv", "time,price\n0,0.03\n432000,0.04\n2592000,0.05\n3456000,0.05\n");
  (void)folder.write("jobs.csv", "submission_s,duration_s,parallelism\n0,7000,1\n");
  const BrokerStudySettings settings = read_broker_settings(
      parse_yaml("study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\n"
                 "jobs: {csv: jobs.csv}\n",
                 "test"),
      folder.path(), recommendation_defaults());
  const BrokerInputs inputs = load_broker_inputs(settings);
  const HistoryParts parts = split_history(settings, inputs, 50);
  CHECK(parts.too_short.empty());
  REQUIRE(parts.held_out.has_value());
  // 20 days of 40: the first start a week later, the last a day of jobs and 7,000 s before the end.
  CHECK(parts.choosing_days == 20);
  CHECK(parts.choosing.starts->first == 7 * kDay);
  CHECK(parts.choosing.starts->length == 12 * kDay - 7000);
  CHECK(parts.held_out->starts->first == 20 * kDay);
  CHECK(parts.held_out->starts->length == 19 * kDay - 7000);
  const auto price = [](const BrokerInputs& part, Seconds day) {
    return part.markets[0].markets[0].prices.at(day * kDay);
  };
  for (const auto& [day, usd] : {std::pair{1, 30'000}, {6, 40'000}, {21, 30'000}, {26, 40'000}}) {
    CHECK(price(parts.choosing, day) == usd);  // days 21 and 26 are 1 and 6 again
  }
  for (const auto& [day, usd] : {std::pair{1, 30'000}, {21, 40'000}, {31, 50'000}, {41, 40'000}}) {
    CHECK(price(*parts.held_out, day) == usd);  // day 41 is 21 again
  }
  CHECK_FALSE(split_history(settings, inputs, 0).held_out.has_value());
  CHECK(split_history(settings, inputs, 0).too_short.empty());
  // A week is the least for each part, and two for the first. 30% of 40 days are 12, 15% are 6.
  CHECK(split_history(settings, inputs, 30).held_out.has_value());
  const HistoryParts few = split_history(settings, inputs, 15);
  CHECK_FALSE(few.held_out.has_value());
  CHECK_FALSE(few.choosing.starts.has_value());
  CHECK(contains(few.too_short,
                 "of 40.0 days of price history, --hold-out 15 leaves 34.0 to choose and 6.0 to "
                 "hold out, expected at least 14.0 and 7.0 for these jobs"));
  CHECK_FALSE(split_history(settings, inputs, 70).too_short.empty());  // 12 days to choose
}

TEST_CASE("hold out: what it costs on days that played no part in the choice") {
  const ScratchFolder folder;
  // 30 days of 0.03 USD. Then, for another 30, the same or an hour in four above the bid.
  std::string calm = "time,price\n0,0.03\n", restless = calm;
  for (int hour = 720; hour < 1440; hour += 4) {
    restless += fmt::format("{},0.2\n{},0.03\n", 3600 * hour, 3600 * (hour + 1));
  }
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,parallelism,deadline_s\n0,18000,1,86400\n");
  const auto found_with = [&folder](const std::string& prices, double percent) {
    (void)folder.write("a.csv", prices + "5184000,0.03\n");
    const std::string text =
        "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: a.csv}]\n"
        "jobs: {csv: jobs.csv}\nbid: on_demand\nalpha: 1\nfault_tolerance: [none, checkpoint]\n"
        "market_choice: cheapest\non_demand_fallback: false\nseed: [1, 2, 3, 4]\n";
    return recommend(settings_in(folder, text), {.threads = 2, .hold_out_percent = percent});
  };
  // 18,000 s of work, 300 of boot and 28 a snapshot are 6 hours of 0.03 USD with each.
  const Recommendation same = found_with(calm, 50), found = found_with(restless, 50);
  for (const Recommendation* one : {&same, &found}) {
    CHECK(one->ranked.front().figures.cost.mean == doctest::Approx(6 * 0.03));
    CHECK(one->ranked.front().fault_tolerance == "none");
    REQUIRE(one->held_out.has_value());
    CHECK(one->held_out->days == 30);
  }
  CHECK(same.held_out->setting.figures.cost.mean == doctest::Approx(6 * 0.03));
  CHECK(same.held_out->setting.figures.to_best->mean == 0);
  CHECK(contains(recommendation_text(same),
                 "Expected: 0.18 +/- 0.00 USD for 1 day of jobs; on the last 30 days, which played "
                 "no part in the choice, they cost 0.18 +/- 0.00 USD (with the best setting "
                 "afterwards: 0.18 +/- 0.00)\nChosen on the first 30 days: "));
  // Of three hours in bid, a job of five gets done with snapshots. Without them it is done once it
  // is urgent, or late.
  const HeldOut& later = *found.held_out;
  REQUIRE(later.best.has_value());
  CHECK(later.best->fault_tolerance == "checkpoint");
  CHECK(later.setting.fault_tolerance == "none");
  CHECK(later.setting.figures.cost.mean > 1.2 * later.best->figures.cost.mean);
  CHECK(later.setting.figures.to_best->mean > 0.2);
  CHECK(later.on_demand.cost.mean == doctest::Approx(6 * 0.085));
  CHECK(contains(recommendation_text(found),
                 "; regret against the best there (bid on_demand, fault tolerance checkpoint, "));
  // Nothing held out: the same setting is chosen with a look at all days, and says so.
  const Recommendation whole = found_with(restless, 0);
  CHECK_FALSE(whole.held_out.has_value());
  CHECK(whole.ranked.front().fault_tolerance == "checkpoint");
}

TEST_CASE("recommend: on-demand where spots save nothing") {
  const ScratchFolder folder;
  (void)folder.write("dear.csv", "time,price\n0,0.09\n5184000,0.09\n");
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,parallelism,deadline_s\n0,7000,1,50000\n");
  const std::string text =
      "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: dear.csv}]\n"
      "jobs: {csv: jobs.csv}\nbid: high\nalpha: 2\nfault_tolerance: none\nseed: [1, 2]\n";
  const Recommendation found = recommend(settings_in(folder, text), {.threads = 1});
  CHECK(found.ranked.front().figures.saving.mean < 0);
  CHECK_FALSE(found.beats_on_demand());
  CHECK(recommendation_text(found).starts_with(
      "Recommendation: on-demand; no setting is significantly cheaper"));
}

TEST_CASE("recommend: where only capacity ends instances, bids are no choice") {
  const ScratchFolder folder;
  (void)folder.write("a.csv",
                     "time,available,price\n0,1,0.03\n1000000,0,\n1003600,1,0.03\n5184000,0,\n");
  (void)folder.write("jobs.csv", "submission_s,duration_s,parallelism\n0,7000,1\n90000,70000,1\n");
  const std::string text =
      "study: broker\nmarket: [{type: m1.small, datacenter: a, availability: a.csv}]\n"
      "jobs: {csv: jobs.csv}\nbilling: per_second\nnotice_seconds: 120\n";
  const BrokerStudySettings settings = settings_in(folder, text);
  CHECK(settings.bid == std::vector<std::string>{"on_demand"});
  const Recommendation found = recommend(settings, {.threads = 2});
  CHECK_FALSE(found.has_prices);
  // 0.03 against 0.085 USD/h; nobody pays for seconds without capacity more than for others.
  CHECK(found.ranked.front().figures.saving.mean ==
        doctest::Approx(1 - 0.03 / 0.085).epsilon(0.02));
  const std::string page = recommendation_text(found);
  CHECK(page.find("Markets of availability") != std::string::npos);
  CHECK(page.find("with exactly the results of another one") != std::string::npos);
}

TEST_CASE("availability: all bids do the same, also the mean, which equals the price") {
  const ScratchFolder folder;
  (void)folder.write("a.csv",
                     "time,available,price\n0,1,0.09\n1000000,0,\n1003600,1,0.09\n5184000,0,\n");
  (void)folder.write("jobs.csv", "submission_s,duration_s,parallelism\n0,7000,1\n90000,70000,1\n");
  StudyFile file;
  file.root = parse_yaml(
      "study: broker\nmarket: [{type: m1.small, datacenter: a, availability: a.csv}]\n"
      "jobs: {csv: jobs.csv}\nbid: [minimum, mean, on_demand, high, current]\nalpha: 2\n"
      "market_choice: [cheapest, lifetime]\nseed: [1, 2, 3, 4]\n",
      "test");
  file.folder = folder.path();
  NoProgress progress;
  ResultsDatabase results =
      run_in_memory(built_in_studies().find("broker")->read(file)(), 1, progress);
  const std::vector<RankedSetting> all = ranked_settings(results);
  const std::size_t bid = broker_table().position(kBidAxis.name);
  for (const RankedSetting& one : all) {
    Coordinates first = one.at;
    first[bid] = 0;
    const auto same = std::ranges::find(all, first, &RankedSetting::at);
    REQUIRE(same != all.end());
    CHECK(same->runs == one.runs);
  }
}

TEST_CASE("SWF: the requested time is the user's estimate, unless the study says otherwise") {
  const ScratchFolder folder;
  // Requested: 9,000 s, unknown, 0 s.
  (void)folder.write("log.swf",
                     "1 0 -1 7000 1 -1 -1 -1 9000 -1 1 1 1 -1 -1 1 -1 -1\n"
                     "2 600 -1 3000 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 1 -1 -1\n"
                     "3 700 -1 3000 1 -1 -1 -1 0 -1 1 1 1 -1 -1 1 -1 -1\n");
  const auto jobs_of = [&folder](const std::string& more) {
    const std::string text =
        "study: broker\nmarket: {synthetic: us_east_2011}\njobs: {swf: log.swf" + more + "}\n";
    const BrokerInputs inputs = load_broker_inputs(settings_in(folder, text, paper_defaults()));
    return make_broker_jobs(inputs.jobs.front().log.jobs, 3, 86'400, 1, JobModel{});
  };
  const auto stated = jobs_of(""), drawn = jobs_of(", requested_time: false");
  CHECK(stated[0].estimate == 9000);  // of one processor: the speedup is 1
  CHECK(drawn[0].estimate != 9000);
  CHECK(stated[1].estimate == drawn[1].estimate);
  CHECK(stated[2].estimate == drawn[2].estimate);
  // 1.5 to 4 times the estimate is the deadline.
  CHECK(stated[0].deadline >= 13'500);
  CHECK(stated[0].deadline <= 36'000);
}

TEST_CASE("recommend: cautions, and what it cannot answer") {
  const ScratchFolder folder;
  // Prices of 2020, for 16 days: room for one start.
  (void)folder.write("new.csv",
                     "time,price\n2020-01-01T00:00:00Z,0.03\n2020-01-16T00:00:00Z,0.03\n");
  (void)folder.write("jobs.csv", "submission_s,duration_s,memory_mb\n0,7000,100\n100000,5,\n");
  const std::string text =
      "study: broker\nmarket: [{type: m1.small, datacenter: a, prices: new.csv}]\n"
      "jobs: {csv: jobs.csv}\nbid: high\nalpha: 2\nfault_tolerance: none\n";
  const auto read = [&folder](const std::string& study) { return settings_in(folder, study); };
  const RecommendOptions whole{.threads = 1, .hold_out_percent = 0};
  CHECK(recommend(read(text), {}).cautions[0].starts_with("nothing is held out, so "));
  const Recommendation found = recommend(read(text), whole);
  REQUIRE(found.cautions.size() == 2);
  CHECK(found.cautions[0].find("room for one start of 2 days of jobs") != std::string::npos);
  CHECK(found.cautions[1].find("since then EC2 ends instances when it needs") != std::string::npos);
  // 20 days less a week at both ends leave 6: room for three times 2 days of jobs.
  (void)folder.write("new.csv",
                     "time,price\n2016-01-01T00:00:00Z,0.03\n2016-01-21T00:00:00Z,0.03\n");
  const Recommendation older = recommend(read(text + "seed: [1, 2, 3, 4]\n"), whole);
  REQUIRE(older.cautions.size() == 1);
  CHECK(older.cautions[0].starts_with(
      "the 4 seeds start at overlapping times: only 3 stretches of 2 days fit between"));
  CHECK(recommend(read(text + "seed: [1, 2, 3]\n"), whole).cautions.empty());
  CHECK_THROWS_WITH_AS((void)recommend(read(text + "billing: [hourly, per_second]\n"), {}),
                       "more than one value of: billing; expected one: choose with --set, or use "
                       "cospot compare for all",
                       ConfigError);
  // On the one core of m1.small, 36 h on 3 nodes are 108 h if the speedup is linear; 100 are left.
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,nodes,deadline_s,parallelism\n0,7000,1,,\n"
                     "10000,129600,3,370000,8\n100000,5,1,,\n");
  const Recommendation late = recommend(read(text + "seed: [1, 2, 3]\n"), whole);
  REQUIRE(late.cautions.size() == 1);
  CHECK(
      late.cautions[0].starts_with("1 of 3 jobs cannot meet its deadline on any type, and is 98% "
                                   "of all work: "));
  CHECK(contains(late.cautions[0],
                 "jobs.csv:3: job 2 asks for 3 nodes for 36 h, at least 108 h on m1.small, the "
                 "fastest type, and has 100 h until its deadline; check"));
  // 600 h on 9 nodes are 5,400 h, more than ten times the 20 days of prices.
  (void)folder.write("jobs.csv",
                     "submission_s,duration_s,nodes,parallelism\n0,7000,1,\n9,2160000,9,9\n");
  CHECK(contains(
      error_text<ConfigError>([&] { (void)recommend(read(text), {}); }),
      "jobs.csv:3: job 2 asks for 9 nodes for 600 h, at least 5400 h on m1.small, the "
      "fastest type; expected at most 10 times the 480 h for which market markets has prices"));
  // One of twenty jobs that is most of all work: 30 h of 30 h + 19 x 0.5 h.
  std::string jobs = "submission_s,duration_s\n0,108000\n";
  for (int i = 1; i < 20; ++i) jobs += fmt::format("{},1800\n", 9000 * i);
  (void)folder.write("jobs.csv", jobs);
  const Recommendation large = recommend(read(text + "seed: [1, 2, 3]\n"), whole);
  REQUIRE(large.cautions.size() == 1);
  CHECK(contains(large.cautions[0], "jobs.csv:2: job 1 is 76% of the work of all 20 jobs, and"));
  (void)folder.write("jobs.csv", "submission_s,duration_s,memory_mb\n0,7000,4096\n");
  CHECK_THROWS_WITH_AS((void)recommend(read(text), {}),
                       "jobs jobs.csv: job 1: memory_mb is 4096, expected at most the 1740 MiB of "
                       "m1.small, the largest type of market markets",
                       ConfigError);
}

}  // namespace
}  // namespace cospot
