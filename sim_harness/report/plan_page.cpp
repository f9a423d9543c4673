#include "sim_harness/report/plan_page.hpp"

#include <fmt/format.h>

#include <set>

#include "evictors/registry.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/html_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/report/html_report.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// The history, its hosts and its prices: what the decision is about.
std::string facts_of(const PlanFindings& findings) {
  const PlanDatacenter& datacenter = findings.datacenter;
  const std::vector<WorkloadRow>& rows = datacenter.history->workload.rows;
  const std::ptrdiff_t spots = std::ranges::count_if(rows, &WorkloadRow::is_spot);
  const VcpusUnit unit = vcpus_unit_of(findings.workload);
  const VcpuHourPrices prices = findings.prices.in({.vcpus = 1 / unit.vcpus});
  const std::string& import = findings.workload.import;
  const std::string condition =
      import.empty() ? "" : parse_json(import, "import").value("spot_if", "");
  return html_text(fmt::format(
      "{} on {} hosts for {:.3g} days: {} requests for VMs, and {} for spots ({}). Price of a "
      "{}{}: {:.4g} on demand, {:.4g} as a spot{}.",
      findings.workload.label, datacenter.history->hosts, findings.days(datacenter.parts.count),
      count_text(std::ssize(rows) - spots), count_text(spots),
      condition.empty() ? "those of the class spot" : "those with " + condition,
      unit.is_relative ? "unit-hour" : "vCPU-hour",
      findings.currency.empty() ? "" : " in " + findings.currency, prices.on_demand, prices.spot,
      prices.economy ? fmt::format(", {:.4g} as an Economy instance", *prices.economy) : ""));
}

/// The built-in policies of the alternatives, and what each does.
std::string policies_of(const PlanFindings& findings) {
  std::set<std::string> names;
  for (const JudgedAlternative& one : findings.alternatives) {
    const AllocatorSpec& setting = findings.runs[one.last].setting;
    names.insert({setting.vm.label, setting.spot.label, setting.evictor.label});
  }
  std::string html;
  for (const std::string& name : names) {
    const PluginInfo* info = find_info(weigher_registry(), name);
    if (info == nullptr) info = find_info(evictor_registry(), name);
    if (info == nullptr) continue;
    html += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", html_text(name), html_text(info->summary));
  }
  return html;
}

}  // namespace

std::string plan_page(const PlanFindings& findings, const std::string& command) {
  const TuneSample& history = *findings.datacenter.history;
  const HostMix::Sum hosts = findings.datacenter.host.sum(history.hosts);
  const ResourceTotal peak = peak_demand(history.workload, Sees::kVms).amount;
  Json json = plan_json(findings);
  json["vm_peak"] = static_cast<double>(peak.vcpus) / static_cast<double>(hosts.vcpus);
  std::string data;  // nothing of it may end the element that holds it
  for (const char c : text_of(json)) c == '<' ? data += "\\u003c" : data += c;
  const std::string facts = facts_of(findings);
  const std::string answer = plan_text(findings, PlanDetail::kPage).html();
  const std::string policies = policies_of(findings);
  const std::string command_html = html_text(command);
  return page_of(plan_template(), plan_script(),
                 {{"facts", facts},
                  {"answer", answer},
                  {"policies", policies},
                  {"command", command_html},
                  {"data", data}});
}

}  // namespace cospot
