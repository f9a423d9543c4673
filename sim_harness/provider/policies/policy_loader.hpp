#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Tells whether a policy's name has a scheme, `python:module.Class` or `nova:module.Class`. A
/// PolicyLoader finds such a policy, not a registry.
[[nodiscard]] bool has_policy_scheme(std::string_view name);

/// Finds policies written in Python: for a name with a scheme, sets the function `make` of the
/// spec.
///
/// `make` returns a new object at every call, from any thread, and remains valid after the loader
/// is destroyed. So do the objects, each for one thread at a time.
///
/// Errors: ConfigError, on loading and from `make`, if the policy does not exist or rejects its
/// options.
class PolicyLoader {
 public:
  virtual ~PolicyLoader() = default;

  /// Sets the folder in which modules are searched first: that of the sweep file. An empty path (a
  /// sweep file named without a folder) means the current folder.
  virtual void search_first(const std::filesystem::path& /*folder*/) {}

  /// Makes the policies end a run, by throwing Interrupted, soon after `interrupted` is set. A run
  /// that calls Python for every request may take minutes.
  virtual void stop_when(const std::atomic<bool>* /*interrupted*/) {}

  virtual void load(FilterSpec& spec) = 0;
  virtual void load(WeigherSpec& spec) = 0;
  virtual void load(EvictorSpec& spec) = 0;
};

/// The loader of a program without Python: every policy is a ConfigError that says how to enable
/// Python.
class NoPythonPolicies final : public PolicyLoader {
 public:
  void load(FilterSpec& spec) override;
  void load(WeigherSpec& spec) override;
  void load(EvictorSpec& spec) override;
};

}  // namespace cospot
