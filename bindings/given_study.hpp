#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/policy_entries.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot::bindings {

/// Also finds the policies that a Python caller gave as classes and objects in place of names.
class GivenPolicies final : public LoadedPolicies {
 public:
  /// Returns the name under which the policy is found: that of its class, with a number when
  /// another object has it already.
  [[nodiscard]] std::string add(pybind11::handle policy);

  void load(FilterSpec& spec) override { load_given(spec); }
  void load(WeigherSpec& spec) override { load_given(spec); }
  void load(EvictorSpec& spec) override { load_given(spec); }

 private:
  template <class Spec>
  void load_given(Spec& spec) {
    const pybind11::gil_scoped_acquire lock;
    const pybind11::object given = find(spec.name, spec.options);
    return given ? set_maker(spec, given) : LoadedPolicies::load(spec);
  }
  [[nodiscard]] pybind11::object find(const std::string& name, const PolicyOptions& options) const;

  std::map<std::string, pybind11::object> policies_;
};

/// Candidates of a search with names in place of the classes and objects of policies among them,
/// which go to `policies`.
[[nodiscard]] pybind11::object named_candidates(const pybind11::object& candidates,
                                                GivenPolicies& policies);

/// A dict as Python writes a sweep, as the tree that a sweep file would give. `where` names the
/// place in errors. Classes and objects of policies go to `policies`, workloads into their nodes.
///
/// Errors: ConfigError, ArgumentError for values that no sweep has.
[[nodiscard]] ConfigNode sweep_tree(pybind11::handle sweep, const std::string& where,
                                    GivenPolicies& policies);

/// A study that a Python caller gave as a file or as a dict.
struct GivenStudy {
  StudyFile file;
  std::string where;  ///< its name in errors
  bool is_dict = false;
};

/// `name` is the argument's. What is read refers to `policies`. Errors: ConfigError, TypeError.
[[nodiscard]] GivenStudy read_given_study(const pybind11::object& study, std::string_view name,
                                          const std::vector<std::string>& overrides,
                                          GivenPolicies& policies);

/// The same with some of its keys, `settings`, given beside it: they take the place of its own.
[[nodiscard]] GivenStudy read_given_study(const pybind11::object& study, std::string_view name,
                                          const pybind11::kwargs& settings,
                                          GivenPolicies& policies);

/// Assignments as those of `--set`. Errors: TypeError.
[[nodiscard]] std::vector<std::string> read_overrides(const pybind11::object& given);

}  // namespace cospot::bindings
