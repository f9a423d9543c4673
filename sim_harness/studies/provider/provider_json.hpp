#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/hosts/host_mix.hpp"
#include "sim_harness/workloads/workload_spec.hpp"

namespace cospot {

// The values of study files as JSON with every default written out, keys in a fixed order: two
// files that mean the same give the same text.

/// The window and the unit of vcpus stand there only where they must, so that databases without
/// them stay valid. It counts
/// by label (and recipe), not by where the file lies; its bytes have a SHA-256 of their own.
[[nodiscard]] std::string workload_json(const WorkloadSpec& workload);

[[nodiscard]] std::string host_json(const ResourceVector& host);
/// Of plain hosts the totals; of others all of their kinds, and the names of those in a file.
[[nodiscard]] std::string host_json(const HostMix& hosts);
/// How many of so many hosts are of which type: `{"gen3":120,"gen2":40}`.
[[nodiscard]] std::string types_json(const HostMix& hosts, std::size_t count);
[[nodiscard]] std::string size_json(const Headroom& size);

/// Filters stand there only when there are some, so that databases of chains without stay valid.
[[nodiscard]] std::string chain_json(const ChainSpec& chain);

/// A model file counts by what is in it.
[[nodiscard]] std::string evictor_json(const EvictorSpec& evictor);

/// A number, or the label, which says all of a rule.
[[nodiscard]] std::string otn_json(const OfferRule& otn);

/// The window that an experiment's record names: the one in force, unless nobody but the data
/// states it and it is kDefaultWindow. So what was computed over the default window is never
/// continued over another, and databases from before windows could be stated stay valid.
[[nodiscard]] std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated,
                                                     SimTime in_force);

}  // namespace cospot
