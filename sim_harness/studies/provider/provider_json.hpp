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

// The values of study files in a stored configuration.

/// Includes the window and the vcpus unit only if necessary. Identifies the workload by label (and
/// spec), not by file location; a SHA-256 of its bytes is stored separately.
[[nodiscard]] Json setting_json(const WorkloadSpec& workload);

/// Includes filters only if there are any.
[[nodiscard]] Json setting_json(const ChainSpec& chain);

/// A model file is identified by its contents.
[[nodiscard]] Json setting_json(const EvictorSpec& evictor);

[[nodiscard]] Json setting_json(const Headroom& size);

/// By the labels of its policies, as results name it.
[[nodiscard]] Json setting_json(const AllocatorSpec& allocator);

/// A number, or a rule's label, which fully describes it.
[[nodiscard]] Json setting_json(const OfferRule& otn);

/// An option of a policy.
[[nodiscard]] Json setting_json(const PluginOptions::Value& value);

[[nodiscard]] Json host_json(const ResourceVector& host);
/// For plain hosts their totals; otherwise all types, and for a file also the hosts' names.
[[nodiscard]] Json host_json(const HostMix& hosts);
/// The number of hosts of each type among `count` hosts: `{"gen3":120,"gen2":40}`.
[[nodiscard]] Json types_json(const HostMix& hosts, std::size_t count);

/// The window to record with an experiment: the one in force, except for kDefaultWindow if only the
/// data states it. So results over the default window are never continued over another one, and
/// databases older than this setting remain valid.
[[nodiscard]] std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated,
                                                     SimTime in_force);

}  // namespace cospot
