#include "sim_harness/provider/policies/policy_loader.hpp"

#include <fmt/core.h>

#include "core/errors.hpp"

namespace cospot {
namespace {

[[noreturn]] void throw_no_python(std::string_view kind, const std::string& name) {
  throw ConfigError(
      fmt::format("{} '{}': this cospot was built without Python policies (configure with "
                  "-DCOSPOT_BUILD_BOOST_PYTHON=ON)",
                  kind, name));
}

}  // namespace

bool has_policy_scheme(std::string_view name) {
  return name.starts_with("python:") || name.starts_with("nova:");
}

MakeFilter NoPythonPolicies::load_filter(const std::string& name, const PolicyOptions&) {
  throw_no_python("filter", name);
}

MakeWeigher NoPythonPolicies::load_weigher(const std::string& name, const PolicyOptions&) {
  throw_no_python("weigher", name);
}

MakeEvictor NoPythonPolicies::load_evictor(const std::string& name, const PolicyOptions&) {
  throw_no_python("evictor", name);
}

}  // namespace cospot
