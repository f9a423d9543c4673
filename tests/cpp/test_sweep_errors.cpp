#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

/// A valid sweep; every key stands on the line of its position here, from 1.
const std::vector<std::string> kLines{
    "workloads: {synthetic: azure2020, seed: 1}",
    "host: {vcpus: 10400, memory_mb: 2250}",
    "headroom_percent: [0, 1]",
    "vm: [UTIL, COS]",
    "spot: [sDPD]",
    "evictor: [FIFO]",
    "saf: [false, true]",
    "otn: [1, 2]",
};

/// The error of the valid sweep with line `number` replaced, without the folder's name.
std::string error_of(std::size_t number, const std::string& line,
                     const std::vector<std::string>& overrides = {}) {
  const ScratchFolder folder;
  std::string text;
  for (std::size_t i = 0; i < kLines.size(); ++i)
    text += (i + 1 == number ? line : kLines[i]) + "\n";
  const auto file = folder.write("s.yaml", text);
  std::string error = error_text<ConfigError>([&] { (void)read_sweep(file, overrides); });
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at; (at = error.find(prefix)) != std::string::npos;) {
    error.erase(at, prefix.size());
  }
  return error;
}

TEST_CASE("read_sweep: the valid sweep has no error") { CHECK(error_of(0, "").empty()); }

TEST_CASE("read_sweep: unknown, missing and contradicting keys") {
  CHECK(error_of(8, "otn: [1, 2]\nfoo: 1") ==
        "s.yaml:9: study: unknown key 'foo'; valid names: study, prices, workloads, window_days, "
        "host, "
        "added_type, headroom_percent, hosts, headroom_of, vm, spot, evictor, saf, otn, target, "
        "economy, disruptions, schedulers, host_subset_size, reserve, signal, on_eviction");
  CHECK(
      error_of(8, "otn: 1\nheadroom_of: each") ==
      "s.yaml:9: headroom_of: found 'each', expected study, each_policy or a list of VM policies, "
      "[UTIL, COS]");
  CHECK(error_of(6, "") == "s.yaml:1: study: missing key 'evictor'");
  CHECK(error_of(3, "") == "s.yaml:1: study: missing key 'headroom_percent' (or 'hosts')");
  CHECK(error_of(8, "otn: 1\nhosts: 5") ==
        "s.yaml:9: hosts: headroom_percent is set too (s.yaml:3); expected one of the two");
  CHECK(error_of(8, "otn: 1\notn: 2") ==
        "s.yaml:9: duplicate key 'otn'; it is already set at s.yaml:8");
  CHECK(error_of(2, "host: {vcpus: 10400}") == "s.yaml:2: host: missing key 'memory_mb'");
  CHECK(error_of(2, "host: {vcpus: 1, memory_mb: 1, ram: 2}") ==
        "s.yaml:2: host: unknown key 'ram'; valid names: vcpus, memory_mb, disk_gb");
  CHECK(error_of(1, "- a\n- b").find("s.yaml") == 0);
}

TEST_CASE("read_sweep: numbers out of range or of the wrong type") {
  CHECK(contains(error_of(8, "otn: 0"),
                 "s.yaml:8: otn: found '0', expected a whole number from 1 to 10000000"));
  CHECK(contains(error_of(8, "otn: 1.5"), "s.yaml:8: otn: found '1.5'"));
  CHECK(contains(error_of(8, "otn: '1'"), "s.yaml:8: otn: found the text '1'"));
  CHECK(contains(error_of(8, "otn: [[1]]"), "s.yaml:8: otn: found a list"));
  CHECK(error_of(8, "otn: []") ==
        "s.yaml:8: otn: found an empty list, expected at least one value");
  CHECK(error_of(8, "otn:") == "s.yaml:8: otn: found nothing, expected at least one value");
  CHECK(contains(error_of(8, "otn: 99999999999999999999"), "expected a whole number"));
  CHECK(error_of(3, "headroom_percent:\n  - 0\n  - -1") ==
        "s.yaml:5: headroom_percent: found '-1', expected a number from 0 to 10000");
  for (const char* number : {".nan", "nan", "inf", "1e999", "x", "1%", "true", "{a: 1}"}) {
    const std::string error = error_of(3, std::string("headroom_percent: ") + number);
    CHECK_MESSAGE(contains(error, "expected a number from 0"), error);
  }
  CHECK(contains(error_of(3, "hosts: 0"), "s.yaml:3: hosts: found '0', expected a whole number"));
  CHECK(contains(error_of(2, "host: {vcpus: 0, memory_mb: 5}"), "s.yaml:2: host.vcpus: found '0'"));
  CHECK(contains(error_of(2, "host: 5"),
                 "s.yaml:2: host: found '5', expected VCPUS,MEMORY_MB[,DISK_GB], a mapping"));
  CHECK(error_of(2, "host: 10400,2250").empty());  // as --host has it
  CHECK(contains(error_of(2, "host: 10400,0"), "s.yaml:2: host.memory_mb: found '0', expected"));
  CHECK(contains(error_of(2, "host: [{type: a, count: 0, vcpus: 1, memory_mb: 1}]"),
                 "s.yaml:2: host.count: found '0'"));
  CHECK(error_of(2, "host: [{count: 1, vcpus: 1, memory_mb: 1}]") ==
        "s.yaml:2: host: missing key 'type'");
  CHECK(
      contains(error_of(2,
                        "host: [{type: a, count: 1, vcpus: 1, memory_mb: 9, "
                        "ram_allocation_ratio: 0.1}]"),
               "s.yaml:2: host: memory_mb after what is reserved and the ratio is 0, expected 1"));
  CHECK(error_of(7, "saf: 1") == "s.yaml:7: saf: found '1', expected on or off");
}

TEST_CASE("read_sweep: offers that are none") {
  CHECK(error_of(8, "otn: {epsilon: 2}").find("s.yaml:8: otn.epsilon: found '2'") == 0);
  CHECK(error_of(8, "otn: {epsilon: 0.00001}").find("s.yaml:8: otn: epsilon is 0.00001") == 0);
  CHECK(error_of(8, "otn: {epsilom: 0.1}") ==
        "s.yaml:8: otn: unknown key 'epsilom'; did you mean 'epsilon'?");
  CHECK(error_of(8, "otn: {epsilon: 0.1, adaptive: {}}").find("one of the keys adaptive, eps") !=
        std::string::npos);
  CHECK(error_of(8, "otn: {adaptive: {at_low_load: 3, at_high_load: 1, from: 0.5}}") ==
        "s.yaml:8: otn.adaptive: missing key 'to'");
  CHECK(error_of(8, "otn: {adaptive: {at_low_load: 0, at_high_load: 1, from: 0, to: 1}}")
            .find("s.yaml:8: otn.adaptive.at_low_load: found '0'") == 0);
  CHECK(error_of(8, "otn: {adaptive: {at_low_load: 2, at_high_load: 1, from: 0.9, to: 0.1}}") ==
        "s.yaml:8: otn: from is 0.9, expected at most to, which is 0.1");
  CHECK(error_of(8, "otn: [1, epsilon-x]") ==
        "s.yaml:8: otn: found 'epsilon-x', expected an OTN such as 8, epsilon-0.05 or "
        "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1");
  CHECK(error_of(8, "otn: [{epsilon: 0.1}, epsilon-0.1]") ==
        "s.yaml:8: otn: duplicate value 'epsilon-0.1'");
}

TEST_CASE("read_sweep: what stands twice") {
  CHECK(error_of(8, "otn: [1, 2, 1]") == "s.yaml:8: otn: duplicate value '1'");
  CHECK(error_of(3, "headroom_percent: [1, 1.0]") ==
        "s.yaml:3: headroom_percent: duplicate value '1.0'");
  CHECK(error_of(7, "saf: [true, true]") == "s.yaml:7: saf: duplicate value 'true'");
  CHECK(
      contains(error_of(4, "vm:\n- COS\n- {name: COS, capacity_normalised: true}"),
               "s.yaml:6: vm: duplicate label 'COS', already used at s.yaml:5; give one of them"));
  CHECK(contains(error_of(1,
                          "workloads:\n- {synthetic: azure2020}\n"
                          "- {synthetic: azure2020, seed: 1, label: x}"),
                 "s.yaml:3: workloads: 'x' has the same recipe as the earlier 'azure2020'"));
}

TEST_CASE("read_sweep: policies") {
  const std::string unknown = error_of(4, "vm: [COS, BEST]");
  CHECK(contains(unknown, "s.yaml:4: vm: unknown weigher 'BEST'; valid names: "));
  CHECK(contains(unknown, "UTIL, COS, DPD"));
  CHECK(contains(error_of(6, "evictor: NONE"), "s.yaml:6: evictor: unknown evictor 'NONE'"));
  CHECK(contains(error_of(4, "vm: [{name: COS, colour: 1}]"),
                 "s.yaml:4: vm: COS: unknown option 'colour'"));
  CHECK(contains(error_of(4, "vm: [{name: COS, capacity_normalised: 3}]"),
                 "s.yaml:4: vm: COS: option 'capacity_normalised' must be true or false"));
  CHECK(contains(error_of(4, "vm: [{name: COS, capacity_normalised: [1]}]"),
                 "s.yaml:4: capacity_normalised: found a list"));
  CHECK(error_of(4, "vm: [{label: x}]") == "s.yaml:4: vm: missing key 'name'");
  CHECK(contains(error_of(4, "vm: [{name: COS, label: 'a,b'}]"), "s.yaml:4: label: found"));
  CHECK(contains(error_of(4, "vm: [{name: COS, label: \"a\\nb\"}]"), "expected a label without"));
  CHECK(
      contains(error_of(4, "vm: [[COS]]"), "s.yaml:4: vm: found a list, expected a policy's name"));
  CHECK(contains(error_of(4, "vm: {weighers: []}"), "s.yaml:4: weighers: found an empty list"));
  CHECK(contains(error_of(4, "vm: {weighers: [{name: COS, multiplier: .nan}]}"),
                 "s.yaml:4: multiplier: found '.nan', expected a number"));
  CHECK(contains(error_of(4, "vm: {weighers: [COS], saf: true}"),
                 "s.yaml:4: vm: unknown key 'saf'; valid names: label, filters, weighers"));
  CHECK(contains(error_of(4, "vm: {weighers: [{name: COS, label: x}]}"), "s.yaml:4: weighers:"));
}

TEST_CASE("read_sweep: workloads") {
  CHECK(contains(error_of(1, "workloads: none.csv"),
                 "s.yaml:1: workloads: there is no file 'none.csv'"));
  CHECK(contains(error_of(1, "workloads: ['*.csv']"), "s.yaml:1: workloads: no file matches"));
  REQUIRE(unsetenv("COSPOT_TEST_UNSET") == 0);
  CHECK(error_of(1, "workloads: ['${COSPOT_TEST_UNSET}/*.csv']") ==
        "s.yaml:1: workloads: '${COSPOT_TEST_UNSET}/*.csv' needs the environment variable "
        "COSPOT_TEST_UNSET, which is not set");
  CHECK(contains(error_of(1, "workloads: ['${X']"), "without '}'"));
  CHECK(error_of(1, "workloads: {synthetic: aws}") ==
        "s.yaml:1: synthetic: found 'aws', expected one of: azure2020");
  CHECK(error_of(1, "workloads: {synthetic: azure2020, sampling: x}") ==
        "s.yaml:1: sampling: found 'x', expected one of: batched, bernoulli");
  CHECK(contains(error_of(1, "workloads: {synthetic: azure2020, seed: -1}"), "seed: found '-1'"));
  CHECK(contains(error_of(1, "workloads: {synthetic: azure2020, scale: 0}"), "scale: found '0'"));
  CHECK(contains(error_of(1, "workloads: {synthetic: azure2020, sed: 1}"),
                 "unknown key 'sed'; did you mean 'seed'?"));
  CHECK(contains(error_of(1, "workloads: {file: x}"), "with the key path, import or synthetic"));
  CHECK(contains(error_of(1, "workloads: ['']"), "workloads: found"));
}

TEST_CASE(
    "read_sweep: what is no offer is told a form of one and the page of all, which are read") {
  CHECK(error_of(8, "otn: many") ==
        "s.yaml:8: otn: found 'many', expected a whole number from 1 to 10000000, or an offer such "
        "as epsilon-0.05 (docs/sweep-file.md#offers)");
  for (const char* offer :
       {"epsilon-0.05", "{epsilon: 0.05}", "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1",
        "{adaptive: {at_low_load: 32, at_high_load: 1, from: 0.8, to: 1}}"}) {
    CHECK_MESSAGE(error_of(8, std::string("otn: ") + offer).empty(), offer);
  }
  // A schedule's N is a number and nothing else.
  CHECK(error_of(8, "otn: {adaptive: {at_low_load: 0, at_high_load: 1, from: 0, to: 1}}") ==
        "s.yaml:8: otn.adaptive.at_low_load: found '0', expected a whole number from 1 to "
        "10000000");
}

TEST_CASE("read_sweep: an override's error names the override") {
  CHECK(error_of(0, "", {"hosts=0"}) ==
        "--set hosts=0: hosts: found '0', expected a whole number from 1 to 10000000");
  CHECK(contains(error_of(0, "", {"foo=1"}), "--set foo=1: study: unknown key 'foo'"));
  CHECK(contains(error_of(0, "", {"vm=[COS, X]"}), "--set vm=[COS, X]: vm: unknown weigher 'X'"));
  CHECK(contains(error_of(0, "", {"host.vcpus=a"}), "--set host.vcpus=a: host.vcpus: found 'a'"));
}

}  // namespace
}  // namespace cospot
