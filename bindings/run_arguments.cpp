#include "bindings/run_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "core/errors.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

bool is_path(const py::object& value) {
  return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
}

HostTable read_hosts(const py::object& hosts, const py::object& host, RunSettings& settings) {
  if (host.is_none() && is_path(hosts)) return read_hosts(py::none(), hosts, settings);
  if (!py::isinstance<OwnedHosts>(hosts)) {
    if (host.is_none()) {
      throw ConfigError("host: missing; expected the totals of every host beside their number");
    }
    settings.host = read_host_mix(host, "host");
    if (hosts.is_none() && settings.host.is_plain()) {
      throw ConfigError("hosts: missing; expected how many hosts there are");
    }
    settings.hosts = hosts.is_none() ? settings.host.declared() : read_count(hosts, "hosts", 1);
    return settings.host.table(settings.hosts);
  }
  if (!host.is_none()) {
    throw ConfigError("host: given beside a HostTable, which has the totals; expected one of them");
  }
  const HostTable& table = *hosts.cast<const OwnedHosts&>().table;
  if (table.size() == 0) throw ConfigError("hosts: the table has no hosts, expected at least one");
  settings.hosts = table.size();
  settings.host = table.largest_total();
  return table;
}

}  // namespace

OfferRule read_offer_rule(py::handle value) {
  if (py::isinstance<py::dict>(value)) {
    GivenPolicies none;
    return read_offer(sweep_tree(value, "otn", none));
  }
  if (!py::isinstance<py::str>(value)) return read_count(value, "otn", 1);
  try {
    return OfferRule::parse(read_text(value, "otn"));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("otn: {}", error.what()));
  }
}

HostMix read_host_mix(const py::object& value, std::string_view name) {
  if (py::isinstance<py::bytes>(value)) return parse_hosts(value.cast<std::string>(), name);
  if (is_path(value)) return read_hosts_file(read_path(value, name));
  // A list of numbers is what one host has.
  const bool is_of_types =
      py::isinstance<py::dict>(value) || (py::isinstance<py::list>(value) && py::len(value) > 0 &&
                                          py::isinstance<py::dict>(value.cast<py::list>()[0]));
  if (!is_of_types) return read_host(value, name);
  GivenPolicies none;
  ConfigNode root;
  root.kind = ConfigNode::Kind::kMapping;
  root.where = name;
  root.entries.push_back({"host", root.where, sweep_tree(value, root.where, none)});
  return cospot::read_hosts(root, {});
}

TunedDatacenter read_datacenter(const py::object& host, const py::object& hosts,
                                const py::object& headroom_percent, const py::object& added_type) {
  if (host.is_none() && is_path(hosts)) {
    return read_datacenter(hosts, py::none(), headroom_percent, added_type);
  }
  if (host.is_none()) {
    throw ConfigError(
        "the hosts are missing; expected host=(vcpus, memory_mb), with hosts=N or without, or "
        "hosts=\"FILE.csv\"");
  }
  HostMix mix = read_host_mix(host, "host");
  if (!added_type.is_none()) mix.add_only(read_text(added_type, "added_type"));
  std::optional<std::size_t> count;
  std::optional<double> percent;
  if (!hosts.is_none()) count = read_count(hosts, "hosts", 1);
  if (!headroom_percent.is_none()) {
    percent = read_number(headroom_percent, "headroom_percent", 0, kMaxHeadroomPercent);
  }
  if (count && percent) throw ConfigError("hosts excludes headroom_percent; expected one of them");
  return tuned_datacenter(std::move(mix), count, percent, "");
}

TuneCandidates read_candidates(const py::kwargs& given, TuneCandidates usual, bool all,
                               const char* command, GivenPolicies& policies) {
  usual.dashes.clear();
  std::vector<std::pair<std::string, std::vector<std::string>*>> lists{
      {"vm", &usual.vm}, {"spot", &usual.spot}, {"evictor", &usual.evictor}, {"otn", &usual.otn}};
  if (all) lists.insert(lists.end(), {{"promise", &usual.promises}, {"model", &usual.models}});
  for (const auto& [key, value] : given) {
    const std::string name = read_text(key, "an argument's name");
    const auto found = std::ranges::find(lists, name, [](const auto& one) { return one.first; });
    if (found == lists.end()) {
      std::vector<std::string> names;
      for (const auto& [known, list] : lists) names.push_back(known);
      throw_unknown_argument(command, name, names);
    }
    *found->second =
        read_texts(named_candidates(py::reinterpret_borrow<py::object>(value), policies), name);
  }
  return usual;
}

PreparedRun prepare_run(const py::object& hosts, const py::object& host, const py::object& vm,
                        const py::object& spot, const py::object& evictor, bool saf,
                        const py::object& otn) {
  RunSettings settings;
  HostTable table = read_hosts(hosts, host, settings);
  static_cast<AllocatorSpec&>(settings) = {.vm = read_chain(vm, "vm"),
                                           .spot = read_chain(spot, "spot"),
                                           .evictor = read_evictor(evictor),
                                           .saf = saf,
                                           .otn = read_offer_rule(otn)};
  return {std::move(settings), std::move(table)};
}

}  // namespace cospot::bindings
