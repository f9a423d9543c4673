#include <doctest/doctest.h>

#include "core/errors.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_workload.hpp"
#include "weighers/registry.hpp"

namespace cospot {

TEST_CASE("UTIL: vcpus left, used, or the fraction of all that is used, worked by hand") {
  // Beside VMs 6, 2 and 30 are left. Spots use 1 of the second host.
  const HostTable hosts({{.name = "a", .total = {10, 9}, .vm_used = {4, 1}},
                         {.name = "b", .total = {4, 9}, .vm_used = {2, 1}, .spot_used = {1, 1}},
                         {.name = "c", .total = {64, 9}, .vm_used = {34, 1}}});
  using Weights = std::vector<double>;
  const auto weigh = [&](const std::string& name, const std::string& measure) {
    Weights weights(3);
    make_plugin(weigher_registry(), "weigher", name, {{"measure", measure}})
        ->weigh_all(hosts.view(), std::vector<HostIndex>{0, 1, 2}, {}, weights);
    return weights;
  };
  CHECK(weigh("UTIL", "left") == Weights{-6, -2, -30});
  CHECK(weigh("UTIL", "used") == Weights{4, 2, 34});
  CHECK(weigh("UTIL", "fraction") == Weights{0.4, 0.5, 0.53125});
  CHECK(weigh("sUTIL", "left") == Weights{-6, -1, -30});
  CHECK(weigh("vmaUTIL", "fraction") == Weights{0.4, 0.75, 0.53125});
  CHECK(error_text<ConfigError>([&] { (void)weigh("sUTIL", "free"); }) ==
        "sUTIL: measure is 'free', expected one of: left, used, fraction");
}

TEST_CASE("UTIL: on identical hosts runs are the same by every measure") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Workload workload = random_workload({.seed = seed, .host = {10, 12, 0}, .hosts = 5});
    const std::string spot = seed % 2 == 0 ? "sUTIL" : "vmaUTIL";
    reference::Settings settings{{10, 12, 0}, 5, "UTIL:used", spot + ":used", "LPO", seed < 9, 2};
    if (seed % 3 == 0) settings.epsilon = 0.3183;
    const std::vector<reference::Event> used = reference::simulate(workload, settings).events;
    for (const char* measure : {"", ":used", ":fraction"}) {
      settings.vm = std::string("UTIL") + measure;
      settings.spot = spot + measure;
      check_against_reference(workload, settings);
      CHECK((reference::simulate(workload, settings).events == used));
    }
  }
}

}  // namespace cospot
