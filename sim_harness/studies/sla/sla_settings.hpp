#pragma once

#include <string>

#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// The settings of a file of the study `sla`: VMs and spots have separate sources, and everything
/// but the axes has one value.
using SlaSettings = ProviderStudySettings;

extern const Axis<TraceSettings, RequestSource> kSlaWorkloadAxis;
extern const Axis<TraceSettings, RequestSource> kSpotWorkloadAxis;
extern const Axis<SlaSettings, std::size_t> kHostsAxis;

/// The preset `sla`, which requests promised lifetimes.
[[nodiscard]] const ProviderPreset& sla_preset();

/// Errors: ConfigError.
[[nodiscard]] SlaSettings read_sla_settings(const StudyFile& file);

}  // namespace cospot
