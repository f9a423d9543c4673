// What the interfaces of core/ promise, checked for every registered policy.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "core/errors.hpp"
#include "core/policy/forecasts.hpp"
#include "core/random.hpp"
#include "core/ranking/chain.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "guarantees/economy/economy_promise.hpp"
#include "tests/cpp/random_hosts.hpp"
#include "tests/cpp/scratch_folder.hpp"
#include "tests/cpp/source_folder.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

template <class Plugin>
std::unique_ptr<Plugin> make(const RegistryEntry<Plugin>& entry) {
  return entry.make(PluginOptions(std::string(entry.info.name)));
}

template <class Plugin>
std::set<std::string> check_infos(std::span<const RegistryEntry<Plugin>> registry) {
  std::set<std::string> names;
  for (const RegistryEntry<Plugin>& entry : registry) {
    CAPTURE(entry.info.name);
    CHECK(names.insert(std::string(entry.info.name)).second);
    // Result rows and sweep files hold the name as it is.
    CHECK(std::regex_match(std::string(entry.info.name), std::regex("[A-Za-z][A-Za-z0-9]*")));
    CHECK(entry.info.summary.ends_with('.'));
    CHECK(entry.info.summary.size() <= 80);
    CHECK(entry.info.summary.find('\n') == std::string_view::npos);
    CHECK_FALSE(entry.info.source.empty());
  }
  return names;
}

template <class Plugin>
void check_unknown_option(std::span<const RegistryEntry<Plugin>> registry) {
  for (const RegistryEntry<Plugin>& entry : registry) {
    const std::string name(entry.info.name);
    CAPTURE(name);
    std::string message;
    try {
      (void)entry.make(PluginOptions(name, {{"no_such_option", true}}));
    } catch (const ConfigError& error) {
      message = error.what();
    }
    CHECK(message.starts_with(name + ": unknown option 'no_such_option'; "));
  }
}

TEST_CASE("registries: names are unique, descriptions complete, unknown options refused") {
  const std::set<std::string> filters = check_infos(filter_registry());
  const std::set<std::string> weighers = check_infos(weigher_registry());
  const std::set<std::string> evictors = check_infos(evictor_registry());
  CHECK(filters.size() >= 3);
  CHECK(weighers.size() >= 14);
  CHECK(evictors.size() >= 3);
  check_unknown_option(filter_registry());
  check_unknown_option(weigher_registry());
  check_unknown_option(evictor_registry());
}

std::vector<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex); match != std::sregex_iterator();
       ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

/// Every class and every name in `folder`/*`suffix` is in that folder's registry, and the reverse.
void check_headers(const std::string& folder, const std::string& suffix,
                   std::set<std::string> names) {
  const std::filesystem::path root = source_folder();
  const std::string registry = ScratchFolder::read(root / folder / "registry.cpp");
  const std::set<std::string> registered = names;
  for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(suffix)) continue;
    CAPTURE(file);
    const std::string text = ScratchFolder::read(entry.path());
    CHECK(registry.find("#include \"" + folder + "/" + file + "\"") != std::string::npos);
    const std::vector<std::string> classes = all_matches(text, "\\nclass (\\w+) final");
    CHECK(classes.size() == 1);
    for (const std::string& name : classes) {
      CAPTURE(name);
      CHECK(std::regex_search(registry, std::regex("registry_entry<\\w+, \\w*" + name + "[<>]")));
    }
    std::size_t found = 0;
    // A name is `.name = "UTIL"` or, in a table of variants, `{"UTIL", "...`.
    for (const char* pattern : {R"re(\.name = "(\w+)")re", R"re(\{"(\w+)",\s*")re"}) {
      for (const std::string& name : all_matches(text, pattern)) {
        CAPTURE(name);
        CHECK(registered.contains(name));
        names.erase(name);
        ++found;
      }
    }
    CHECK(found > 0);
  }
  for (const std::string& name : names) FAIL_CHECK(name << " is in no *" << suffix);
}

TEST_CASE("registries: hold every policy that has a header") {
  check_headers("filters", "_filter.hpp", check_infos(filter_registry()));
  check_headers("weighers", "_weigher.hpp", check_infos(weigher_registry()));
  check_headers("evictors", "_evictor.hpp", check_infos(evictor_registry()));
}

/// Some of the hosts, in random order.
std::vector<HostIndex> random_candidates(Random& random, std::size_t hosts) {
  std::vector<HostIndex> candidates;
  for (HostIndex host = 0; host < hosts; ++host) {
    if (random.below(4) > 0) candidates.push_back(host);
  }
  for (std::size_t i = candidates.size(); i > 1; --i) {
    std::swap(candidates[i - 1], candidates[random.below(i)]);
  }
  return candidates;
}

TEST_CASE("weighers: finite, and the same in any batch") {
  for (const RegistryEntry<Weigher>& entry : weigher_registry()) {
    CAPTURE(entry.info.name);
    const std::unique_ptr<Weigher> weigher = make(entry);
    Random random(7);
    for (int round = 0; round < 60; ++round) {
      const HostTable hosts = random_hosts(random, 40, round % 2 == 0);
      const Request request = random_request(random);
      const std::vector<HostIndex> candidates = random_candidates(random, hosts.size());
      std::vector<double> weights(candidates.size(), std::nan(""));
      weigher->weigh_all(hosts.view(), candidates, request, weights);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        REQUIRE(std::isfinite(weights[i]));
        double alone = std::nan("");
        weigher->weigh_all(hosts.view(), {&candidates[i], 1}, request, {&alone, 1});
        REQUIRE(alone == weights[i]);
      }
    }
    if (weigher->minval() && weigher->maxval()) CHECK(*weigher->minval() <= *weigher->maxval());
  }
}

TEST_CASE("filters: the same in any batch, and they need the room they say they need") {
  constexpr std::int64_t kPlenty = 1'000'000'000;
  const EconomyPromise promise{.promised_vcpus = kPlenty, .promised_memory_mb = kPlenty};
  const Forecasts forecasts{.economy = &promise};
  for (const RegistryEntry<Filter>& entry : filter_registry()) {
    CAPTURE(entry.info.name);
    const std::unique_ptr<Filter> filter = make(entry);
    Random random(8);
    std::size_t passed = 0;
    std::size_t asked = 0;
    for (int round = 0; round < 60; ++round) {
      const HostTable hosts = random_hosts(random, 40, round % 2 == 0);
      Request request = random_request(random);
      request.forecasts = &forecasts;
      const std::vector<HostIndex> candidates = random_candidates(random, hosts.size());
      std::vector<std::uint8_t> passes(candidates.size(), 77);
      filter->filter_all(hosts.view(), candidates, request, passes);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        REQUIRE(passes[i] <= 1);
        std::uint8_t alone = 77;
        filter->filter_all(hosts.view(), {&candidates[i], 1}, request, {&alone, 1});
        REQUIRE(alone == passes[i]);
        passed += alone;
        ++asked;
        if (!filter->needs_room_beside()) continue;
        const ResourceVector room = hosts.free(candidates[i], *filter->needs_room_beside());
        REQUIRE((alone == 1) == request.resources().fits_in(room));
      }
    }
    CHECK(passed > 0);
    if (filter->needs_room_beside()) CHECK(passed < asked);
  }
}

/// Every chain of a feasibility filter, SAF or not, and one weigher.
Chain registered_chain(const RegistryEntry<Weigher>& weigher, bool is_spot, bool saf) {
  std::vector<std::unique_ptr<Filter>> filters;
  filters.push_back(
      make_plugin(filter_registry(), "filter", is_spot ? "SpotFeasibility" : "VmFeasibility", {}));
  if (saf) filters.push_back(make_plugin(filter_registry(), "filter", "SpotAvoiding", {}));
  std::vector<Chain::WeighedBy> weighers;
  weighers.push_back({make(weigher), 1.0});
  return {std::move(filters), std::move(weighers)};
}

std::vector<HostIndex> walk_to_the_end(HostRanking& ranking, const Request& request) {
  std::vector<HostIndex> hosts;
  ranking.start(request);
  for (HostIndex host = ranking.next(); host != kNoHost; host = ranking.next()) {
    hosts.push_back(host);
  }
  return hosts;
}

/// Two rankings that are walking hosts in `order` say the same of them.
void check_standings(const HostRanking& one, const HostRanking& other,
                     const std::vector<HostIndex>& order) {
  REQUIRE(one.weight_spread() == other.weight_spread());
  const Standing first = one.standing_of(order.front());
  const Standing other_first = other.standing_of(order.front());
  for (const HostIndex host : order) {
    const Standing standing = one.standing_of(host);
    const Standing other_standing = other.standing_of(host);
    REQUIRE(standing.weight == other_standing.weight);
    REQUIRE((standing.tiers == first.tiers) == (other_standing.tiers == other_first.tiers));
    REQUIRE(standing.tiers <= first.tiers);
  }
}

TEST_CASE("weighers: a ranking kept between requests is in the order of the scan") {
  for (const RegistryEntry<Weigher>& entry : weigher_registry()) {
    CAPTURE(entry.info.name);
    Random random(9);
    for (int round = 0; round < 40; ++round) {
      const Chain chain = registered_chain(entry, round % 3 == 0, round % 3 == 1);
      HostTable hosts = random_hosts(random, 50, round % 2 == 0);
      const std::unique_ptr<HostRanking> ranking = chain.make_ranking(hosts);
      const std::unique_ptr<HostRanking> scan = chain.make_scan(hosts);
      for (int step = 0; step < 10; ++step) {
        const Request request = random_request(random);
        const std::vector<HostIndex> order = walk_to_the_end(*scan, request);
        REQUIRE((walk_to_the_end(*ranking, request) == order));
        if (order.empty()) continue;
        check_standings(*ranking, *scan, order);
        hosts.add_vm(order.front(), request.resources());
        ranking->host_changed(order.front());
        scan->host_changed(order.front());
      }
    }
  }
}

}  // namespace
}  // namespace cospot
