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

// The values of study files in a stored configuration: as a study file has them, without what is
// the default.

/// An element of `workloads`: a path, or a mapping if it needs more.
[[nodiscard]] Json setting_json(const WorkloadSpec& workload);

[[nodiscard]] Json setting_json(const ChainSpec& chain);
[[nodiscard]] Json setting_json(const EvictorSpec& evictor);

/// A percentage, or the number of hosts.
[[nodiscard]] Json setting_json(const Headroom& size);

/// By the labels of its policies, as results name it.
[[nodiscard]] Json setting_json(const AllocatorSpec& allocator);

/// A number, or a rule's label, which fully describes it.
[[nodiscard]] Json setting_json(const OfferRule& otn);

/// An option of a policy.
[[nodiscard]] Json setting_json(const PluginOptions::Value& value);

/// For plain hosts their totals; otherwise all types.
[[nodiscard]] Json host_json(const HostMix& hosts);
/// The same as programs read it: with what is empty, the added type and the hosts' names.
[[nodiscard]] Json full_host_json(const HostMix& hosts);
/// The names of existing hosts, each with the position of its type.
[[nodiscard]] Json names_json(const HostMix& hosts);
/// The number of hosts of each type among `count` hosts: `{"gen3":120,"gen2":40}`.
[[nodiscard]] Json types_json(const HostMix& hosts, std::size_t count);

/// The window to record with an experiment: the one in force, except for kDefaultWindow if only the
/// data states it. So results over the default window are never continued over another one, and
/// databases older than this setting remain valid.
[[nodiscard]] std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated,
                                                     SimTime in_force);

}  // namespace cospot
