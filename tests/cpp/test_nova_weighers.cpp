#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "core/ranking/chain.hpp"
#include "tests/cpp/source_folder.hpp"
#include "weighers/nova_cpu_weigher.hpp"
#include "weighers/nova_disk_weigher.hpp"
#include "weighers/nova_io_ops_weigher.hpp"
#include "weighers/nova_ram_weigher.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// One call of Nova's handler, as tests/parity/record_nova_weights.py recorded it.
struct WeigherCase {
  std::string name;
  std::vector<std::pair<std::string, double>> weighers{};  ///< name, multiplier
  std::vector<HostSpec> hosts{};
  std::vector<double> weights{};
  std::vector<HostIndex> order{};
};

double read_double(std::istringstream& line) {
  std::string text;
  line >> text;
  return std::strtod(text.c_str(), nullptr);
}

void read_host(std::istringstream& line, WeigherCase& recorded) {
  HostSpec host;
  for (ResourceVector* amounts : {&host.total, &host.vm_used, &host.spot_used}) {
    line >> amounts->vcpus >> amounts->memory_mb >> amounts->disk_gb;
  }
  line >> host.num_io_ops;
  recorded.hosts.push_back(host);
  recorded.weights.push_back(read_double(line));
}

std::vector<WeigherCase> read_recorded_cases() {
  std::ifstream file(source_folder() / "tests/parity/nova_weights.txt");
  std::vector<WeigherCase> cases;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string kind;
    line >> kind;
    if (kind == "case") {
      cases.emplace_back();
      line >> cases.back().name;
    } else if (kind == "weigher") {
      std::string name;
      line >> name;
      cases.back().weighers.emplace_back(name, read_double(line));
    } else if (kind == "host") {
      read_host(line, cases.back());
    } else if (kind == "order") {
      for (HostIndex host = 0; line >> host;) cases.back().order.push_back(host);
    }
  }
  return cases;
}

TEST_CASE("Nova weighers: sums and order are those of the real Nova, to the bit") {
  const std::vector<WeigherCase> cases = read_recorded_cases();
  REQUIRE(cases.size() > 80);
  for (const WeigherCase& recorded : cases) {
    CAPTURE(recorded.name);
    std::vector<Chain::WeighedBy> weighers;
    for (const auto& [name, multiplier] : recorded.weighers) {
      weighers.push_back({make_plugin(weigher_registry(), "weigher", name, {}), multiplier});
    }
    const Chain chain({}, std::move(weighers));
    const HostTable hosts(recorded.hosts);
    ChainScratch scratch;
    std::vector<RankedHost> ranked;
    chain.weigh(hosts.view(), Request{}, scratch, ranked);
    std::vector<double> weights;
    for (const RankedHost& host : ranked) weights.push_back(host.weight);
    CHECK(weights == recorded.weights);
    std::sort(ranked.begin(), ranked.end(),
              [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
    std::vector<HostIndex> order;
    for (const RankedHost& host : ranked) order.push_back(host.host);
    CHECK(order == recorded.order);
  }
}

template <class T>
std::vector<double> raw_weights(const HostTable& hosts) {
  std::vector<HostIndex> candidates(hosts.size());
  std::iota(candidates.begin(), candidates.end(), HostIndex{0});
  std::vector<double> weights(hosts.size());
  T(PluginOptions{}).weigh_all(hosts.view(), candidates, Request{}, weights);
  return weights;
}

TEST_CASE("Nova weighers: raw weights are what is free beside VMs and spots") {
  const HostTable hosts({{.name = "half",
                          .total = {8, 4096, 100},
                          .vm_used = {3, 1000, 30},
                          .spot_used = {1, 96, 10},
                          .num_io_ops = 2},
                         {.name = "idle", .total = {8, 4096, 100}}});
  // 8 - 3 - 1 vcpus, 4096 - 1000 - 96 MiB, (100 - 30 - 10) GiB of 1024 MiB, 2 operations.
  CHECK(raw_weights<NovaCpuWeigher>(hosts) == std::vector<double>{4, 8});
  CHECK(raw_weights<NovaRamWeigher>(hosts) == std::vector<double>{3000, 4096});
  CHECK(raw_weights<NovaDiskWeigher>(hosts) == std::vector<double>{61440, 102400});
  CHECK(raw_weights<NovaIoOpsWeigher>(hosts) == std::vector<double>{2, 0});
}

}  // namespace
}  // namespace cospot
