#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

TEST_CASE("study_yaml: reads back as the sweep it was written from") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", "x");
  (void)folder.write("it is [a] {b} #c: d.csv", "y");
  const std::string written =
      "workloads:\n"
      "  - a.csv\n"
      "  - 'it is [a] {b} #c: d.csv'\n"
      "  - {synthetic: azure2020, seed: 3, scale: 0.25, sampling: bernoulli, label: 'true'}\n"
      "  - {synthetic: azure2020}\n"
      "host: {vcpus: 64, memory_mb: 1024, disk_gb: 7}\n"
      "headroom_percent: [0, 2.5, 0.001]\n"
      "vm: [UTIL, {name: COS, label: normal, capacity_normalised: true},\n"
      "     {label: '7', weighers: [{name: RAMWeigher, multiplier: -1.5}, CPUWeigher]}]\n"
      "spot: [{name: sDPD, label: 'no'}, {weighers: [{name: sUTIL, multiplier: 2}]}]\n"
      "evictor: [FIFO, {name: LPO, label: a b}]\n"
      "saf: [true, false]\n"
      "otn: [4, 1]\n";
  const std::string one_of_each =
      "workloads: a.csv\n"
      "host: [{type: big, count: 2, vcpus: 8, memory_mb: 16}, {type: small, count: 1, vcpus: 4, "
      "memory_mb: 8}]\n"
      "added_type: small\n"
      "vm: [UTIL]\nspot: [sUTIL]\nevictor: [FIFO]\nsaf: on\notn: epsilon-0.05\n";
  for (const std::string& file :
       {written, one_of_each + "hosts: 4\n",
        one_of_each + "headroom_percent: 2\nheadroom_of: [UTIL, COS]\n"}) {
    const Sweep sweep = read_sweep(folder.write("s.yaml", file), {});
    const std::string text = study_yaml(sweep, "", folder.path());
    CAPTURE(text);
    CHECK(sweep_json(read_sweep(folder.write("again.yaml", text), {})) == sweep_json(sweep));
  }
}

TEST_CASE(
    "study_yaml: paths are relative to its folder, and one that YAML cannot hold is an error") {
  const ScratchFolder folder;
  Sweep sweep = small_sweep();
  sweep.workloads = {{.label = "w", .file = folder.path() / "data" / "w.csv", .synthetic = {}}};
  const std::string hosts = (folder.path() / "hosts.csv").string();
  const std::string text = study_yaml(sweep, hosts, folder.path() / "data");
  CHECK(text.starts_with("workloads:\n  - w.csv\nhost: \"../hosts.csv\"\n"));
  sweep.workloads.front().file = folder.path() / "\xff.csv";
  CHECK_THROWS_AS((void)study_yaml(sweep, hosts, folder.path()), ConfigError);
}

TEST_CASE("setting_json: is as a study file has it, without what is the default") {
  CHECK(compact_json(host_json(HostMix(8, 16))) == R"({"vcpus":8,"memory_mb":16})");
  const auto written = [](const auto& one) { return flow_yaml(setting_json(one)); };
  CHECK(written(ChainSpec{.label = "COS", .weighers = {{.name = "COS"}}}) == "COS");
  PolicyOptions options;
  options["exact"] = true;
  options["text"] = std::string("true");
  CHECK(written(ChainSpec{.label = "b", .weighers = {{.name = "COS", .options = options}}}) ==
        "{name: COS, label: b, exact: true, text: \"true\"}");
  PolicyOptions depth;
  depth["depth"] = std::int64_t{2};
  CHECK(written(ChainSpec{.label = "f",
                          .filters = {{.name = "Keep", .options = depth}},
                          .weighers = {{.name = "COS"}}}) ==
        "{label: f, filters: [{name: Keep, depth: 2}], weighers: [COS]}");
  CHECK(written(EvictorSpec{.label = "LPO", .name = "LPO"}) == "LPO");
}

TEST_CASE("yaml_text: quotes whatever could be read as something else") {
  CHECK(yaml_text("a/b-c.csv.gz") == "a/b-c.csv.gz");
  for (const char* text : {"", "1", "1e5", "True", "null", "~", "a: b", "${X}/a", "a b", "-a",
                           "python:module.Class", "a,b", "Off"}) {
    CAPTURE(text);
    CHECK(yaml_text(text) == "\"" + std::string(text) + "\"");
  }
  CHECK(yaml_text(R"(a"b\c)") == R"("a\"b\\c")");
}

TEST_CASE("yaml_text, yaml_comment: any text stays on its line, and is read back") {
  CHECK(yaml_text("a\nb\t") == R"("a\x0ab\x09")");
  CHECK(yaml_comment("EUR\nvm: UTIL") == R"(# EUR\x0avm: UTIL)");
  CHECK(yaml_comment("\xff\r") == R"(# \xff\x0d)");
  for (const char* text :
       {"\n", "a\r\nb", "\x1b[31m\x7f", "\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf", "\"\\n",
        "\xc3\xbc", "#", "[a, b]", "%YAML"}) {
    CAPTURE(text);
    const std::string line = "key: " + yaml_text(text) + "\n";
    CHECK(std::ranges::count(line, '\n') == 1);
    CHECK(parse_yaml(yaml_comment(text) + "\n" + line, "test").find("key")->text == text);
  }
  // YAML is Unicode: a name that is none cannot stand in it.
  CHECK_THROWS_AS((void)yaml_text("a\xff"), ConfigError);
}

TEST_CASE("study file: a path that could not be a label, or names a model, has a key of its own") {
  const auto written = [](const char* label, const char* path) {
    return flow_yaml(
        setting_json(WorkloadSpec{.label = label, .file = path, .synthetic = {}, .path = path}));
  };
  CHECK(written("a.csv", "a.csv") == "a.csv");
  CHECK(written("a%2Cb.csv", "a,b.csv") == R"({path: "a,b.csv", label: "a%2Cb.csv"})");
  CHECK(written("azure2020", "azure2020") == "{path: azure2020}");
}

}  // namespace
}  // namespace cospot
