#include <doctest/doctest.h>

#include <string>

#include "sim_harness/provider/forecasts/true_lifetimes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/tune/tune.hpp"

namespace cospot {
namespace {

AllocatorSpec spec_of(const std::string& spot, const std::string& evictor, bool saf,
                      const std::string& otn) {
  return {.vm = {.label = "COS", .weighers = {{.name = "COS"}}},
          .spot = {.label = spot, .weighers = {{.name = spot}}},
          .evictor = {.label = evictor, .name = evictor},
          .saf = saf,
          .otn = OfferRule::parse(otn)};
}

TEST_CASE("AllocatorSpec: one text, one JSON") {
  const AllocatorSpec spec = spec_of("sUTIL", "FIFO", true, "4");
  CHECK(spec.label() == "COS, sUTIL, FIFO, SAF on, OTN 4");
  CHECK(spec.named_label() == "VM COS, spot sUTIL, evictor FIFO, SAF on, OTN 4");
  CHECK(setting_json(spec) == Json::parse(R"({"vm": "COS", "spot": "sUTIL", "evictor": "FIFO",
                                              "saf": true, "otn": 4})"));
  const AllocatorSpec vms{.vm = spec.vm, .evictor = spec.evictor};
  CHECK(vms.places_no_spots());
  CHECK(vms.label() == "COS, no spots");
  CHECK(vms.named_label() == "VM COS");
}

TEST_CASE("AllocatorSpec: cooperates if spots may have a say in where VMs go") {
  CHECK_FALSE(spec_of("sUTIL", "FIFO", false, "1").cooperates());
  // An offer of one host at any load is one host.
  CHECK_FALSE(
      spec_of("sUTIL", "FIFO", false, "adaptive:at_low_load=1:at_high_load=1:from=0.2:to=0.9")
          .cooperates());
  CHECK(spec_of("sUTIL", "FIFO", true, "1").cooperates());
  CHECK(spec_of("sUTIL", "FIFO", false, "2").cooperates());
  CHECK(spec_of("sUTIL", "FIFO", false, "epsilon-0").cooperates());
}

TEST_CASE("AllocatorSpec: an upper bound if any of its policies needs true lifetimes") {
  CHECK_FALSE(needs_true_lifetimes(spec_of("sUTIL", "FIFO", true, "4")));
  CHECK(needs_true_lifetimes(spec_of("sUTIL", "LPO", true, "4")));
}

TEST_CASE("CandidateSpace: each candidate is the combination at its positions") {
  TuneSettings settings;
  for (const char* vm : {"UTIL", "COS"}) settings.vm.push_back({.label = vm});
  for (const char* spot : {"sUTIL", "sDPD", "vmaUTIL"}) settings.spot.push_back({.label = spot});
  for (const char* name : {"FIFO", "LPO"}) settings.evictors.push_back({name, name});
  for (const std::size_t otn : {4U, 1U}) settings.otn.emplace_back(otn);
  const CandidateSpace space(settings);
  REQUIRE(space.size() == 2 * 3 * 2 * 2 * 2);
  for (std::size_t candidate = 0; candidate < space.size(); ++candidate) {
    const Coordinates at = space.positions(candidate);
    const AllocatorSpec& spec = space.at(candidate);
    CHECK(spec.vm.label == settings.vm[at[0]].label);
    CHECK(spec.spot.label == settings.spot[at[1]].label);
    CHECK(spec.evictor.label == settings.evictors[at[2]].label);
    CHECK(spec.saf == settings.saf[at[3]]);
    CHECK(spec.otn == settings.otn[at[4]]);
    CHECK(space.is_bound(candidate) == (at[2] == 1));
    // Its baseline has the same policies and does not cooperate.
    const AllocatorSpec& baseline = space.at(space.baseline_of(candidate).value());
    CHECK_FALSE(baseline.cooperates());
    CHECK((space.baseline_of(candidate) == candidate) == !spec.cooperates());
    CHECK(baseline.vm.label + baseline.spot.label + baseline.evictor.label ==
          spec.vm.label + spec.spot.label + spec.evictor.label);
  }
}

}  // namespace
}  // namespace cospot
