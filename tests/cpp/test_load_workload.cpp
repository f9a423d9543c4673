#include <doctest/doctest.h>

#include "core/errors.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

TEST_CASE("load_workload: reads a file and names it as the sweep does") {
  const ScratchFolder folder;
  const auto file = folder.write(
      "a.csv", "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n7,1,2,3,1,0.5,inf\n");
  const Workload workload = load_workload({.label = "mine", .file = file, .synthetic = {}});
  CHECK(workload.name == "mine");
  REQUIRE(workload.rows.size() == 1);
  CHECK(workload.rows[0].id == "7");
  CHECK(workload.rows[0].is_spot());
  CHECK(workload.sha256.size() == 64);
}

TEST_CASE("load_workload: generates a synthetic workload from its recipe") {
  const SyntheticSpec recipe{.seed = 5, .scale = 0.0005};
  const Workload workload = load_workload({.label = "made up", .file = {}, .synthetic = recipe});
  CHECK(workload.name == "made up");
  CHECK(workload.rows == generate_workload(recipe).rows);
  CHECK(workload.rows.size() > 100);
}

TEST_CASE("parse_workload_spec: reads a file's name or a recipe") {
  CHECK(parse_workload_spec("a.csv.gz").file == "a.csv.gz");
  CHECK_FALSE(parse_workload_spec("azure2020.csv").synthetic.has_value());
  CHECK(parse_workload_spec("azure2020").synthetic == SyntheticSpec{});
  const WorkloadSpec spec = parse_workload_spec("azure2020:seed=7:scale=0.5:sampling=bernoulli");
  CHECK(spec.label == "azure2020:seed=7:scale=0.5:sampling=bernoulli");
  CHECK(spec.file.empty());
  CHECK(spec.synthetic ==
        SyntheticSpec{.seed = 7, .scale = 0.5, .sampling = ZoneSampling::kBernoulli});
}

TEST_CASE("parse_workload_spec: says which part of a recipe is wrong") {
  CHECK_THROWS_WITH_AS((void)parse_workload_spec("azure2020:seed=-1"),
                       "workload 'azure2020:seed=-1': found 'seed=-1', expected seed=, a whole "
                       "number from 0 to 2^63 - 1",
                       ConfigError);
  for (const char* text :
       {"azure2020:", "azure2020:seed", "azure2020:seed=", "azure2020:seed=1.5",
        "azure2020:seed=9223372036854775808", "azure2020:scale=x", "azure2020:scale=0.1 ",
        "azure2020:sampling=other", "azure2020:speed=1", "azure2020:seed=1:"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_workload_spec(text), ConfigError);
  }
}

TEST_CASE("load_workload: names the file that is not there") {
  CHECK_THROWS_WITH_AS(
      (void)load_workload({.label = "gone", .file = "no/such.csv", .synthetic = {}}),
      "no/such.csv: cannot be read: No such file or directory", WorkloadError);
}

}  // namespace
}  // namespace cospot
