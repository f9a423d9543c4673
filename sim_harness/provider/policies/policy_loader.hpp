#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Tells whether a policy's name has a scheme, `python:module.Class` or `nova:module.Class`: such a
/// policy is no row of the registries, a PolicyLoader finds it.
[[nodiscard]] bool has_policy_scheme(std::string_view name);

/// Finds the policies that are written in Python: sets what makes a policy (`make`) in a spec whose
/// name has a scheme.
///
/// That makes a new object at every call, is called from any thread, and may be called after the
/// loader is gone. So may the objects it makes be used, each by one thread at a time.
///
/// Errors: ConfigError, from the loading and from what makes the policy, when there is no such
/// policy or it refuses its options.
class PolicyLoader {
 public:
  virtual ~PolicyLoader() = default;

  /// Says where to look for modules before anywhere else: the folder of the sweep file; empty, as
  /// of a file that is named without one: the current folder.
  virtual void search_first(const std::filesystem::path& /*folder*/) {}

  /// Lets the policies end a run soon after `interrupted` was set, by throwing Interrupted: a run
  /// that asks Python for every request may take minutes.
  virtual void stop_when(const std::atomic<bool>* /*interrupted*/) {}

  virtual void load(FilterSpec& spec) = 0;
  virtual void load(WeigherSpec& spec) = 0;
  virtual void load(EvictorSpec& spec) = 0;
};

/// The loader of a program without Python: every policy is a ConfigError that says how to get one.
class NoPythonPolicies final : public PolicyLoader {
 public:
  void load(FilterSpec& spec) override;
  void load(WeigherSpec& spec) override;
  void load(EvictorSpec& spec) override;
};

}  // namespace cospot
