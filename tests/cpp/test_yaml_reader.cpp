#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

std::string parse_error(const std::string& text) {
  return error_text<ConfigError>([&] { static_cast<void>(parse_yaml(text, "s.yaml")); });
}

TEST_CASE("parse_yaml: every value knows its line, and quotes make a text") {
  const ConfigNode root = parse_yaml("a: 1\nb:\n  - x\n  - '2'\nc: {d: ~}\n", "s.yaml");
  REQUIRE(root.kind == ConfigNode::Kind::kMapping);
  CHECK(root.find("a")->where == "s.yaml:1");
  CHECK(root.find("b")->items.at(1).where == "s.yaml:4");
  CHECK(root.find("b")->items.at(1).quoted);
  CHECK_FALSE(root.find("b")->items.at(0).quoted);
  CHECK(root.find("c")->find("d")->kind == ConfigNode::Kind::kNull);
  CHECK(root.find("missing") == nullptr);
}

TEST_CASE("parse_yaml: an alias repeats what it stands for, at its own place") {
  const ConfigNode root = parse_yaml("a: &x [1, 2]\nb: *x\n", "s.yaml");
  CHECK(root.find("b")->items.size() == 2);
  CHECK(root.find("b")->where == "s.yaml:2");
}

TEST_CASE("parse_yaml: what is not a configuration is refused with its line") {
  CHECK(contains(parse_error("a: 1\nb: [1, 2\n"), "s.yaml:"));
  CHECK(contains(parse_error("a: 1\nb: [1, 2\n"), "not valid YAML"));
  CHECK(contains(parse_error("a: 1\nb: 2\na: 3\n"),
                 "s.yaml:3: duplicate key 'a'; it is already set at s.yaml:1"));
  CHECK(contains(parse_error("a: 1\n[b]: 2\n"), "s.yaml:2: a key must be a plain name"));
  CHECK(contains(parse_error("a: &x\n  - *x\n"), "s.yaml:2: an alias cannot stand inside"));
  CHECK(contains(parse_error("a: *y\n"), "s.yaml:1"));
  CHECK(contains(parse_error("a: 1\n---\nb: 2\n"), "more than one YAML document"));
  CHECK(contains(parse_error(std::string("a: 1\nb: \0", 9)),
                 "s.yaml:2: byte 0x00 is not text, expected UTF-8"));
  CHECK(contains(parse_error(std::string(2'000'000, ' ')), "a configuration has at most"));
}

TEST_CASE("parse_yaml: aliases of aliases and deep nesting end in an error, not in exhaustion") {
  // Each line holds the one before ten times: 10^9 values if they were all built.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) bomb += ", " + alias;
    bomb += "]\n";
  }
  CHECK(contains(parse_error(bomb), "more than 50000 values"));
  CHECK(contains(parse_error(std::string(1000, '[')), "s.yaml:1: nested more than 64 levels"));
  CHECK_FALSE(parse_error(std::string(100'000, '[')).empty());
}

TEST_CASE("read_yaml_file: a missing file and a folder are named") {
  const ScratchFolder folder;
  CHECK(contains(error_text<ConfigError>([&] { (void)read_yaml_file(folder / "none.yaml"); }),
                 "none.yaml: cannot be opened"));
  CHECK(contains(error_text<ConfigError>([&] { (void)read_yaml_file(folder.path()); }),
                 "is a folder"));
}

TEST_CASE("apply_override: replaces, adds, and reaches into mappings") {
  ConfigNode root = parse_yaml("host: {vcpus: 8}\notn: 1\n", "s.yaml");
  apply_override(root, "otn=[1, 2]");
  apply_override(root, "host.vcpus=64");
  apply_override(root, "host.memory_mb=128");
  apply_override(root, "x.y=a=b");
  CHECK(root.find("otn")->items.size() == 2);
  CHECK(root.find("host")->find("vcpus")->text == "64");
  CHECK(root.find("host")->find("memory_mb")->where == "--set host.memory_mb=128");
  CHECK(root.find("x")->find("y")->text == "a=b");
  const auto error = [&](const std::string& assignment) {
    return error_text<ConfigError>([&] { apply_override(root, assignment); });
  };
  CHECK(contains(error("otn"), "--set otn: expected key=value"));
  CHECK(contains(error("=1"), "--set =1: expected key=value"));
  CHECK(contains(error("a..b=1"), "--set a..b=1: an empty name"));
  CHECK(contains(error("otn.x=1"), "'x' is set inside a value that is not a mapping"));
  CHECK(contains(error("otn=[1"), "--set otn=[1: not valid YAML"));
}

TEST_CASE("several values without brackets: the error says how a list is written") {
  ConfigNode root;
  root.kind = ConfigNode::Kind::kMapping;
  apply_override(root, "seed=1,2");
  apply_override(root, "bid=mean,high");
  apply_override(root, "label='1,2'");
  CHECK(error_text<ConfigError>([&] {
          (void)read_seed(*root.find("seed"), "seed");
        }).ends_with("; several values, where the key takes them, as a list: [1,2]"));
  const std::vector<std::string> names{"mean", "high"};
  CHECK(error_text<ConfigError>([&] { (void)read_name(*root.find("bid"), "bid", names); }) ==
        "--set bid=mean,high: bid: found 'mean,high', expected one of: mean, high; several values, "
        "where the key takes them, as a list: [mean,high]");
  CHECK(error_text<ConfigError>([&] {
          (void)read_seed(*root.find("label"), "label");
        }).find("several") == std::string::npos);
}

TEST_CASE("read_sweep: damaged files give errors, never a crash") {
  const std::string valid =
      "workloads: [{synthetic: azure2020, seed: 1, scale: 0.01}]\n"
      "host: {vcpus: 10400, memory_mb: 2250}\nheadroom_percent: &h [0, 1.5]\n"
      "vm: [COS, {name: COS, label: 'n', capacity_normalised: true}]\n"
      "spot:\n  - sDPD\n  - weighers: [sCOS, {name: sUTIL, multiplier: 2}]\n"
      "evictor: FIFO\nsaf: [false, true]\notn: [1, 2] # c\n";
  const std::string bytes = ":,[]{}&*!|>'\"%@`#-? \n\t~0a\\\x80\xff";
  const ScratchFolder folder;
  Random random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = valid;
    for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      const char byte = bytes[random.below(bytes.size())];
      switch (random.below(4)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1 + random.below(4), byte);
          break;
        case 2:
          text.erase(at, 1 + random.below(20));
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.below(30)));
      }
      if (text.empty()) text = "-";
    }
    const auto file = folder.write("s.yaml", text);
    const std::string error = error_text<ConfigError>([&] { (void)read_sweep(file, {}); });
    if (error.empty()) continue;
    ++refused;
    CHECK_MESSAGE(contains(error, "s.yaml"), error);
  }
  CHECK(refused > 500);
}

}  // namespace
}  // namespace cospot
