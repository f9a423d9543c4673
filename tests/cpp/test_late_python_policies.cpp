#include <doctest/doctest.h>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "sim_harness/provider/policies/late_python_policies.hpp"

namespace cospot {
namespace {

TEST_CASE("LatePythonPolicies: loads nothing until a policy is named, and says what is missing") {
  LatePythonPolicies policies;
  policies.search_first("/nowhere");  // not looked at yet
  // This test lies in another folder than the program, so the library is not beside it.
  const auto error_of = [&](auto spec) {
    return error_text<ConfigError>([&] { policies.load(spec); });
  };
  const std::string error = error_of(WeigherSpec{.name = "python:m.C"});
  CHECK(contains(error, "Python policies need cospot_python_host.so, which is neither at /"));
  CHECK(contains(error, "/lib/cospot/cospot_python_host.so"));
  CHECK(error == error_of(FilterSpec{.name = "nova:m.C"}));
  CHECK(error == error_of(EvictorSpec{.label = {}, .name = "python:m.C"}));
}

}  // namespace
}  // namespace cospot
