#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/resource_vector.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"

namespace cospot {

using PolicyOptions = std::map<std::string, PluginOptions::Value>;

// Make a policy that is in no registry: a new object at every call, from any thread.
using MakeFilter = std::function<std::unique_ptr<Filter>()>;
using MakeWeigher = std::function<std::unique_ptr<Weigher>()>;
using MakeEvictor = std::function<std::unique_ptr<Evictor>()>;

/// A filter of a chain besides feasibility and SAF.
struct FilterSpec {
  std::string name;  ///< as in `cospot list filters`, or what `make` makes
  PolicyOptions options{};
  MakeFilter make{};  ///< if set, used instead of the registry
};

/// One weigher of a chain, as the user configured it.
struct WeigherSpec {
  std::string name;  ///< as in `cospot list weighers`, or what `make` makes
  double multiplier = 1.0;
  PolicyOptions options{};
  MakeWeigher make{};  ///< if set, used instead of the registry
};

/// The ranking of hosts for requests of one kind: by a single paper policy, or as in Nova by
/// several weighers whose normalised weights are multiplied and summed.
struct ChainSpec {
  std::string label;  ///< label in result rows: the policy's name unless the user gave another
  std::vector<FilterSpec> filters{};  ///< applied after feasibility and SAF
  std::vector<WeigherSpec> weighers{};
};

struct EvictorSpec {
  std::string label;
  std::string name;  ///< as in `cospot list evictors`, or what `make` makes
  PolicyOptions options{};
  MakeEvictor make{};  ///< if set, used instead of the registry
  /// If set, every run uses it; const, so that threads can share it.
  std::shared_ptr<const Evictor> made{};
  std::string model_sha256{};  ///< of the file named by the option `model`; empty without one
};

/// The policies of a datacenter and how they cooperate, from which make_allocator makes an
/// Allocator. Read from results, it has the labels alone.
struct AllocatorSpec {
  ChainSpec vm{};
  ChainSpec spot{};  ///< empty: only VMs are placed
  EvictorSpec evictor{};
  bool saf = false;
  OfferRule otn{};
  /// Chains of the priority levels between VMs and spots, the highest first.
  std::vector<ChainSpec> between{};

  [[nodiscard]] bool places_no_spots() const { return spot.label.empty() && spot.weighers.empty(); }
  /// False if spots have no influence on VMs.
  [[nodiscard]] bool cooperates() const { return saf || !otn.is_one_host(); }
  [[nodiscard]] std::string saf_label() const { return saf ? "on" : "off"; }
  /// "COS, sUTIL, FIFO, SAF on, OTN 4".
  [[nodiscard]] std::string label() const;
  /// "VM COS, spot sUTIL, evictor FIFO, SAF on, OTN 4".
  [[nodiscard]] std::string named_label() const;
};

/// An allocator on its hosts: everything a run needs besides its workload.
struct RunSettings : AllocatorSpec {
  HostMix host{};
  std::size_t hosts = 0;  ///< number of hosts
};

}  // namespace cospot
