#include "sim_harness/tune/tune_around.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim_harness/studies/provider/configuration_yaml.hpp"
#include "sim_harness/tune/study_lines.hpp"
#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The candidate's offer, the ones before and after it among those that were tried, and the first
/// host alone.
std::set<std::size_t> offers_around(const TuneSettings& settings, std::size_t otn) {
  std::set<std::size_t> offers{otn};
  if (otn > 0) offers.insert(otn - 1);
  if (otn + 1 < settings.otn.size()) offers.insert(otn + 1);
  const auto one = std::ranges::find(settings.otn, OfferRule(1));
  if (one != settings.otn.end()) {
    offers.insert(static_cast<std::size_t>(one - settings.otn.begin()));
  }
  return offers;
}

std::string size_lines(const TuneFindings& findings, const TunedDatacenter& datacenter) {
  if (findings.whole) return fmt::format("hosts: {}\n", findings.whole->hosts);
  if (!datacenter.size.percent) return fmt::format("hosts: {}\n", datacenter.size.hosts);
  std::vector<std::string> policies;
  for (const ChainSpec& chain : findings.settings.vm) {
    policies.push_back(chain_line(chain));
  }
  return fmt::format("headroom_percent: {}\nheadroom_of: [{}]\n", *datacenter.size.percent,
                     fmt::join(policies, ", "));
}

}  // namespace

std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                        const fs::path& folder) {
  const TuneSettings& settings = findings.settings;
  const CandidateSpace& space = findings.runs.space();
  std::vector<TuneCandidate> around{space.at(findings.outcome.recommendation)};
  if (findings.outcome.without_cooperation) {
    around.push_back(space.at(*findings.outcome.without_cooperation));
  }
  std::vector<std::string> workloads;
  for (const WorkloadSpec& spec : inputs.workloads) {
    workloads.push_back("  - " + workload_line(spec, folder));
  }
  std::set<std::size_t> vm;
  std::set<std::size_t> spot;
  std::set<std::size_t> evictors;
  for (const TuneCandidate& at : around) {
    vm.insert(at.vm);
    spot.insert(at.spot);
    evictors.insert(at.evictor);
  }
  const auto listed = [](const std::set<std::size_t>& positions, const auto& text) {
    std::vector<std::string> items;
    for (const std::size_t position : positions) items.push_back(text(position));
    return fmt::format("[{}]", fmt::join(items, ", "));
  };
  return fmt::format(
      "# Around what `cospot tune` found: its policies, those of the best setting without\n"
      "# cooperation, and the offers next to its own, on the same hosts.\n{}"
      "workloads:\n{}\nhost: {}\n{}{}vm: {}\nspot: {}\nevictor: {}\nsaf: [off, on]\notn: {}\n{}",
      inputs.prices.empty()
          ? ""
          : yaml_comment("In money: cospot compare THIS_FILE" + inputs.prices) + "\n",
      fmt::join(workloads, "\n"), host_line(inputs.host, inputs.datacenter.host, folder),
      inputs.added_type.empty() ? "" : "added_type: " + yaml_text(inputs.added_type) + "\n",
      size_lines(findings, inputs.datacenter),
      listed(vm, [&](std::size_t i) { return chain_line(settings.vm[i]); }),
      listed(spot, [&](std::size_t i) { return chain_line(settings.spot[i]); }),
      listed(evictors, [&](std::size_t i) { return evictor_line(settings.evictors[i], folder); }),
      listed(offers_around(settings, around.front().otn),
             [&](std::size_t i) { return settings.otn[i].label(); }),
      settings.with == nullptr ? "" : settings.with->yaml(folder));
}

}  // namespace cospot
