#include <doctest/doctest.h>

#include <string>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

AllocatorSpec spec_of(bool saf, const std::string& otn) {
  return {{.label = "COS"},
          {.label = "sUTIL"},
          {.label = "FIFO", .name = "FIFO"},
          saf,
          OfferRule::parse(otn)};
}

TEST_CASE("AllocatorSpec: one text, one JSON") {
  const AllocatorSpec spec = spec_of(true, "4");
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
  CHECK_FALSE(spec_of(false, "1").cooperates());
  // An offer of one host at any load is one host.
  CHECK_FALSE(spec_of(false, "adaptive:at_low_load=1:at_high_load=1:from=0.2:to=0.9").cooperates());
  CHECK(spec_of(true, "1").cooperates());
  CHECK(spec_of(false, "2").cooperates());
  CHECK(spec_of(false, "epsilon-0").cooperates());
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
    AllocatorSpec made{settings.vm[at[0]], settings.spot[at[1]], settings.evictors[at[2]],
                       settings.saf[at[3]], settings.otn[at[4]]};
    CHECK(spec.label() == made.label());
    CHECK(space.is_bound(candidate) == (at[2] == 1));  // LPO knows how long spots live
    made.saf = false;
    made.otn = 1;
    CHECK(space.at(space.baseline_of(candidate).value()).label() == made.label());
    CHECK((space.baseline_of(candidate) == candidate) == !spec.cooperates());
  }
}

}  // namespace
}  // namespace cospot
