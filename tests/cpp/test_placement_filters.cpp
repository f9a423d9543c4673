#include <doctest/doctest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/model/placement_rules.hpp"
#include "filters/extra_spec_match.hpp"
#include "filters/registry.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "tests/cpp/source_folder.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// One request and some hosts, as tests/parity/record_nova_filters.py recorded what Nova says.
struct FilterCase {
  std::vector<HostSpec> hosts;
  HostPlaces places;
  PlaceRules rules;
  std::optional<ServerGroup> group;
  std::vector<HostIndex> members;
  std::vector<std::vector<std::string>> results;  ///< name, then one of each host
};

std::vector<std::string> split_by(const std::string& line, char by) {
  std::vector<std::string> parts(1);
  for (const char c : line) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void read_request(const std::vector<std::string>& fields, FilterCase& recorded) {
  recorded.rules = {.zone = fields.at(1), .tenant = fields.at(3)};
  for (const std::string& spec : split_by(fields.at(2), ';')) {
    if (spec.empty()) continue;
    const std::size_t equals = spec.find('=');
    recorded.rules.extra_specs.emplace_back(spec.substr(0, equals), spec.substr(equals + 1));
  }
  const std::vector<std::string> policies{"affinity", "anti-affinity", "soft-affinity",
                                          "soft-anti-affinity"};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (fields.at(4) != policies[i]) continue;
    recorded.group = ServerGroup{.id = "g",
                                 .policy = static_cast<GroupPolicy>(i),
                                 .max_server_per_host = std::stoi(fields.at(5))};
  }
  for (const std::string& host : split_by(fields.at(6), ',')) {
    if (!host.empty()) recorded.members.push_back(static_cast<HostIndex>(std::stoi(host)));
  }
}

std::vector<FilterCase> read_cases() {
  std::ifstream file(source_folder() / "tests/parity/nova_filters.txt");
  REQUIRE(file.good());
  std::vector<FilterCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> fields = split_by(line, '\t');
    if (fields[0] == "case") {
      cases.emplace_back();
    } else if (fields[0] == "host") {
      HostPlace place{.zone = fields.at(1)};
      REQUIRE(read_metadata(fields.at(2), place.metadata).empty());
      cases.back().hosts.push_back({.name = "host",
                                    .total = {1, 1, 0},
                                    .place = number_of_place(cases.back().places, place)});
    } else if (fields[0] == "request") {
      read_request(fields, cases.back());
    } else {
      cases.back().results.push_back(fields);
    }
  }
  return cases;
}

std::vector<std::string> ask(const FilterCase& recorded, const std::string& name) {
  const HostTable table(recorded.hosts, std::make_shared<const HostPlaces>(recorded.places));
  const Placement placement{.rules = &recorded.rules,
                            .group = recorded.group ? &*recorded.group : nullptr,
                            .members = recorded.members};
  Request request{.vcpus = 1, .memory_mb = 1};
  request.placement = &placement;
  std::vector<HostIndex> hosts;
  for (HostIndex host = 0; host < table.size(); ++host) hosts.push_back(host);
  std::vector<std::string> results{name};
  if (find_info(weigher_registry(), name) != nullptr) {
    std::vector<double> weights(hosts.size());
    make_plugin(weigher_registry(), "weigher", name, {})
        ->weigh_all(table.view(), hosts, request, weights);
    for (const double weight : weights) results.push_back(std::to_string(static_cast<int>(weight)));
    return results;
  }
  std::vector<std::uint8_t> passes(hosts.size());
  make_plugin(filter_registry(), "filter", name, {})
      ->filter_all(table.view(), hosts, request, passes);
  for (const std::uint8_t pass : passes) results.push_back(std::to_string(pass));
  return results;
}

}  // namespace

TEST_CASE("Filters and weighers of places and groups: say what the real Nova says") {
  const std::vector<FilterCase> cases = read_cases();
  CHECK(cases.size() == 150);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    CHECK(cases[i].results.size() == 7);
    for (const std::vector<std::string>& expected : cases[i].results) {
      CAPTURE(expected.front());
      CHECK(ask(cases[i], expected.front()) == expected);
    }
  }
}

TEST_CASE("Filters of places and groups: requests that ask for nothing pass everywhere") {
  for (const RegistryEntry<Filter>& entry : filter_registry()) {
    const auto filter = entry.make(PluginOptions(std::string(entry.info.name)));
    if (filter->scope() == FilterScope::kAny) continue;
    CAPTURE(entry.info.name);
    const HostPlaces places{{.zone = "a", .metadata = {{"filter_tenant_id", {"blue"}}}}};
    const HostTable table(std::vector<HostSpec>{{.name = "host", .total = {1, 1, 0}}},
                          std::make_shared<const HostPlaces>(places));
    const HostIndex host = 0;
    std::uint8_t passes = 0;
    filter->filter_all(table.view(), {&host, 1}, Request{.vcpus = 1}, {&passes, 1});
    CHECK(passes == 1);
  }
}

TEST_CASE("matches_extra_spec: where Nova would raise, nothing matches") {
  CHECK_FALSE(matches_extra_spec("ssd", ">= 4"));
  CHECK_FALSE(matches_extra_spec("4", ">= ssd"));
  CHECK_FALSE(matches_extra_spec("ssd", "<or>"));
}

}  // namespace cospot
