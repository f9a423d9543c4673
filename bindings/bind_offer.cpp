// The handshake step by step: Datacenter, Offer, Choice.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/rank_hosts.hpp"
#include "bindings/run_arguments.hpp"
#include "core/errors.hpp"
#include "core/handshake/handshake.hpp"
#include "core/model/vm_load.hpp"
#include "core/provider/datacenter.hpp"
#include "core/ranking/batch_ranking.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

HostIndex read_host_number(py::handle host) {
  return static_cast<HostIndex>(read_integer(host, "host", 0, UINT32_MAX - 1));
}

std::uint64_t read_generation(const py::handle& generation) {
  return static_cast<std::uint64_t>(read_integer(generation, "generation", 0, INT64_MAX));
}

Offer make_offer(const PythonChain& chain, const HostColumns& hosts, const Request& request,
                 const py::object& otn, bool saf) {
  if (request.is_spot()) {
    throw ConfigError(
        "make_offer: the request is for a spot, expected a VM: a spot takes the first "
        "host of Chain.rank");
  }
  const OfferRule rule = read_offer_rule(otn);
  const double load = rule.follows_load() ? VmLoad(hosts.view).of_scarcest() : 0;
  const ChainSide side = side_of(request, saf);
  if (HostRanking* kept = kept_ranking(chain, hosts, side, rule.most_hosts(load))) {
    return cospot::make_offer(hosts.view, *kept, request, rule, load);
  }
  BatchRanking scan(chain.side(side), hosts.view);
  return cospot::make_offer(hosts.view, scan, request, rule, load);
}

py::object choose(const Offer& offer, const py::object& evictor, const Datacenter& datacenter) {
  const std::shared_ptr<const Evictor> asked = py::isinstance<CompiledEvictor>(evictor)
                                                   ? evictor.cast<const CompiledEvictor&>().policy
                                                   : cospot::make_evictor(read_evictor(evictor));
  std::vector<RunningSpot> spots;  // a copy, whatever a policy does to the datacenter meanwhile
  const auto spots_of = [&](HostIndex host) -> std::span<const RunningSpot> {
    if (host >= datacenter.hosts().size()) {
      throw py::index_error(fmt::format("the offer has host {}, but there are {} hosts", host,
                                        datacenter.hosts().size()));
    }
    const std::span<const RunningSpot> now = datacenter.spots_on(host);
    spots.assign(now.begin(), now.end());
    return spots;
  };
  const Choice choice = Handshake(*asked).choose(datacenter.hosts(), offer, spots_of);
  return choice.has_host() ? py::cast(choice) : py::object(py::none());
}

/// Refuses what comes twice; `noun`: what it is.
template <class Number>
void require_each_once(std::vector<Number> numbers, std::string_view name, std::string_view noun) {
  std::ranges::sort(numbers);
  const auto twice = std::ranges::adjacent_find(numbers);
  if (twice == numbers.end()) return;
  throw ConfigError(fmt::format("{}: the {} {} comes twice, expected once", name, noun, *twice));
}

Offer make_offer_value(const Request& request, const py::object& hosts) {
  constexpr std::string_view kExpected = "(host, generation) pairs";
  Offer offer{.request = request, .hosts = {}};
  std::vector<HostIndex> rows;
  for (const py::object& one : read_items(hosts, "hosts", kExpected)) {
    const auto [host, generation] =
        read_as<std::pair<py::object, py::object>>(one, "an entry of hosts", kExpected);
    rows.push_back(read_host_number(host));
    offer.hosts.push_back({.host = rows.back(), .generation = read_generation(generation)});
  }
  require_each_once(std::move(rows), "hosts", "host");
  return offer;
}

py::tuple offered_hosts(const Offer& offer) {
  py::list hosts;
  for (const OfferedHost& host : offer.hosts) {
    hosts.append(py::make_tuple(host.host, host.generation));
  }
  return py::tuple(hosts);
}

Choice make_choice(const py::object& host, const py::object& generation, const py::object& victims,
                   const py::object& score) {
  Choice choice{.host = {.host = read_host_number(host), .generation = read_generation(generation)},
                .victims = {},
                .score = read_finite(score, "score")};
  for (const py::object& victim : read_items(victims, "victims", "instances")) {
    choice.victims.push_back(read_instance(victim));
  }
  require_each_once(choice.victims, "victims", "instance");
  return choice;
}

std::shared_ptr<Datacenter> make_datacenter(const py::object& hosts) {
  if (py::isinstance<OwnedHosts>(hosts)) {
    return std::make_shared<Datacenter>(*hosts.cast<const OwnedHosts&>().table);
  }
  return std::make_shared<Datacenter>(read_host_table(hosts, "HostSpec, or a HostTable"));
}

/// Keeps the datacenter as long as its hosts are looked at.
OwnedHosts hosts_of(const std::shared_ptr<Datacenter>& datacenter) {
  return OwnedHosts({datacenter, &datacenter->hosts()}, {datacenter, &datacenter->log()});
}

void bind_values(py::module_& core) {
  py::class_<Offer>(core, "Offer", R"doc(
What the VM side tells the spot side: the request and its top N hosts, the best first.

A plain value, which may be compared and pickled: the two sides may live in different processes.
)doc")
      .def(py::init(&make_offer_value), "request"_a, "hosts"_a, R"doc(
Make an offer.

Args:
    request: What is to be placed.
    hosts: (host, generation) pairs, the best host first.

Raises:
    ConfigError: A number is out of range, or a host comes twice.
    ArgumentError: An argument is of another type.
)doc")
      .def_readonly("request", &Offer::request, "What is to be placed.")
      .def_property_readonly("hosts", &offered_hosts, R"doc(
(host, generation) of each offered host, the best first.
)doc")
      .def(
          "__len__", [](const Offer& offer) { return offer.hosts.size(); },
          "Return the number of offered hosts.")
      .def(
          "__reduce__",
          [](const py::object& self) {
            const auto& offer = self.cast<const Offer&>();
            return py::make_tuple(py::type::of(self),
                                  py::make_tuple(offer.request, offered_hosts(offer)));
          },
          "Pickle it.");
  py::class_<Choice>(core, "Choice", R"doc(
What the spot side answers: the offered host it prefers and the spots that must go.
)doc")
      .def(py::init(&make_choice), "host"_a, "generation"_a, "victims"_a, "score"_a,
           R"doc(
Make a choice; see the properties.

Raises:
    ConfigError: A number is out of range, or a victim comes twice.
    ArgumentError: An argument is of another type.
)doc")
      .def_property_readonly(
          "host", [](const Choice& choice) { return choice.host.host; }, "Row of the host.")
      .def_property_readonly(
          "generation", [](const Choice& choice) { return choice.host.generation; },
          "The host's generation when it was offered.")
      .def_property_readonly(
          "victims", [](const Choice& choice) { return py::tuple(py::cast(choice.victims)); },
          "The instances that must go, oldest placement first.")
      .def_readonly("score", &Choice::score, "The evictor's; 0 when nothing is evicted.")
      .def(
          "__reduce__",
          [](const py::object& self) {
            const auto& choice = self.cast<const Choice&>();
            return py::make_tuple(py::type::of(self),
                                  py::make_tuple(choice.host.host, choice.host.generation,
                                                 self.attr("victims"), choice.score));
          },
          "Pickle it.");
}

void bind_datacenter(py::module_& core) {
  py::class_<Datacenter, std::shared_ptr<Datacenter>>(core, "Datacenter", R"doc(
Hosts and the instances on them, changed step by step by one writer.

Use it from one thread at a time. It is live: equal to itself alone; compare its `hosts`.
)doc")
      .def(py::init(&make_datacenter), "hosts"_a, R"doc(
Make a datacenter without instances.

Args:
    hosts: A HostTable, which is copied, or a list of HostSpec.

Raises:
    ConfigError: Two hosts have the same name.
    ArgumentError: `hosts` is neither.
)doc")
      .def_property_readonly("hosts", &hosts_of, "Its hosts, live: HostTable.")
      .def(
          "host_of",
          [](const Datacenter& self, const py::object& instance) {
            return self.host_of(read_instance(instance));
          },
          "instance"_a, "Return the row of the host an instance runs on; None: it does not run.")
      .def(
          "spots_on",
          [](const Datacenter& self, const py::object& host) {
            const auto spots = self.spots_on(read_row(host, "host", self.hosts().size()));
            return std::vector<RunningSpot>(spots.begin(), spots.end());
          },
          "host"_a, R"doc(
Return the spots on a host, oldest placement first: a list of RunningSpot.

Raises:
    IndexError: There is no such host.
)doc")
      .def(
          "add_vm",
          [](Datacenter& self, const py::object& host, const Request& request) {
            self.add_vm(read_row(host, "host", self.hosts().size()), request);
          },
          "host"_a, "request"_a, R"doc(
Place a VM. It may take the room of spots, which must then be evicted.

Raises:
    ConfigError: The instance runs already, it is a spot, or it does not fit beside the VMs.
    IndexError: There is no such host.
)doc")
      .def(
          "add_spot",
          [](Datacenter& self, const py::object& host, const Request& request,
             const py::object& ends_at_us) {
            self.add_spot(read_row(host, "host", self.hosts().size()), request,
                          read_end(ends_at_us, "ends_at_us"));
          },
          "host"_a, "request"_a, "ends_at_us"_a = kNever.count(), R"doc(
Place a spot.

Args:
    host: Row of the host.
    request: What is placed; its time is when.
    ends_at_us: When it will end by itself, for LPO; NEVER_US: unknown.

Raises:
    ConfigError: The instance runs already, it is a VM, or it does not fit beside VMs and spots.
    IndexError: There is no such host.
)doc")
      .def(
          "remove",
          [](Datacenter& self, const py::object& instance) {
            self.remove(read_instance(instance));
          },
          "instance"_a, "Remove an instance. Raises ConfigError when it does not run.")
      .def(
          "evict",
          [](Datacenter& self, const py::object& spot) { self.evict(read_instance(spot)); },
          "spot"_a, "Remove a spot. Raises ConfigError when it does not run or is a VM.")
      .def("commit", &Datacenter::commit, "choice"_a, "request"_a, R"doc(
Evict the victims of a choice and place the VM.

Returns:
    False, with nothing done, when the host has changed since it was offered.

Raises:
    ConfigError: The instance runs already or is a spot.
    PolicyError: The victims are not on the host or do not free enough.
)doc");
}

}  // namespace

void bind_offer(py::module_& core) {
  bind_values(core);
  bind_datacenter(core);
  core.def("make_offer", &make_offer, "chain"_a, "hosts"_a, "request"_a, "otn"_a, py::kw_only(),
           "saf"_a = false, R"doc(
The VM side of the handshake: offer the first hosts of its ranking.

Args:
    chain: The VM chain.
    hosts: HostTable or HostView with n hosts.
    request: For a VM.
    otn: How many hosts to offer at most, from 1; or another offer as `simulate` takes it, such as
        "epsilon-0.05". The load that an offer follows is that of the VMs on `hosts`.
    saf: Spot-avoiding filter: hosts with room beside all their spots rank first.

Returns:
    An Offer; without hosts when none has room beside its VMs.

Raises:
    ConfigError: The request is for a spot, or `otn` is no offer.
    PolicyError: A policy written in Python broke its contract.

Source: CoSpot, section 3 ("Offer Top N"); section 7 (the other offers).
)doc");
  core.def(
      "_offer_label", [](const py::object& otn) { return read_offer_rule(otn).label(); }, "otn"_a,
      "Return the name of an offer in results. Raises ConfigError when it is none.");
  core.def("choose", &choose, "offer"_a, "evictor"_a, "datacenter"_a, R"doc(
The spot side of the handshake: choose the offered host whose evictions score least.

Args:
    offer: From make_offer; ties go to the better rank.
    evictor: A name, a compiled evictor, or a class or object below cospot.Evictor.
    datacenter: Where the spots are.

Returns:
    A Choice; None when no offered host can be freed enough.

Raises:
    PolicyError: The evictor broke its contract.
    IndexError: The offer has a host that the datacenter has not.

Source: CoSpot, section 3.
)doc");
}

}  // namespace cospot::bindings
