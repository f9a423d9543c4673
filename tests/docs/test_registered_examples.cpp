// The examples of CONTRIBUTING.md by their names, as `cospot list` and a sweep file have them.

#include <doctest/doctest.h>

#include "core/ranking/batch_ranking.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {

TEST_CASE("CONTRIBUTING's examples: a registry row lists them and makes them usable by name") {
  const HostTable hosts = HostTable::uniform(3, {8, 64, 0});
  const auto scans = [&hosts](const std::string& name) {
    const auto chain = make_chain({.label = name, .weighers = {{.name = name}}}, ChainSide::kVm);
    const std::unique_ptr<HostRanking> ranking = chain->make_ranking(hosts);
    return dynamic_cast<const BatchRanking*>(ranking.get()) != nullptr;
  };
  for (const char* name : {"FewestVms", "MostVms"}) {
    CAPTURE(name);
    CHECK(list_text("weighers").find(name) != std::string::npos);
  }
  CHECK(scans("FewestVms"));
  CHECK_FALSE(scans("MostVms"));
}

}  // namespace cospot
