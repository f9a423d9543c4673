#include "bindings/run_arguments.hpp"

#include "bindings/arguments.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "core/errors.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

HostTable read_hosts(const RunArguments& arguments, RunSettings& settings) {
  if (!py::isinstance<OwnedHosts>(arguments.hosts)) {
    if (arguments.host.is_none()) {
      throw ConfigError("host: missing; expected the totals of every host beside their number");
    }
    settings.hosts = read_count(arguments.hosts, "hosts", 1);
    settings.host = read_host(arguments.host, "host");
    return HostTable::uniform(settings.hosts, settings.host);
  }
  if (!arguments.host.is_none()) {
    throw ConfigError("host: given beside a HostTable, which has the totals; expected one of them");
  }
  const HostTable& hosts = *arguments.hosts.cast<const OwnedHosts&>().table;
  if (hosts.size() == 0) throw ConfigError("hosts: the table has no hosts, expected at least one");
  settings.hosts = hosts.size();
  settings.host = hosts.largest_total();
  return hosts;
}

}  // namespace

PreparedRun prepare_run(const RunArguments& arguments) {
  RunSettings settings;
  HostTable hosts = read_hosts(arguments, settings);
  settings.vm = read_chain(arguments.vm, "vm");
  settings.spot = read_chain(arguments.spot, "spot");
  settings.evictor = read_evictor(arguments.evictor);
  settings.saf = arguments.saf;
  settings.otn = read_count(arguments.otn, "otn", 1);
  return {std::move(settings), std::move(hosts)};
}

}  // namespace cospot::bindings
