#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"
#include "guarantees/pricing/job_simulation.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

using doctest::Approx;

constexpr double kTenMinutes = 10.0 / 60;

TEST_CASE("checkpoint model: equations 1 and 2 at the paper's values") {
  // sqrt(2 * (1/6) * 15) = sqrt 5 = 2.23607; 1 / (1 + sqrt(2 * (1/6) / 15)) = 1 / (1 + 0.149071)
  CHECK(optimal_interval(kTenMinutes, 15) == Approx(2.2361).epsilon(1e-4));
  CHECK(best_performance(kTenMinutes, 15) == Approx(0.8703).epsilon(1e-4));
  CHECK(optimal_interval(kTenMinutes, 4) == Approx(1.1547).epsilon(1e-4));
  CHECK(extra_time(kTenMinutes, 4, optimal_interval(kTenMinutes, 4)) ==
        Approx(.2887).epsilon(1e-3));
  CHECK(best_performance(kTenMinutes, 4) == Approx(0.7760).epsilon(1e-4));
  CHECK(best_performance(kTenMinutes, 3.72) == Approx(0.7696).epsilon(1e-4));
  CHECK(best_performance(kTenMinutes, 84) == Approx(0.9407).epsilon(1e-4));
  CHECK(best_performance(kTenMinutes, 17) == Approx(0.8772).epsilon(1e-4));
  // EC2's m1.large: 8760 h / 555. Hourly: 1/6 + 0.5 / 15.784 = 0.19834 extra, 16.55 % of its time.
  CHECK(extra_time(kTenMinutes, 8760.0 / 555, 1) == Approx(0.19834).epsilon(1e-4));
  CHECK(expected_time(100, kTenMinutes, 8760.0 / 555, 1) == Approx(119.834).epsilon(1e-5));
}

TEST_CASE("checkpoint model: the closed form, half the memory, and a wrong MTTR") {
  for (const double mttr : {0.5, 3.72, 15.0, 84.0, 1000.0}) {
    const double interval = optimal_interval(kTenMinutes, mttr);
    CHECK(best_performance(kTenMinutes, mttr) ==
          Approx(performance(kTenMinutes, mttr, interval)).epsilon(1e-12));
    const auto overhead = [&](double delta) { return 1 / best_performance(delta, mttr) - 1; };
    CHECK(overhead(kTenMinutes / 2) == Approx(overhead(kTenMinutes) / std::sqrt(2)).epsilon(1e-12));
  }
  CHECK(checkpoint_hours(16) == Approx(kTenMinutes));
  CHECK(checkpoint_hours(8) == Approx(5.0 / 60));
  const auto assumed = [](double truth, double assumption) {
    return performance(kTenMinutes, truth, optimal_interval(kTenMinutes, assumption));
  };
  CHECK(assumed(84, 0.5) == Approx(.7089).epsilon(1e-4));
  CHECK(assumed(84, 24) == Approx(.9296).epsilon(1e-4));
  CHECK(assumed(17, 0.5) == Approx(.7041).epsilon(1e-4));
  CHECK(assumed(17, 24) == Approx(.8756).epsilon(1e-4));
  CHECK(best_performance(kTenMinutes, std::numeric_limits<double>::infinity()) == 1);
}

TEST_CASE("checkpoint model: the mean life behind a share that is revoked before some life") {
  // Half are revoked before the half-life, MTTR x ln 2; 1 / 0.693147 = 1.442695.
  CHECK(mean_life(1, 0.5) == Approx(1.442695).epsilon(1e-6));
  // A small share is about life / MTTR: -24 / ln 0.99 = 2387.98, nearly 24 / 0.01 less half the 24.
  CHECK(mean_life(24, 0.01) == Approx(2387.98).epsilon(1e-5));
  CHECK_THROWS_WITH_AS((void)mean_life(24, 1), "the share is 1, expected a number between 0 and 1",
                       ConfigError);
}

TEST_CASE("checkpoint model: the exact renewal process, worked by hand") {
  // GCE, 12 h assumed: 2 h of work between checkpoints; one segment is 2 + 1/6 h.
  // e^(2.166667 / 3.72) - 1 = e^0.582437 - 1 = 0.790396, x 3.72 = 2.940273 h for 2 h of work.
  const double gce = renewal_performance(kTenMinutes, 3.72, 2, 0);
  CHECK(gce == Approx(2 / 2.940273).epsilon(1e-5));
  // 0.2 h to boot and restore make that e^(0.2 / 3.72) = 1.055235 times as long.
  CHECK(renewal_performance(kTenMinutes, 3.72, 2, 0.2) == Approx(gce / 1.055235).epsilon(1e-5));
  // EC2, hourly, a quarter more revocations: 3.72 / 1.25 = 2.976 h.
  // e^(1.166667 / 2.976) - 1 = e^0.392025 - 1 = 0.479975, x 2.976 = 1.428406 h for one of work.
  CHECK(renewal_performance(kTenMinutes, 2.976, 1, 0) == Approx(1 / 1.428406).epsilon(1e-5));
  // Users offer (e^(4.615121 / 1.470137) - 1) / 100 = 22.08 %, the 1 / 4.53th of on demand.
  CHECK(1 / price(PriceRule::kUtility, gce) == Approx(4.528).epsilon(1e-3));
}

TEST_CASE("checkpoint model: the limits of the exact renewal process") {
  const double infinite = std::numeric_limits<double>::infinity();
  // Without revocations equation 2 and it are the same, t / (t + d). The first terms that differ
  // are (t + d)^2 / 2M and t^2 / 2M of extra time: here 0.180556 / M, times the speed squared.
  for (const double mttr : {1e3, 1e4, 1e5}) {
    const double difference =
        performance(kTenMinutes, mttr, 1) - renewal_performance(kTenMinutes, mttr, 1, 0);
    CHECK(difference == Approx(0.180556 * 36 / 49 / mttr).epsilon(4 / std::sqrt(mttr)));
  }
  // Never revoked: 1 h of 1 1/6 h. Never saved: no work is ever done, unless never revoked.
  CHECK(renewal_performance(kTenMinutes, infinite, 1, 0.2) == Approx(6.0 / 7));
  CHECK(renewal_performance(kTenMinutes, 1e14, 1, 0) == Approx(6.0 / 7).epsilon(1e-12));
  CHECK(renewal_performance(kTenMinutes, infinite, infinite, 0) == 1);
  CHECK(renewal_performance(kTenMinutes, 5, infinite, 0) == 0);
  CHECK(renewal_performance(kTenMinutes, 0.001, 1, 0) == 0);  // e^1167 is beyond a double
}

TEST_CASE("price: what users offer, and the equilibrium price") {
  const std::array<std::pair<double, double>, 6> offered{
      {{0, 0}, {50, 9.05}, {70, 24.29}, {90, 62.66}, {98.9, 95.00}, {100, 100}}};
  for (const auto& [percent, offer] : offered) {
    CHECK(100 * price(PriceRule::kUtility, percent / 100) == Approx(offer).epsilon(5e-4));
  }
  CHECK(price(PriceRule::kEquilibrium, 0.75) == 0.75);
  // A server that loses 25 % of its time is worth 0.075 where on demand costs 0.10; one on which
  // work takes 25 % more time is worth 0.10 / 1.25 = 0.08.
  CHECK(0.10 * price(PriceRule::kEquilibrium, 1 - 0.25) == Approx(0.075));
  CHECK(0.10 * price(PriceRule::kEquilibrium, 1 / (1 + 0.25)) == Approx(0.08));
}

TEST_CASE("checkpoint model: what cannot be is refused") {
  const auto error = [](const auto& call) { return error_text<ConfigError>(call); };
  CHECK(error([] { (void)checkpoint_hours(0); }) ==
        "the memory size in GB is 0, expected a number above 0");
  CHECK(contains(error([] { (void)optimal_interval(0, 1); }), "the time of a checkpoint is 0"));
  CHECK(contains(error([] { (void)best_performance(1, -1); }), "the time to revocation is -1"));
  CHECK(
      contains(error([] { (void)performance(1, 1, std::nan("")); }), "between checkpoints is nan"));
  CHECK(contains(error([] { (void)renewal_performance(1, 1, 0, 0); }), "checkpoints is 0"));
  CHECK(contains(error([] { (void)renewal_performance(1, 1, 1, -1); }), "time to restart is -1"));
}

TEST_CASE("simulate_job: Poisson revocations agree with equation 2 within 2 %") {
  // 1,000 years of 555 revocations, and rarer ones.
  for (const double mttr : {8760.0 / 555, 84.0, 500.0}) {
    const double best = optimal_interval(kTenMinutes, mttr);
    for (const double interval : {best, 1.0, 2 * best}) {
      PoissonRevocations servers(mttr, 7);
      const JobOutcome outcome =
          simulate_job(8760.0 * 1000, servers, CheckpointPolicy::every(interval), {});
      CAPTURE(mttr);
      CAPTURE(interval);
      const double exact = renewal_performance(kTenMinutes, mttr, interval, 0);
      CHECK(outcome.performance() == Approx(exact).epsilon(0.003));
      if (interval <= best) {
        CHECK(outcome.performance() ==
              Approx(performance(kTenMinutes, mttr, interval)).epsilon(0.02));
      }
      CHECK(outcome.finished);
      CHECK(outcome.useful == Approx(8760.0 * 1000).epsilon(1e-9));
      CHECK(static_cast<double>(outcome.revocations) ==
            Approx(outcome.elapsed() / mttr).epsilon(0.01));
    }
  }
}

TEST_CASE("simulate_job: tends to the exact renewal process where equation 2 is far off") {
  // The paper's mean of 3.72 h, its ways to sell without guarantees, 10 minutes to restore and 2 to
  // boot. In 1,000,000 h of work there are 400,000 revocations: 0.5 % is more than three times the
  // deviation of a mean of so many.
  const JobCosts ec2{.checkpoint = kTenMinutes, .restore = kTenMinutes, .boot = 2.0 / 60};
  for (const double interval : {std::sqrt(1.0 / 6), 1.0, 2.0, std::sqrt(8.0)}) {
    for (const JobCosts& costs : {JobCosts{}, ec2}) {
      PoissonRevocations servers(3.72, 11);
      const JobOutcome outcome =
          simulate_job(1e6, servers, CheckpointPolicy::every(interval), costs);
      CAPTURE(interval);
      CHECK(outcome.performance() ==
            Approx(renewal_performance(kTenMinutes, 3.72, interval, costs.restore + costs.boot))
                .epsilon(0.005));
    }
  }
}

TEST_CASE("simulate_job: the oracle loses only the checkpoint before each revocation") {
  PoissonRevocations servers(8760.0 / 555, 3);
  const JobOutcome outcome = simulate_job(8760.0 * 100, servers, CheckpointPolicy::oracle(), {});
  // At most delta / MTTR = 1.06 % of the time; lives below delta are lost whole.
  CHECK(outcome.recomputing == 0);
  CHECK(1 - outcome.performance() == Approx(kTenMinutes * 555 / 8760).epsilon(0.03));
}

TEST_CASE("simulate_job: recorded spans, worked by hand") {
  // To be had: 1-3.9, 10-11, 20-30. Work 3 h, a checkpoint of 0.5 h after each hour of work.
  //  1-2 work, -2.5 saved, -3.5 work, 3.9 cut short while saving: 0.4 h lost saving, 1 h of work.
  // 10-10.25 boot, -10.5 restore, -11 work: lost.
  // 20-20.5 restart, -21.5 work, -22 saved, -23 work: done.
  RecordedAvailability servers({{1, 3.9}, {10, 11}, {20, 30}});
  const JobCosts costs{.checkpoint = 0.5, .restore = 0.25, .boot = 0.25};
  const JobOutcome outcome = simulate_job(3, servers, CheckpointPolicy::hourly(), costs);
  CHECK(outcome.finished);
  CHECK(outcome.useful == Approx(3));
  CHECK(outcome.checkpointing == Approx(0.5 + 0.4 + 0.5));
  CHECK(outcome.recomputing == Approx(1 + 0.5));
  CHECK(outcome.restarting == Approx(0.5 + 0.5));
  CHECK(outcome.waiting == Approx(1 + 6.1 + 9));
  CHECK(outcome.elapsed() == Approx(23));
  CHECK(outcome.revocations == 2);

  // The oracle: 1-3.4 work, saved at 3.9. 10.5 restarted; 11 is too soon for more than the
  // checkpoint: waits. 20.5-21.1 work: done.
  RecordedAvailability again({{1, 3.9}, {10, 11}, {20, 30}});
  const JobOutcome oracle = simulate_job(3, again, CheckpointPolicy::oracle(), costs);
  CHECK(oracle.elapsed() == Approx(21.1));
  CHECK(oracle.checkpointing == Approx(0.5));
  CHECK(oracle.recomputing == 0);

  RecordedAvailability short_record({{0, 1}});
  const JobOutcome cut = simulate_job(3, short_record, CheckpointPolicy::hourly(), costs);
  CHECK_FALSE(cut.finished);
  CHECK(cut.useful == 0);
}

TEST_CASE("simulate_job: recorded lives, such as those of evicted spots") {
  // Lives of 2 h: after each hour of work 0.5 h to save; the second hour is never done (1.5-2).
  // 1 h of work a server: 1 useful, 0.5 saved, 0.5 lost; the last server: 1 h. 5 h in 4 x 2 + 1.
  RecordedLives servers({2.0}, 1);
  const JobOutcome outcome =
      simulate_job(5, servers, CheckpointPolicy::hourly(), {.checkpoint = 0.5});
  CHECK(outcome.elapsed() == Approx(9));
  CHECK(outcome.revocations == 4);
}

TEST_CASE("simulate_job: what cannot be is refused") {
  const auto error = [](const auto& call) { return error_text<ConfigError>(call); };
  using Spans = std::vector<RecordedAvailability::Span>;
  CHECK(error([] {
          RecordedAvailability(Spans{{0, 2}, {1, 3}});
        }) == "span 2 of availability, from 1 to 3 h, overlaps the one before");
  CHECK(error([] {
          RecordedAvailability(Spans{{2, 1}});
        }) == "span 1 of availability, from 2 to 1 h, ends before it begins");
  CHECK(contains(error([] { RecordedAvailability(Spans{{-2, 1}}); }), "begins before hour 0"));
  CHECK(contains(error([] { RecordedLives({}, 1); }), "no recorded life"));
  CHECK(contains(error([] { RecordedLives({-1}, 1); }), "is -1 h, expected 0 or more"));
  CHECK(contains(error([] { PoissonRevocations(0, 1); }), "is 0 h, expected a number above 0"));
  const auto run = [&](double work, CheckpointPolicy policy, JobCosts costs) {
    return error([&] {
      RecordedLives servers({0.1}, 1);
      (void)simulate_job(work, servers, policy, costs);
    });
  };
  CHECK(contains(run(0, CheckpointPolicy::hourly(), {}), "the work of a job is 0 h"));
  CHECK(contains(run(1, CheckpointPolicy::every(0), {}), "the time between checkpoints is 0 h"));
  CHECK(contains(run(1, CheckpointPolicy::hourly(), {.checkpoint = 0}), "checkpoint is 0 h"));
  CHECK(contains(run(1, CheckpointPolicy::hourly(), {}), "the job saved nothing on 1000000"));
}

}  // namespace
}  // namespace cospot
