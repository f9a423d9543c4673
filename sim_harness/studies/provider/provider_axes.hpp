#pragma once

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

// The axes that all studies of the provider's simulation share, slowest first.

extern const Axis<ProviderSettings, WorkloadSpec> kWorkloadAxis;
extern const Axis<ProviderSettings, Headroom> kSizeAxis;
extern const Axis<ProviderSettings, ChainSpec> kVmAxis;
extern const Axis<ProviderSettings, ChainSpec> kSpotAxis;
extern const Axis<ProviderSettings, EvictorSpec> kEvictorAxis;
extern const Axis<ProviderSettings, bool> kSafAxis;
extern const Axis<ProviderSettings, OfferRule> kOtnAxis;

[[nodiscard]] AxisValue axis_value(const WorkloadSpec& workload);
[[nodiscard]] AxisValue axis_value(const Headroom& size);
[[nodiscard]] AxisValue axis_value(const ChainSpec& chain);
[[nodiscard]] AxisValue axis_value(const EvictorSpec& evictor);
[[nodiscard]] AxisValue axis_value(const OfferRule& offer);
constexpr ColumnType axis_type(const Headroom* /*tag*/) { return ColumnType::kNumber; }
constexpr ColumnType axis_type(const OfferRule* /*tag*/) { return ColumnType::kIntegerOrText; }

/// The hosts; not an axis.
[[nodiscard]] const Setting<ProviderSettings>& host_setting();
/// The VM policies to which a headroom applies.
[[nodiscard]] const Setting<ProviderSettings>& headroom_of_setting();

/// All axes, and the hosts.
[[nodiscard]] const SettingTable<ProviderSettings>& provider_table();

/// JSON of everything needed to repeat a run. `hosts` is the size that results from its headroom.
[[nodiscard]] std::string run_json(const GridPoint<ProviderSettings>& at, std::size_t hosts);

/// Reads policies under a key. Errors: ConfigError.
[[nodiscard]] std::vector<ChainSpec> read_chains_of(const StudyFile& file, std::string_view key);

/// The allocator of a run.
[[nodiscard]] AllocatorSpec allocator_at(const GridPoint<ProviderSettings>& at);

/// The policies and hosts of a run.
[[nodiscard]] RunSettings run_settings_at(const GridPoint<ProviderSettings>& at, std::size_t hosts);

}  // namespace cospot
