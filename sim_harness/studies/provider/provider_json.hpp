#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

namespace cospot {

// The values of study files as a stored configuration has them.

/// The window and the unit of vcpus stand there only where they must. It counts by label (and
/// recipe), not by where the file lies; its bytes have a SHA-256 of their own.
[[nodiscard]] Json setting_json(const WorkloadSpec& workload);

/// Filters stand there only when there are some.
[[nodiscard]] Json setting_json(const ChainSpec& chain);

/// A model file counts by what is in it.
[[nodiscard]] Json setting_json(const EvictorSpec& evictor);

[[nodiscard]] Json setting_json(const Headroom& size);

/// A number, or the label, which says all of a rule.
[[nodiscard]] Json setting_json(const OfferRule& otn);

/// An option of a policy.
[[nodiscard]] Json setting_json(const PluginOptions::Value& value);

[[nodiscard]] Json host_json(const ResourceVector& host);
/// Of plain hosts the totals; of others all of their kinds, and the names of those in a file.
[[nodiscard]] Json host_json(const HostMix& hosts);
/// How many of so many hosts are of which type: `{"gen3":120,"gen2":40}`.
[[nodiscard]] Json types_json(const HostMix& hosts, std::size_t count);

/// The window that an experiment's record names: the one in force, unless nobody but the data
/// states it and it is kDefaultWindow. So what was computed over the default window is never
/// continued over another, and databases from before windows could be stated stay valid.
[[nodiscard]] std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated,
                                                     SimTime in_force);

}  // namespace cospot
