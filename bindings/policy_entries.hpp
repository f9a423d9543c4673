#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/hosts.hpp"
#include "core/ranking/chain.hpp"
#include "core/ranking/kept_ranking.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot::bindings {

/// A compiled policy with its options: CompiledFilter, ... in Python.
template <class Plugin, class Spec>
struct Compiled {
  Spec spec;
  std::shared_ptr<const Plugin> policy;
};
using CompiledFilter = Compiled<Filter, FilterSpec>;
using CompiledWeigher = Compiled<Weigher, WeigherSpec>;
using CompiledEvictor = Compiled<Evictor, EvictorSpec>;

/// Reads `spots`, a list of RunningSpot. Refuses more than a host holds, whose sums no policy need
/// expect.
[[nodiscard]] std::vector<RunningSpot> read_spots_of_host(const pybind11::object& given);

/// The buffers that one scan of a chain writes to, kept so that decisions do not allocate.
struct ScanBuffers {
  ChainScratch scan;
  std::vector<RankedHost> ranked;
};

/// Chain in Python: what its parts are, and the chain of each side made of them.
class PythonChain {
 public:
  /// `weighers` and `filters` are what Python made the chain of.
  PythonChain(ChainSpec spec, pybind11::tuple weighers, pybind11::tuple filters);
  [[nodiscard]] const pybind11::tuple& weighers() const { return weighers_; }
  [[nodiscard]] const pybind11::tuple& filters() const { return filters_; }
  [[nodiscard]] const ChainSpec& spec() const { return spec_; }
  [[nodiscard]] const Chain& side(ChainSide side) const {
    return *chains_[static_cast<std::size_t>(side)];
  }

  /// See KeptRanking::bring_up_to_date.
  [[nodiscard]] HostRanking* kept_ranking(ChainSide side, const OwnedHosts& hosts) const {
    return kept_[static_cast<std::size_t>(side)].bring_up_to_date(this->side(side), hosts.table,
                                                                  *hosts.log);
  }

  // A call borrows the buffers and gives them back; a call inside it, by a policy, gets others.
  [[nodiscard]] ScanBuffers borrow_buffers() const { return std::exchange(buffers_, {}); }
  void return_buffers(ScanBuffers buffers) const { buffers_ = std::move(buffers); }

 private:
  ChainSpec spec_;
  pybind11::tuple weighers_;
  pybind11::tuple filters_;
  std::array<std::shared_ptr<const Chain>, 3> chains_;  // by side
  // Both guarded by the interpreter's lock.
  mutable ScanBuffers buffers_;
  mutable std::array<KeptRanking, 3> kept_;  // by side
};

/// Finds policies named `python:...` and `nova:...` in this Python.
class LoadedPolicies : public PolicyLoader {
 public:
  void search_first(const std::filesystem::path& folder) override;
  void stop_when(const std::atomic<bool>* interrupted) override { interrupted_ = interrupted; }
  void load(FilterSpec& spec) override;
  void load(WeigherSpec& spec) override;
  void load(EvictorSpec& spec) override;

 private:
  const std::atomic<bool>* interrupted_ = nullptr;
};

/// `python:module.Class` of a Python class or of an object's class.
[[nodiscard]] std::string policy_name(pybind11::handle policy);

/// Tells whether a value is a policy written in Python: a class or an object of one.
[[nodiscard]] bool is_python_policy(pybind11::handle value, const char* base);

/// Has a spec make the policies that a Python class, object or callable without arguments gives.
/// The object must be of the right class already, or of a class below it.
template <class Spec>
void set_maker(Spec& spec, pybind11::handle policy);

/// Options as keyword arguments of Python.
[[nodiscard]] pybind11::dict to_keywords(const PolicyOptions& options);

// The ways in which Python may name a policy: a name (of a registry, or with a scheme), a compiled
// policy, or a class below cospot.Filter, ... or an object of one. A class makes a new object for
// every run; an object is shared by all runs.
//
// Errors: ConfigError for an unknown name or a class that cannot be made, ArgumentError for other
// types.
[[nodiscard]] FilterSpec read_filter(pybind11::handle entry);
/// Also (entry, multiplier).
[[nodiscard]] WeigherSpec read_weigher(pybind11::handle entry);
[[nodiscard]] EvictorSpec read_evictor(pybind11::handle entry);

/// A Chain, or one weigher.
[[nodiscard]] ChainSpec read_chain(pybind11::handle entry, std::string_view name);

/// Options as keyword arguments give them. Errors: ConfigError for a value of another type.
[[nodiscard]] PolicyOptions read_options(const pybind11::dict& options);

}  // namespace cospot::bindings
