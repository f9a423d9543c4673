#include "sim_harness/studies/provider/study_part.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

const Axis<SeedSettings, std::int64_t> kSeedAxis{.name = "seed",
                                                 .meaning = "of what a run draws",
                                                 .values = &SeedSettings::seeds,
                                                 .read = read_seed};

RunSeeds::RunSeeds(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  vms = random.next_u64();
  spots = random.next_u64();
  samples = random.next_u64();
}

std::vector<SettingRow<ProviderStudySettings>> provider_rows() {
  const auto rows = provider_table().rows();
  return {rows.begin(), rows.end()};
}

Measure<RunOutcome> hosts_measure() {
  return measure<RunOutcome>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"},
                             [](const RunOutcome& one) { return one.run().hosts; });
}

std::vector<Measure<RunOutcome>> promised_spot_measures() {
  return {
      measure<RunOutcome>({.name = "spot_admitted", .unit = "spots", .meaning = "placed"},
                          [](const RunOutcome& one) { return one.spots().placed(); }),
      measure<RunOutcome>(
          {.name = "evictions", .unit = "spots", .meaning = "evicted of those that were placed"},
          [](const RunOutcome& one) { return one.run().evictions; }),
      measure<RunOutcome>({.name = "promises",
                           .unit = "spots",
                           .meaning = "placed with a promised lifetime; 0 without a target"},
                          [](const RunOutcome& one) { return one.run().promises; }),
      measure<RunOutcome>({.name = "promises_broken",
                           .unit = "spots",
                           .meaning = "of those: evicted before it was over"},
                          [](const RunOutcome& one) { return one.run().promises_broken; })};
}

std::vector<Measure<RunOutcome>> refresh_measures() {
  return {measure<RunOutcome>({.name = "refreshes",
                               .unit = "refreshes",
                               .meaning = "of the lifetime quantiles; 0 without a target"},
                              [](const RunOutcome& one) { return one.refreshes.count; }),
          measure<RunOutcome>({.name = "refresh_ms_max",
                               .role = ColumnRole::kTime,
                               .unit = "ms",
                               .meaning = "the longest refresh",
                               .decimals = 3},
                              [](const RunOutcome& one) { return one.refreshes.longest_ms; })};
}

bool StudyPart::is_asked_for_by(const ConfigNode& root) const {
  return std::ranges::any_of(rows, [&](const auto& row) {
    return std::ranges::any_of(row.keys(),
                               [&](std::string_view key) { return root.find(key) != nullptr; });
  });
}

const std::vector<StudyPart>& study_parts() {
  static const std::vector<StudyPart> parts{
      lifetime_target_part(), economy_part(), disruptions_part(), schedulers_part(),
      host_subset_part(),     reserve_part(), signals_part(),     on_eviction_part()};
  return parts;
}

}  // namespace cospot
