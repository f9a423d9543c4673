#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/configuration_difference.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/study.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

const std::string kTail =
    "host: {vcpus: 10400, memory_mb: 2250}\n"
    "headroom_percent: [0, 1, 2.5]\n"
    "vm: [UTIL, COS]\n"
    "spot: sDPD\n"
    "evictor: FIFO\n"
    "saf: [off, true]\n"
    "otn: [1, 32]\n";

Sweep read(const ScratchFolder& folder, const std::string& text,
           const std::vector<std::string>& overrides = {}) {
  return read_sweep(folder.write("s.yaml", text), overrides);
}

std::vector<std::string> labels(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const WorkloadSpec& workload : sweep.workloads) names.push_back(workload.label);
  return names;
}

TEST_CASE("read_sweep: lists, single values and all axes") {
  const ScratchFolder folder;
  const Sweep sweep = read(folder, "workloads: {synthetic: azure2020, seed: 1}\n" + kTail);
  REQUIRE(sweep.workloads.size() == 1);
  CHECK(sweep.workloads[0].label == "azure2020 seed=1");
  CHECK(sweep.workloads[0].synthetic->seed == 1);
  CHECK(sweep.workloads[0].synthetic->sampling == ZoneSampling::kBatched);
  CHECK(sweep.host == ResourceVector{.vcpus = 10400, .memory_mb = 2250});
  REQUIRE(sweep.sizes.size() == 3);
  CHECK(sweep.sizes[2].percent == 2.5);
  REQUIRE(sweep.vm.size() == 2);
  CHECK(sweep.vm[1].label == "COS");
  CHECK(sweep.vm[1].weighers.at(0).name == "COS");
  CHECK(sweep.spot.at(0).label == "sDPD");
  CHECK(sweep.evictors.at(0).name == "FIFO");
  CHECK(sweep.saf == std::vector<bool>{false, true});
  CHECK(sweep.otn == std::vector<OfferRule>{1, 32});
}

TEST_CASE("read_sweep: policies with options, labels and weighted sums") {
  const ScratchFolder folder;
  const Sweep sweep = read(folder,
                           "workloads: {synthetic: azure2020, seed: 9, scale: 0.020, "
                           "sampling: bernoulli, label: made up}\n"
                           "host: {vcpus: 8, memory_mb: 16, disk_gb: 100}\n"
                           "hosts: [5, 6]\n"
                           "vm:\n"
                           "  - COS\n"
                           "  - {name: COS, label: COS-normalised, capacity_normalised: true}\n"
                           "  - {label: nova, weighers: [{name: COS, multiplier: 2}, UTIL]}\n"
                           "  - weighers: [DPD, UTIL]\n"
                           "spot: [sCOS]\n"
                           "evictor: [{name: FIFO, label: oldest first}]\n"
                           "saf: \"on\"\n"
                           "otn: 4\n");
  CHECK(sweep.workloads.at(0).label == "made up");
  CHECK(sweep.workloads.at(0).synthetic->scale == 0.02);
  CHECK(sweep.workloads.at(0).synthetic->sampling == ZoneSampling::kBernoulli);
  CHECK(sweep.host.largest_total().disk_gb == 100);
  CHECK_FALSE(sweep.sizes.at(1).percent);
  CHECK(sweep.sizes.at(1).hosts == 6);
  REQUIRE(sweep.vm.size() == 4);
  CHECK(sweep.vm[1].label == "COS-normalised");
  CHECK(std::get<bool>(sweep.vm[1].weighers.at(0).options.at("capacity_normalised")));
  REQUIRE(sweep.vm[2].weighers.size() == 2);
  CHECK(sweep.vm[2].label == "nova");
  CHECK(sweep.vm[2].weighers[0].multiplier == 2.0);
  CHECK(sweep.vm[2].weighers[1].multiplier == 1.0);
  CHECK(sweep.vm[3].label == "DPD+UTIL");
  CHECK(sweep.evictors.at(0).label == "oldest first");
}

TEST_CASE("read_sweep: files are relative to the sweep file, wildcards are sorted") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "odd [1]/data");
  for (const char* name : {"data/b.csv", "data/a.csv", "data/c.txt", "x[2].csv"}) {
    (void)folder.write(std::string("odd [1]/") + name, "x");
  }
  // The brackets of the sweep's folder and of a file that exists as written are no wildcards.
  const auto file =
      folder.write("odd [1]/s.yaml", "workloads: ['x[2].csv', 'data/?.csv']\n" + kTail);
  const Sweep sweep = read_sweep(file, {});
  CHECK(labels(sweep) == std::vector<std::string>{"x[2].csv", "data/a.csv", "data/b.csv"});
  CHECK(sweep.workloads[0].file == folder / "odd [1]/x[2].csv");
  CHECK(sweep.workloads[2].file == folder / "odd [1]/data/b.csv");
  const std::string twice = error_text<ConfigError>(
      [&] { (void)read_sweep(file, {"workloads=[data/a.csv, data/*.csv]"}); });
  CHECK(contains(twice, "'data/a.csv' has the same file as the earlier 'data/a.csv'"));
}

TEST_CASE("read_sweep: an environment variable keeps its name in the label") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "data/sub");
  for (const char* name : {"data/sub/b.csv", "data/sub/a.csv"}) (void)folder.write(name, "x");
  REQUIRE(setenv("COSPOT_TEST_FOLDER", (folder / "data").c_str(), 1) == 0);
  const Sweep sweep = read(folder, "workloads: '${COSPOT_TEST_FOLDER}/sub/*.csv'\n" + kTail);
  CHECK(labels(sweep) == std::vector<std::string>{"${COSPOT_TEST_FOLDER}/sub/a.csv",
                                                  "${COSPOT_TEST_FOLDER}/sub/b.csv"});
  CHECK(sweep.workloads[0].file == folder / "data/sub/a.csv");
  const Sweep one =
      read(folder, "workloads: {path: '${COSPOT_TEST_FOLDER}/sub/a.csv', label: A}\n" + kTail);
  CHECK(labels(one) == std::vector<std::string>{"A"});
}

TEST_CASE("read_sweep: reads several types of hosts") {
  const ScratchFolder folder;
  const std::string rest =
      "vm: UTIL\nspot: sDPD\nevictor: FIFO\nsaf: false\notn: 1\nworkloads: {synthetic: "
      "azure2020}\n";
  const Sweep sweep = read(folder,
                           "host:\n"
                           "  - {type: a, count: 2, vcpus: 10, reserved_vcpus: 1, memory_mb: 8,\n"
                           "     cpu_allocation_ratio: 1.5, ram_allocation_ratio: 0.5, zone: z1}\n"
                           "  - {type: b, count: 1, vcpus: 4, memory_mb: 4, aggregates: [x, y],\n"
                           "     metadata: {disk: [ssd, nvme]}}\n" +
                               rest);
  REQUIRE(sweep.host.kinds().size() == 2);
  // floor((10 - 1) x 1.5) = 13, floor(8 x 0.5) = 4
  CHECK(sweep.host.kinds()[0].total == ResourceVector{13, 4, 0});
  CHECK(sweep.host.places()[1].aggregates == std::vector<std::string>{"x", "y"});
  CHECK(sweep.host.places()[1].metadata.at("disk").size() == 2);
  CHECK(sweep.sizes.size() == 1);
  CHECK(sweep.sizes[0].hosts == 3);
  const Sweep grown =
      read(folder, "added_type: b\nhosts: [3, 5]\n" +
                       ("host: [{type: a, count: 2, vcpus: 8, memory_mb: 8}, {type: "
                        "b, count: 1, vcpus: 4, memory_mb: 4}]\n" +
                        rest));
  CHECK(grown.host.counts(5) == std::vector<std::size_t>{2, 3});
  static_cast<void>(folder.write("h.csv", "name,vcpus,memory_mb\nc1,8,8\nc2,4,4\n"));
  const Sweep file = read(folder, "host: h.csv\n" + rest);
  CHECK(file.host.named().size() == 2);
  // Their names are no part of the configuration: they are recorded as an input.
  std::vector<InputRecord> inputs;
  add_named_files(file.host, file.evictors, inputs);
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0].key == "host");
  CHECK(inputs[0].sha256 == sha256_hex(R"([["c1",0],["c2",1]])"));
}

TEST_CASE("read_sweep: overrides win over the file, and hosts over headroom_percent") {
  const ScratchFolder folder;
  const std::string text = "workloads: {synthetic: azure2020}\n" + kTail;
  const Sweep sweep =
      read(folder, text, {"otn=[2,3]", "host.vcpus=64", "vm={name: COS, label: c}", "hosts=7"});
  CHECK(sweep.otn == std::vector<OfferRule>{2, 3});
  CHECK(sweep.host == ResourceVector{.vcpus = 64, .memory_mb = 2250});
  CHECK(sweep.vm.at(0).label == "c");
  CHECK(sweep.sizes.at(0).hosts == 7);
  CHECK(read(folder, text, {"hosts=7", "headroom_percent=3"}).sizes.at(0).percent == 3.0);
}

TEST_CASE("sweep_json: two files that mean the same give the same text") {
  const ScratchFolder folder;
  const Sweep one = read(folder, "workloads: {synthetic: azure2020, label: w}\n" + kTail);
  const Sweep other = read(folder,
                           "otn: [1, 32]\nsaf: [false, true]\nevictor: [{name: FIFO}]\n"
                           "spot: [{weighers: [sDPD]}]\nvm: [UTIL, {name: COS, label: COS}]\n"
                           "headroom_percent: [0.0, 1, 2.50]\n"
                           "host: {memory_mb: 2250, vcpus: 10400, disk_gb: 0}\n"
                           "workloads:\n  - {label: w, synthetic: azure2020, seed: 1,"
                           " scale: 0.01, sampling: batched}\n");
  CHECK(sweep_json(one) == sweep_json(other));
  const Sweep third =
      read(folder, "workloads: {synthetic: azure2020, label: w}\n" + kTail, {"otn=1", "vm=COS"});
  CHECK(describe_difference(sweep_json(one), sweep_json(third)) == "vm, otn");
  // As in Python's simulate, SAF is off and OTN 1 unless given.
  const std::string head = kTail.substr(0, kTail.find("saf"));
  const std::string workload = "workloads: {synthetic: azure2020}\n";
  CHECK(sweep_json(read(folder, workload + head)) ==
        sweep_json(read(folder, workload + head + "saf: off\notn: 1\n")));
}

TEST_CASE("read_scenario: exactly one of each") {
  const ScratchFolder folder;
  const auto file = folder.write("s.yaml", "workloads: {synthetic: azure2020}\n" + kTail);
  NoPythonPolicies none;
  const auto read = [&](const std::vector<std::string>& overrides) {
    return read_scenario(read_study_file(file, overrides, {}, none));
  };
  const Sweep run = read({"headroom_percent=2", "vm=COS", "saf=false", "otn=1"});
  CHECK(run.sizes.at(0).percent == 2.0);
  const std::string error = error_text<ConfigError>([&] { (void)read({}); });
  CHECK(contains(error, "s.yaml:3: headroom_percent: found 3 values, expected one"));
}

TEST_CASE("read_sweep: offers of other kinds than the first N, by mapping or by label") {
  const ScratchFolder folder;
  const std::string text = "workloads: {synthetic: azure2020, label: w}\n" + kTail;
  const std::string mappings =
      "otn=[1, {epsilon: 0.05}, {adaptive: {at_low_load: 32, at_high_load: 1, from: 0.8, to: 1}}]";
  const Sweep sweep = read(folder, text, {mappings});
  CHECK((sweep.otn ==
         std::vector<OfferRule>{
             1, OfferRule::within(0.05),
             OfferRule::adaptive({.at_low_load = 32, .at_high_load = 1, .from = 0.8, .to = 1})}));
  const std::string json = sweep_json(sweep);
  CHECK(json.ends_with(
      "\"otn\":[1,\"epsilon-0.05\",\"adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1\"]}"));
  const Sweep labels =
      read(folder, text,
           {"otn=[1, epsilon-0.05, adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1]"});
  CHECK(sweep_json(labels) == json);
  CHECK(run_json(run_of_sweep(sweep, 1), 9).ends_with("\"otn\":\"epsilon-0.05\"}"));
}

}  // namespace
}  // namespace cospot
