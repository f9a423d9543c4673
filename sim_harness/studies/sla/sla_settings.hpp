#pragma once

#include <string>

#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// A file of the study `sla`, read: VMs and spots come from sources of their own, and what is no
/// axis has one value.
using SlaSettings = ProviderStudySettings;

extern const Axis<TraceSettings, RequestSource> kSlaWorkloadAxis;
extern const Axis<TraceSettings, RequestSource> kSpotWorkloadAxis;
extern const Axis<SlaSettings, std::size_t> kHostsAxis;

/// The short form `sla`, which asks for promised lifetimes.
[[nodiscard]] const ProviderPreset& sla_preset();

/// Errors: ConfigError.
[[nodiscard]] SlaSettings read_sla_settings(const StudyFile& file);

}  // namespace cospot
