#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "guarantees/sla/lifetime_sla_options.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/sla/sla_sources.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// A value of `target`: the probability of eviction that is promised, or none: every spot that
/// fits is admitted.
struct SlaTarget {
  std::string label;  ///< `none` or the number
  std::optional<double> probability;

  friend bool operator==(const SlaTarget&, const SlaTarget&) = default;
};
[[nodiscard]] inline AxisValue axis_value(const SlaTarget& target) {
  return axis_value(target.label);
}
[[nodiscard]] inline Json setting_json(const SlaTarget& target) { return target.label; }

/// A file of the study `sla`, read.
struct SlaSettings {
  std::vector<RequestSource> on_demand{};
  std::vector<RequestSource> spot{};
  HostMix host{};
  bool has_memory = false;  ///< the hosts' memory is stated, so the requests' counts
  std::vector<std::size_t> hosts{};
  std::vector<SlaTarget> targets{};
  std::vector<std::int64_t> seeds{1};

  PolicyOptions promise{};  ///< of LifetimeSla: all but target and seed
  SimTime spot_delay{0};
  bool spots_end_with_on_demand = true;
  ChainSpec vm{};
  ChainSpec spot_chain{};  ///< without the filter that promises
  EvictorSpec evictor{};
  bool saf = true;
  std::optional<OfferRule> otn{};  ///< nothing: as the victim rule has it
};

extern const Axis<SlaSettings, RequestSource> kSlaWorkloadAxis;
extern const Axis<SlaSettings, RequestSource> kSpotWorkloadAxis;
extern const Axis<SlaSettings, std::size_t> kHostsAxis;
extern const Axis<SlaSettings, SlaTarget> kTargetAxis;
extern const Axis<SlaSettings, std::int64_t> kSlaSeedAxis;

[[nodiscard]] const SettingTable<SlaSettings>& sla_table();

/// Errors: ConfigError.
[[nodiscard]] SlaSettings read_sla_settings(const StudyFile& file);

}  // namespace cospot
