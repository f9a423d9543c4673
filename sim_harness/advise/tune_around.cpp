#include "sim_harness/advise/tune_around.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"

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

/// The choices at some positions.
template <class T>
std::vector<T> choices_at(const std::vector<T>& choices, const std::set<std::size_t>& positions) {
  std::vector<T> some;
  for (const std::size_t position : positions) some.push_back(choices[position]);
  return some;
}

}  // namespace

std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                        const fs::path& folder) {
  const TuneSettings& settings = findings.settings;
  const CandidateSpace& space = findings.runs.space();
  std::vector<std::set<std::size_t>> around;
  for (const std::size_t position : space.positions(findings.outcome.recommendation)) {
    around.push_back({position});
  }
  if (const auto& other = findings.outcome.without_cooperation) {
    const Coordinates at = space.positions(*other);
    for (std::size_t axis = 0; axis < at.size(); ++axis) around[axis].insert(at[axis]);
  }
  const std::size_t otn = space.positions(findings.outcome.recommendation).back();
  Headroom size = inputs.datacenter.size;
  if (findings.whole) size = {.percent = {}, .hosts = findings.whole->hosts};
  return fmt::format(
      "# Around what `cospot tune` found: its policies, those of the best setting without\n"
      "# cooperation, and the offers next to its own, on the same hosts.\n{}{}{}",
      inputs.prices.empty()
          ? ""
          : yaml_comment("In money: cospot compare THIS_FILE" + inputs.prices) + "\n",
      study_yaml({.workloads = {inputs.workloads.begin(), inputs.workloads.end()},
                  .host = inputs.datacenter.host,
                  .sizes = {size},
                  .headroom_of = size.percent ? settings.vm : std::vector<ChainSpec>{},
                  .vm = choices_at(settings.vm, around[0]),
                  .spot = choices_at(settings.spot, around[1]),
                  .evictors = choices_at(settings.evictors, around[2]),
                  .saf = {false, true},
                  .otn = choices_at(settings.otn, offers_around(settings, otn))},
                 inputs.host, folder),
      settings.with == nullptr ? "" : settings.with->yaml(folder));
}

}  // namespace cospot
