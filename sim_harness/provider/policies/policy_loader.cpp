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

void NoPythonPolicies::load(FilterSpec& spec) { throw_no_python("filter", spec.name); }
void NoPythonPolicies::load(WeigherSpec& spec) { throw_no_python("weigher", spec.name); }
void NoPythonPolicies::load(EvictorSpec& spec) { throw_no_python("evictor", spec.name); }

}  // namespace cospot
