#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>

#include "bindings/policy_entries.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"

namespace cospot::bindings {

/// Also finds the policies that a Python caller gave as classes and objects in place of names.
class GivenPolicies final : public LoadedPolicies {
 public:
  /// Returns the name under which the policy is found: that of its class, with a number when
  /// another object has it already.
  [[nodiscard]] std::string add(pybind11::handle policy);

  [[nodiscard]] MakeFilter load_filter(const std::string& name,
                                       const PolicyOptions& options) override;
  [[nodiscard]] MakeWeigher load_weigher(const std::string& name,
                                         const PolicyOptions& options) override;
  [[nodiscard]] MakeEvictor load_evictor(const std::string& name,
                                         const PolicyOptions& options) override;

 private:
  [[nodiscard]] pybind11::object find(const std::string& name, const PolicyOptions& options) const;

  std::map<std::string, pybind11::object> policies_;
};

/// A dict as Python writes a sweep, as the tree that a sweep file would give. `where` names the
/// place in errors. Classes and objects of policies go to `policies`.
///
/// Errors: ConfigError, TypeError for values that no sweep has.
[[nodiscard]] ConfigNode sweep_tree(pybind11::handle sweep, const std::string& where,
                                    GivenPolicies& policies);

}  // namespace cospot::bindings
