#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/data/workloads/workload_sample.hpp"

namespace cospot {
namespace {

/// Row i of tenant i / 4 % 2: runs of four, in which the last two are spots when `mixed`.
Workload runs_of_four(int rows, bool mixed) {
  Workload workload{.name = "w.csv", .sha256 = "00", .window = 7 * kDay};
  for (int i = 0; i < rows; ++i) {
    const bool spot = mixed && i % 4 >= 2;
    workload.rows.push_back({.id = std::to_string(i),
                             .tenant = std::to_string(i / 4 % 2),
                             .resources = {.vcpus = 1},
                             .instance_class = spot ? InstanceClass::kSpot : InstanceClass::kVm});
  }
  return workload;
}

std::set<int> ids(const Workload& workload) {
  std::set<int> result;
  for (const WorkloadRow& row : workload.rows) result.insert(std::stoi(row.id));
  return result;
}

TEST_CASE("sample_workload: Bernoulli keeps each request by itself, in order") {
  const int n = 100'000;
  const Workload whole = runs_of_four(n, false);
  const Workload sample = sample_workload(whole, Sampling::kBernoulli, 0.1, 5);
  // Binomial(100000, 0.1): mean 10000, deviation sqrt(9000) = 94.9; five of them.
  CHECK(std::abs(static_cast<double>(sample.rows.size()) - 10'000) < 475);
  int neighbours = 0;
  for (std::size_t i = 1; i < sample.rows.size(); ++i) {
    const int gap = std::stoi(sample.rows[i].id) - std::stoi(sample.rows[i - 1].id);
    REQUIRE(gap > 0);
    neighbours += gap == 1 ? 1 : 0;
  }
  // Both of two neighbours are kept with probability 0.01: mean 1000. The deviation of a count of
  // 1-dependent pairs is sqrt(n (0.01 * 0.99 + 2 (0.001 - 0.0001))) = 34.2; five of them.
  CHECK(std::abs(neighbours - 1000) < 171);
  CHECK(sample.window == whole.window);
}

TEST_CASE("sample_workload: batched keeps whole runs of one tenant and class") {
  for (const bool mixed : {false, true}) {
    const int size = mixed ? 2 : 4;
    const Workload whole = runs_of_four(40'000, mixed);
    const std::set<int> kept = ids(sample_workload(whole, Sampling::kBatched, 0.1, 6));
    int batches = 0;
    for (int first = 0; first < 40'000; first += size) {
      int members = 0;
      for (int i = first; i < first + size; ++i) members += kept.contains(i) ? 1 : 0;
      REQUIRE((members == 0 || members == size));
      batches += members == size ? 1 : 0;
    }
    // Binomial(40000 / size, 0.1), five deviations.
    const double mean = 4000.0 / size;
    CHECK(std::abs(batches - mean) < 5 * std::sqrt(0.9 * mean));
  }
}

TEST_CASE("sample_workload: draws one number a request, or a batch, in file order") {
  const Workload whole = runs_of_four(400, false);
  const std::set<int> kept = ids(sample_workload(whole, Sampling::kBernoulli, 0.3, 9));
  const std::set<int> batched = ids(sample_workload(whole, Sampling::kBatched, 0.3, 9));
  Random random(9);
  for (int i = 0; i < 400; ++i) {
    const bool keep = random.uniform() < 0.3;
    CHECK(kept.contains(i) == keep);
    if (i < 100) CHECK(batched.contains(4 * i) == keep);
  }
}

TEST_CASE("sample_workload: the seed decides; name and digest tell the recipe") {
  const Workload whole = runs_of_four(1000, false);
  const Workload a = sample_workload(whole, Sampling::kBernoulli, 0.5, 1);
  CHECK(a.rows == sample_workload(whole, Sampling::kBernoulli, 0.5, 1).rows);
  CHECK(a.rows != sample_workload(whole, Sampling::kBernoulli, 0.5, 2).rows);
  CHECK(a.name == "w.csv (sample bernoulli probability=0.5 seed=1)");
  std::set<std::string> digests{whole.sha256, a.sha256};
  digests.insert(sample_workload(whole, Sampling::kBernoulli, 0.5, 2).sha256);
  digests.insert(sample_workload(whole, Sampling::kBernoulli, 0.25, 1).sha256);
  digests.insert(sample_workload(whole, Sampling::kBatched, 0.5, 1).sha256);
  CHECK(digests.size() == 5);
  CHECK(sample_workload(whole, Sampling::kBatched, 1, 1).rows == whole.rows);
  for (const double probability : {0.0, -0.1, 1.1, std::nan("")}) {
    CHECK_THROWS_AS((void)sample_workload(whole, Sampling::kBernoulli, probability, 1),
                    ConfigError);
  }
}

}  // namespace
}  // namespace cospot
