#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "core/errors.hpp"
#include "core/handshake/handshake.hpp"
#include "core/provider/datacenter.hpp"
#include "core/provider/provider_hosts.hpp"
#include "core/ranking/chain.hpp"
#include "evictors/fifo_evictor.hpp"
#include "evictors/youngest_first_evictor.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kSmallHost{8, 8, 0};

Request vm(InstanceIndex instance, ResourceAmount amount) {
  return {.vcpus = amount, .memory_mb = amount, .instance = instance};
}

Request spot(InstanceIndex instance, ResourceAmount amount, SimTime time) {
  return {.vcpus = amount,
          .memory_mb = amount,
          .instance_class = InstanceClass::kSpot,
          .instance = instance,
          .time = time};
}

/// h0 holds spots of 2, 2 and 4; h1 one of 7; h2 one of 3 and a VM of 3.
void fill(Datacenter& datacenter) {
  for (const InstanceIndex i : {0U, 1U}) datacenter.add_spot(0, spot(i, 2, SimTime(i)), kNever);
  datacenter.add_spot(0, spot(2, 4, SimTime(2)), kNever);
  datacenter.add_spot(1, spot(3, 7, SimTime(3)), kNever);
  datacenter.add_spot(2, spot(4, 3, SimTime(4)), kNever);
  datacenter.add_vm(2, vm(5, 3));
}

std::shared_ptr<const Chain> chain_of(const std::string& weigher) {
  return make_chain({.label = weigher, .weighers = {{.name = weigher}}}, ChainSide::kVm);
}

/// Notes every plan, by host; -1: none.
struct PlanWatch : HandshakeObserver {
  static constexpr bool kSeesEveryPlan = true;
  void offered(const Offer& offer) { offered_hosts = offer.hosts.size(); }
  void considered(HostIndex host, std::span<const RunningSpot> /*spots*/,
                  const EvictionPlan* plan) {
    victims.at(host) = plan == nullptr ? -1 : static_cast<int>(plan->victims.size());
  }

  std::size_t offered_hosts = 0;
  std::array<int, 3> victims{-2, -2, -2};
};

TEST_CASE("Handshake: offer, choice and commit as plain values, seen by an observer") {
  Datacenter datacenter(HostTable::uniform(3, kSmallHost));
  fill(datacenter);
  const FifoEvictor fifo{PluginOptions{}};
  const auto chain = chain_of("FirstFit");
  const std::unique_ptr<HostRanking> ranking = chain->make_ranking(datacenter.hosts());
  const auto spots_of = [&](HostIndex host) { return datacenter.spots_on(host); };
  // A VM of 5 needs on h0 the spots 2 + 2 + 4, on h1 the one of 7, on h2 the one of 3 (2 are free).
  PlanWatch watch;
  const Request request = vm(9, 5);
  Handshake handshake(fifo, 3);
  const Choice choice = handshake.answer(datacenter.hosts(), *ranking, request, 0, spots_of, watch);
  CHECK(watch.offered_hosts == 3);
  CHECK(watch.victims == std::array{3, 1, 1});
  CHECK(choice.host.host == 1);  // the first of the two with one victim
  CHECK(choice.victims == std::vector<InstanceIndex>{3});
  CHECK(choice.score == 1);
  // An offer of the third alone, as another process might make it.
  const Offer third{.request = request, .hosts = {{2, datacenter.hosts().generation(2)}}};
  const Choice other = handshake.choose(datacenter.hosts(), third, spots_of);
  CHECK(other.victims == std::vector<InstanceIndex>{4});
  CHECK(datacenter.commit(choice, request));
  CHECK(datacenter.host_of(9) == 1);
  CHECK_FALSE(datacenter.host_of(3).has_value());
  CHECK_FALSE(datacenter.commit(choice, vm(10, 1)));  // the host has changed
  CHECK_FALSE(datacenter.commit(Choice{}, vm(10, 1)));
}

TEST_CASE("Handshake: decides at once what it would answer to the offer") {
  const YoungestFirstEvictor yjf{PluginOptions{}};
  for (const ResourceAmount amount : {1, 2, 4, 5, 8}) {
    for (const std::size_t otn : {1U, 2U, 3U}) {
      CAPTURE(amount);
      CAPTURE(otn);
      Datacenter datacenter(HostTable::uniform(3, kSmallHost));
      fill(datacenter);
      const auto chain = chain_of("COS");
      const std::unique_ptr<HostRanking> ranking = chain->make_ranking(datacenter.hosts());
      const auto spots_of = [&](HostIndex host) { return datacenter.spots_on(host); };
      Handshake handshake(yjf, otn);
      const Choice choice = handshake.answer(datacenter.hosts(), *ranking, vm(9, amount), 0,
                                             spots_of, HandshakeObserver{});
      ranking->start(vm(9, amount));
      const HostIndex first = ranking->next();
      if (shortfall(datacenter.hosts(), first, vm(9, amount)).fits_in({})) {
        CHECK(choice.host.host == first);
        continue;
      }
      const HostIndex host = handshake.decide(datacenter.hosts(), *ranking, first, vm(9, amount), 0,
                                              spots_of, HandshakeObserver{});
      CHECK(host == choice.host.host);
      std::vector<InstanceIndex> victims;
      for (const std::uint32_t position : handshake.victims()) {
        victims.push_back(spots_of(host)[position].instance);
      }
      CHECK(victims == choice.victims);
    }
  }
}

TEST_CASE("Datacenter: a VM in place of spots, all or nothing") {
  Datacenter datacenter(HostTable::uniform(3, kSmallHost));
  fill(datacenter);
  const auto error = [&](std::vector<InstanceIndex> victims, const Request& request) {
    return error_text<PolicyError>([&] { datacenter.add_vm_in_place_of(victims, 0, request); });
  };
  CHECK(error({0, 1}, vm(9, 5)) == "the choice does not free enough for the VM");
  CHECK(error({0, 3}, vm(9, 5)) == "victim 3 is no spot on host 0");
  CHECK(error({2, 2}, vm(9, 5)) == "the choice names a victim twice");
  CHECK(error({99}, vm(9, 5)) == "victim 99 is no spot on host 0");  // it runs nowhere
  CHECK(datacenter.spots_on(0).size() == 3);
  const auto refusal = [](const auto& call) { return error_text<ConfigError>(call); };
  const Request other_class = spot(9, 1, SimTime(9));
  CHECK(refusal([&] { datacenter.add_vm(0, other_class); }) ==
        "add_vm: the request is for a spot, expected a VM");
  CHECK(refusal([&] { datacenter.add_vm_in_place_of({}, 0, other_class); }) ==
        "add_vm: the request is for a spot, expected a VM");
  CHECK(refusal([&] { datacenter.add_spot(0, vm(9, 1), kNever); }) ==
        "add_spot: the request is for a VM, expected a spot");
  CHECK(refusal([&] { datacenter.add_vm(2, vm(5, 1)); }) ==
        "instance 5 runs on host 2 already, expected a new number");
  CHECK(refusal([&] { datacenter.evict(5); }) == "instance 5 is a VM, expected a spot");
  CHECK(refusal([&] { datacenter.remove(99); }) == "instance 99 does not run");
  CHECK(refusal([&] { datacenter.add_vm(2, vm(9, 6)); }) ==  // 8 - 3
        "host 2 has room for 5 vcpus, 5 memory_mb and 0 disk_gb beside its VMs, but the request is "
        "for 6, 6 and 0");
  CHECK(refusal([&] { datacenter.add_spot(2, spot(9, 3, SimTime(9)), kNever); }) ==  // 8 - 3 - 3
        "host 2 has room for 2 vcpus, 2 memory_mb and 0 disk_gb beside its VMs and spots, but the "
        "request is for 3, 3 and 0");
  datacenter.remove(5);
  CHECK(datacenter.hosts().free(2, Sees::kVms) == kSmallHost);
  datacenter.add_vm_in_place_of(std::array<InstanceIndex, 2>{2, 0}, 0, vm(9, 5));
  CHECK(datacenter.spots_on(0).size() == 1);
  CHECK(datacenter.hosts().free(0, Sees::kVmsAndSpots) == ResourceVector{1, 1, 0});
}

TEST_CASE("ProviderHosts: a host is replaced as a whole, and policies see its spots") {
  ProviderHosts hosts(HostTable::uniform(2, {1, 1, 0}));
  hosts.replace(0, {.name = "a", .total = kSmallHost},
                {{.instance = 0, .resources = {6, 6, 0}, .placed_at = SimTime(7)}});
  CHECK(hosts.table().free(0, Sees::kVms) == kSmallHost);
  CHECK(hosts.table().free(0, Sees::kVmsAndSpots) == ResourceVector{2, 2, 0});
  CHECK(hosts.table().free(1, Sees::kVms) == ResourceVector{1, 1, 0});
  const HostView view = hosts.table().view();
  REQUIRE(view[0].spots().size() == 1);
  CHECK(view[0].spots()[0].placed_at == SimTime(7));
  CHECK(view[1].spots().empty());
  // Each is in range, both together are not.
  const RunningSpot largest{.resources = {1, kMaxResourceAmount, 0}};
  CHECK(error_text<ConfigError>([&] {
          hosts.replace(0, {.name = "a", .total = kSmallHost}, {largest, largest});
        }) == "host 'a': its spots hold 134217728 of a resource, expected at most 67108864");
}

TEST_CASE("ProviderHosts: on a closed host nobody finds room, and what it leaves free stays shut") {
  ProviderHosts hosts(HostTable::uniform(2, kSmallHost), {.vm = chain_of("FirstFit")}, 10);
  hosts.place(vm(0, 3), 0, kNever);
  hosts.place(spot(1, 2, SimTime(0)), 0, kNever);
  hosts.close(0);
  hosts.close(0);  // for another reason
  CHECK(hosts.first_ranked(vm(2, 1)) == 1);
  // Who leaves leaves no room; who comes back has its own.
  hosts.remove_vm(0, {3, 3, 0}, 0);
  CHECK(hosts.first_ranked(vm(2, 1)) == 1);
  hosts.place(vm(0, 3), 0, kNever);
  hosts.resize_vm({3, 3, 0}, {1, 1, 0}, 0);
  hosts.remove_spot(1, 0);
  hosts.reopen(0);
  CHECK(hosts.first_ranked(vm(2, 1)) == 1);
  hosts.reopen(0);
  CHECK(hosts.first_ranked(vm(2, 1)) == 0);
  CHECK(hosts.table().free(0, Sees::kVms) == ResourceVector{7, 7, 0});
  CHECK(hosts.table().free(0, Sees::kVmsAndSpots) == ResourceVector{7, 7, 0});
}

TEST_CASE(
    "ProviderHosts: a level between sees those above it and its own as VMs, and what is shut") {
  // 0 and 1 are VMs, 2 is of the level between, 3 a spot.
  const std::array<std::uint8_t, 4> level_of{0, 0, 1, 2};
  ProviderHosts hosts(HostTable::uniform(1, kSmallHost),
                      {.vm = chain_of("FirstFit"), .between = {chain_of("FirstFit")}}, 4, {},
                      {.count = 3, .level_of = level_of});
  const auto free = [&](InstanceIndex instance) {
    return hosts.table_for(vm(instance, 1)).free(0, Sees::kVms).vcpus;
  };
  hosts.place(vm(0, 1), 0, kNever);
  hosts.place(spot(2, 2, SimTime(0)), 0, kNever);
  hosts.place(spot(3, 1, SimTime(0)), 0, kNever);
  hosts.resize_vm({1, 1, 0}, {4, 4, 0}, 0);
  CHECK(free(1) == 4);  // 8 - 4
  CHECK(free(2) == 2);  // 8 - 4 - 2
  hosts.close(0);
  hosts.remove_spot(2, 0);
  CHECK(free(1) == 0);
  CHECK(free(2) == 0);
  hosts.reopen(0);
  CHECK(free(1) == 4);
  CHECK(free(2) == 4);
}

}  // namespace
}  // namespace cospot
