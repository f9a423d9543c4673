#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/workloads/azure2020_model.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot {
namespace {

bool is_spot(const WorkloadRow& row) { return row.instance_class == InstanceClass::kSpot; }
bool is_early(const WorkloadRow& row) { return row.start < SimTime(0); }

template <typename Predicate>
double share(const Workload& workload, Predicate holds) {
  return static_cast<double>(std::ranges::count_if(workload.rows, holds)) /
         static_cast<double>(workload.rows.size());
}

/// The digest of the rows, without the name or the recipe.
std::string digest(const Workload& workload) {
  return sha256_hex(format_workload(workload, WorkloadSchema::kCospot));
}

/// The largest distance between two empirical distribution functions, by its definition: at every
/// value that occurs.
double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto at_most = [](const std::vector<double>& values, double limit) {
    return static_cast<double>(std::ranges::upper_bound(values, limit) - values.begin()) /
           static_cast<double>(values.size());
  };
  double worst = 0;
  for (const std::vector<double>* values : {&a, &b}) {
    for (const double value : *values) {
      worst = std::max(worst, std::abs(at_most(a, value) - at_most(b, value)));
    }
  }
  return worst;
}

/// `of` for every request of a class that started inside the window.
template <typename Quantity>
std::vector<double> inside(const Workload& workload, InstanceClass instance_class, Quantity of) {
  std::vector<double> values;
  for (const WorkloadRow& row : workload.rows) {
    if (row.instance_class == instance_class && !is_early(row)) values.push_back(of(row));
  }
  return values;
}

double lifetime(const WorkloadRow& row) {
  if (row.end == kNever) return std::numeric_limits<double>::infinity();
  return static_cast<double>((row.end - row.start).count());
}

double start(const WorkloadRow& row) { return static_cast<double>(row.start.count()); }

TEST_CASE("generate_workload: a recipe is its rows and its digest") {
  const SyntheticSpec spec{.seed = 7, .scale = 0.001};
  const Workload one = generate_workload(spec);
  const Workload same = generate_workload(spec);
  CHECK(digest(one) == digest(same));
  CHECK(one.sha256 == same.sha256);
  CHECK(one.name == "azure2020:seed=7:scale=0.001");
  CHECK(one.window == 14 * kDay);

  const Workload other = generate_workload({.seed = 8, .scale = 0.001});
  CHECK(digest(one) != digest(other));
  CHECK(one.sha256 != other.sha256);
  const Workload thinned =
      generate_workload({.seed = 7, .scale = 0.001, .sampling = ZoneSampling::kBernoulli});
  CHECK(one.sha256 != thinned.sha256);
  CHECK(thinned.name == "azure2020:seed=7:scale=0.001:sampling=bernoulli");
}

TEST_CASE("generate_workload: the rows of version 1 are the same on every machine") {
  // Change it together with kModelVersion, never alone.
  const std::string expected = "327107ca0112400829e0eaf0ea51464470d31108857c720864ceed5b935c711f";
  CHECK(digest(generate_workload({.seed = 1, .scale = 0.0001})) == expected);
}

TEST_CASE("generate_workload: rows are valid, sorted and of the model's flavors") {
  const Workload workload = generate_workload({.seed = 3});
  std::set<std::pair<int, int>> flavors;
  for (const ResourceVector& flavor : azure2020_model().flavors) {
    flavors.emplace(flavor.vcpus, flavor.memory_mb);
    // As in the real samples, everything fits the host type of the comparisons.
    CHECK(flavor.fits_in({.vcpus = 10400, .memory_mb = 2250}));
  }
  std::set<std::string> ids;
  std::map<std::string, InstanceClass> tenants;
  bool valid = true;
  SimTime previous = workload.rows.front().start;
  for (const WorkloadRow& row : workload.rows) {
    valid &= flavors.contains({row.resources.vcpus, row.resources.memory_mb});
    valid &= row.resources.disk_gb == 0;
    valid &= row.start <= row.end && row.end >= SimTime(0);  // seen in the window
    // The real samples begin on day -1497 and follow instances to day 90.
    valid &= row.start >= -1497 * kDay && row.start < 14 * kDay;
    valid &= row.end == kNever || row.end <= 90 * kDay;
    valid &= previous <= row.start;
    valid &= ids.insert(row.id).second;
    // No tenant of the real samples has both classes.
    valid &= tenants.emplace(row.tenant, row.instance_class).first->second == row.instance_class;
    previous = row.start;
    if (!valid) break;
  }
  CHECK(valid);
}

TEST_CASE("generate_workload: the scale is the number of batches") {
  // The five real samples have 22,712 batches and 51,775 requests on average, 2.28 a batch. Their
  // requests deviate by 1,500 = 10 sqrt(22,712), so n batches by about 10 sqrt(n).
  for (const double scale : {0.001, 0.01, 0.1}) {
    const double batches = 2'271'220 * scale;
    const double rows = static_cast<double>(generate_workload({.scale = scale}).rows.size());
    CHECK(rows > 2.28 * batches - 5 * 10 * std::sqrt(batches));
    CHECK(rows < 2.28 * batches + 5 * 10 * std::sqrt(batches));
  }
}

TEST_CASE("generate_workload: shares are those of the batched samples") {
  // The five real samples of 1 % have 0.091 to 0.128 spots (mean 0.109, deviation 0.014), 0.134 to
  // 0.146 started before the window (0.140, 0.005) and 0.086 to 0.092 never ended (0.089, 0.002).
  // Their deviations rest on five files; the bounds allow five times 0.014, 0.008 and 0.006.
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Workload workload = generate_workload({.seed = seed});
    CHECK(std::abs(share(workload, is_spot) - 0.109) < 0.07);
    CHECK(std::abs(share(workload, is_early) - 0.140) < 0.04);
    const auto never = [](const WorkloadRow& row) { return row.end == kNever; };
    CHECK(std::abs(share(workload, never) - 0.089) < 0.03);
  }
}

TEST_CASE("generate_workload: Bernoulli sampling thins the batches out") {
  const Workload thinned = generate_workload({.sampling = ZoneSampling::kBernoulli});
  // The five real samples have 51,796 to 52,509 requests (mean 52,164). Binomial noise is
  // sqrt(52,164) = 228; the zone's own size, of 2.3 million random batches, adds about 1 %.
  CHECK(std::abs(static_cast<double>(thinned.rows.size()) - 52'164) < 5 * 600);
  // Spots: 0.1126 to 0.1141. The zone has 42,000 spot batches of 14 requests, with a deviation of
  // about 30: its share varies by 30 / 14 / sqrt(42,000) = 1 % of itself.
  CHECK(std::abs(share(thinned, is_spot) - 0.113) < 0.007);
  // Tenants: 40,788 to 41,357 of them, twice those of batched samples (21,587 to 21,636).
  std::set<std::string> tenants;
  for (const WorkloadRow& row : thinned.rows) tenants.insert(row.tenant);
  CHECK(tenants.size() > 38'000);
  CHECK(tenants.size() < 47'000);
}

TEST_CASE("generate_workload: a batch is one tenant, one second, one flavor") {
  const Workload workload = generate_workload({.seed = 4, .scale = 0.002});
  std::map<std::pair<std::string, SimTime>, std::vector<const WorkloadRow*>> batches;
  for (const WorkloadRow& row : workload.rows) batches[{row.tenant, row.start}].push_back(&row);
  // 4,542 batches; two of one tenant in the same second are next to impossible.
  CHECK(batches.size() >= 4'535);
  CHECK(batches.size() <= 4'542);
  std::size_t several = 0;
  std::size_t one_end = 0;
  std::size_t mixed = 0;
  for (const auto& batch : batches) {
    const std::vector<const WorkloadRow*>& rows = batch.second;
    if (rows.size() == 1) continue;
    ++several;
    one_end += std::ranges::all_of(rows, [&](const auto* row) { return row->end == rows[0]->end; });
    mixed += !std::ranges::all_of(
        rows, [&](const auto* row) { return row->resources == rows[0]->resources; });
  }
  CHECK(mixed <= 2);
  // In the real batched samples 0.82 to 0.84 of such batches have one lifetime (within 1 %).
  const double together = static_cast<double>(one_end) / static_cast<double>(several);
  CHECK(together > 0.70);
  CHECK(together < 0.92);
}

TEST_CASE("generate_workload: bad recipes say what is valid") {
  CHECK_THROWS_WITH_AS(
      (void)generate_workload({.model = "azure2019"}),
      "synthetic workload 'azure2019' is not known; the valid names are: azure2020", ConfigError);
  for (const double scale : {0.0, -1.0, 0.00009, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS((void)generate_workload({.scale = scale}), ConfigError);
  }
  CHECK_THROWS_WITH_AS((void)parse_zone_sampling("batch"),
                       "sampling 'batch' is not known; the valid names are: batched, bernoulli",
                       ConfigError);
}

TEST_CASE("generate_workload: lifetimes and starts are distributed as in a real sample") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr) {
    MESSAGE("skipped: COSPOT_DATA is not set");
    return;
  }
  const Workload real = read_workload(std::filesystem::path(data) /
                                      "azure2020-cospot/bernoulli/relevant-vm-1pcnt_0.csv.gz");
  const Workload made = generate_workload({.seed = 5, .sampling = ZoneSampling::kBernoulli});
  // With n = m independent values the distance exceeds 1.63 sqrt(2 / n) in one case of a hundred:
  // 0.012 for the 39,000 VMs, 0.032 for the 5,500 spots, which are not quite independent (they
  // come in batches). The tables are allowed to be 0.01 off. Twice the sum is the bound.
  constexpr auto kVm = InstanceClass::kVm;
  constexpr auto kSpot = InstanceClass::kSpot;
  CHECK(kolmogorov_smirnov(inside(real, kVm, lifetime), inside(made, kVm, lifetime)) < 0.044);
  CHECK(kolmogorov_smirnov(inside(real, kVm, start), inside(made, kVm, start)) < 0.044);
  CHECK(kolmogorov_smirnov(inside(real, kSpot, lifetime), inside(made, kSpot, lifetime)) < 0.084);
  CHECK(kolmogorov_smirnov(inside(real, kSpot, start), inside(made, kSpot, start)) < 0.084);
}

}  // namespace
}  // namespace cospot
