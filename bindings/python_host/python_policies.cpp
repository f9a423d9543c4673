#include "bindings/python_host/python_policies.hpp"

#include <memory>
#include <string>
#include <variant>

#include "bindings/python_host/hosted_policies.hpp"
#include "bindings/python_host/policy_call.hpp"

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

bp::dict to_python(const PolicyOptions& options) {
  bp::dict converted;
  for (const auto& [key, value] : options) {
    std::visit([&, &name = key](const auto& held) { converted[name] = held; }, value);
  }
  return converted;
}

/// Runs `call` with the lock. What it raises is a mistake of the configuration: a ConfigError of
/// Python's with its own text, everything else with the policy's name.
template <class Call>
auto load_with_lock(const std::string& policy, const Call& call) {
  const InterpreterLock lock;
  try {
    return call();
  } catch (const bp::error_already_set&) {
    const PythonError error = take_python_error();
    throw ConfigError(error.is_config_error ? error.message : policy + ": " + error.text());
  } catch (const PolicyError& error) {
    throw ConfigError(error.what());
  }
}

/// Finds the policy's class in Python; what this returns makes a new object at every call.
template <class Hosted, class Interface>
std::function<std::unique_ptr<Interface>()> load(const char* kind, const std::string& name,
                                                 const PolicyOptions& options,
                                                 const std::atomic<bool>* interrupted) {
  const SharedObject maker = load_with_lock(name, [&] {
    const bp::object loading = bp::import("cospot.provider.policies.loading");
    return share(loading.attr("policy_maker")(kind, name, to_python(options)));
  });
  return [maker, name, interrupted]() -> std::unique_ptr<Interface> {
    return load_with_lock(name,
                          [&] { return std::make_unique<Hosted>(name, (*maker)(), interrupted); });
  };
}

}  // namespace

void PythonPolicies::search_first(const std::filesystem::path& folder) {
  // The folder of a file that is named without one is empty: the current one.
  const std::filesystem::path absolute = std::filesystem::absolute(folder / ".").lexically_normal();
  if (absolute == searched_) return;
  python_host::search_first(absolute);
  searched_ = absolute;
}

MakeFilter PythonPolicies::load_filter(const std::string& name, const PolicyOptions& options) {
  return load<HostedFilter, Filter>("filter", name, options, interrupted_);
}

MakeWeigher PythonPolicies::load_weigher(const std::string& name, const PolicyOptions& options) {
  return load<HostedWeigher, Weigher>("weigher", name, options, interrupted_);
}

MakeEvictor PythonPolicies::load_evictor(const std::string& name, const PolicyOptions& options) {
  return load<HostedEvictor, Evictor>("evictor", name, options, interrupted_);
}

}  // namespace cospot::python_host
