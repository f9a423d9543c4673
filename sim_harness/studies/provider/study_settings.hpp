#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/studies/provider/parts/disruption_keys.hpp"
#include "sim_harness/studies/provider/parts/economy_keys.hpp"
#include "sim_harness/studies/provider/parts/eviction_keys.hpp"
#include "sim_harness/studies/provider/parts/lifetime_target_keys.hpp"
#include "sim_harness/studies/provider/parts/reserve_keys.hpp"
#include "sim_harness/studies/provider/parts/scheduler_keys.hpp"
#include "sim_harness/studies/provider/parts/signal_keys.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"
#include "sim_harness/studies/provider/request_sources.hpp"

namespace cospot {

/// The random seeds of a run.
struct SeedSettings {
  std::vector<std::int64_t> seeds{1};
};

extern const Axis<SeedSettings, std::int64_t> kSeedAxis;

/// The seeds of a run's three sources of randomness.
struct RunSeeds {
  explicit RunSeeds(std::int64_t seed);

  std::uint64_t vms = 0, spots = 0, samples = 0;
};

/// All settings of a provider's study file. A part that the file does not request is absent by
/// default.
struct ProviderStudySettings : ProviderSettings,
                               TraceSettings,
                               TargetSettings,
                               EconomyClassSettings,
                               DisruptionSettings,
                               SchedulersSettings,
                               SubsetSettings,
                               ReserveKeys,
                               EvictionKeys,
                               SignalSettings,
                               SeedSettings {};

/// The rows of the seven axes that most studies share (provider_axes.hpp).
[[nodiscard]] std::vector<SettingRow<ProviderStudySettings>> provider_rows();

}  // namespace cospot
