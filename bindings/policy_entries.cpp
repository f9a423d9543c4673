#include "bindings/policy_entries.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "bindings/arguments.hpp"
#include "bindings/python_error.hpp"
#include "bindings/python_policies.hpp"
#include "bindings/shared_python.hpp"
#include "core/errors.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/policies/shared_evictor.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr double kMaxMultiplier = 1e12;  // as in sweep files

py::dict options_dict(const PolicyOptions& options) {
  py::dict dict;
  for (const auto& [key, value] : options) {
    dict[to_str(key)] =
        std::visit([](const auto& held) -> py::object { return py::cast(held); }, value);
  }
  return dict;
}

/// What makes policies from a Python callable, with the lock that it takes itself.
/// `base` is the class of cospot.provider.policies that they must be of.
template <class Plugin, class PythonPlugin>
std::function<std::unique_ptr<Plugin>()> maker_of(const py::object& make, const std::string& name,
                                                  const char* base) {
  return [make = share(make), name, base]() -> std::unique_ptr<Plugin> {
    const py::gil_scoped_acquire lock;
    try {
      const py::object made = (*make)();
      if (!is_python_policy(made, base)) {
        throw ConfigError(fmt::format("{} is a {}, expected a subclass of cospot.{}", name,
                                      type_name(made), base));
      }
      return std::make_unique<PythonPlugin>(made, name);
    } catch (const py::error_already_set& error) {
      throw_loading_error(name, error);
    }
  };
}

template <class Plugin, class PythonPlugin>
std::function<std::unique_ptr<Plugin>()> load(const char* kind, const char* base,
                                              const std::string& name,
                                              const PolicyOptions& options) {
  const py::gil_scoped_acquire lock;
  try {
    const py::object policy_maker =
        py::module_::import("cospot.provider.policies.loading").attr("policy_maker");
    return maker_of<Plugin, PythonPlugin>(policy_maker(kind, to_str(name), options_dict(options)),
                                          name, base);
  } catch (const py::error_already_set& error) {
    throw_loading_error(name, error);
  }
}

/// A function that gives the object, or a new one of the class, at every call.
py::object source_of(py::handle policy, const char* base) {
  auto held = py::reinterpret_borrow<py::object>(policy);
  const bool is_object = PyType_Check(policy.ptr()) == 0 && is_python_policy(policy, base);
  return is_object ? py::object(py::cpp_function([held] { return held; })) : held;
}

[[noreturn]] void throw_no_policy(py::handle entry, std::string_view kind, std::string_view base) {
  const std::string found = PyType_Check(entry.ptr()) != 0
                                ? "the class " + policy_name(entry).substr(7)
                                : "a " + type_name(entry);
  throw py::type_error(
      fmt::format("{} is {}, expected a name, a compiled {} (make_{}), or a class or object below "
                  "cospot.{}",
                  kind, found, kind, kind, base));
}

}  // namespace

PythonChain::PythonChain(ChainSpec spec, py::tuple weighers, py::tuple filters)
    : spec_(std::move(spec)),
      weighers_(std::move(weighers)),
      filters_(std::move(filters)),
      vm_(make_chain(spec_, ChainSide::kVm)),
      vm_avoiding_spots_(make_chain(spec_, ChainSide::kVmAvoidingSpots)),
      spot_(make_chain(spec_, ChainSide::kSpot)) {}

const Chain& PythonChain::side(ChainSide side) const {
  switch (side) {
    case ChainSide::kVmAvoidingSpots:
      return *vm_avoiding_spots_;
    case ChainSide::kSpot:
      return *spot_;
    case ChainSide::kVm:
      break;
  }
  return *vm_;
}

void LoadedPolicies::search_first(const std::filesystem::path& folder) {
  const py::gil_scoped_acquire lock;
  py::list path = py::module_::import("sys").attr("path");
  // The folder of a file that is named without one is empty: the current one.
  const std::filesystem::path whole = std::filesystem::absolute(folder / ".").parent_path();
  const py::str absolute = to_str(whole.lexically_normal().string());
  // To the front even when it is there: another sweep file's folder may have come since.
  while (path.contains(absolute)) path.attr("remove")(absolute);
  path.insert(0, absolute);
}

MakeFilter LoadedPolicies::load_filter(const std::string& name, const PolicyOptions& options) {
  return load<Filter, PythonFilter>("filter", "Filter", name, options);
}

MakeWeigher LoadedPolicies::load_weigher(const std::string& name, const PolicyOptions& options) {
  return load<Weigher, PythonWeigher>("weigher", "Weigher", name, options);
}

MakeEvictor LoadedPolicies::load_evictor(const std::string& name, const PolicyOptions& options) {
  return load<Evictor, PythonEvictor>("evictor", "Evictor", name, options);
}

std::string policy_name(py::handle policy) {
  const py::handle type =
      PyType_Check(policy.ptr()) != 0 ? policy : py::handle(py::type::of(policy));
  return fmt::format("python:{}.{}", std::string(py::str(type.attr("__module__"))),
                     std::string(py::str(type.attr("__qualname__"))));
}

bool is_python_policy(py::handle value, const char* base) {
  const py::object type = py::module_::import("cospot.provider.policies").attr(base);
  if (PyType_Check(value.ptr()) == 0) return py::isinstance(value, type);
  const int is_subclass = PyObject_IsSubclass(value.ptr(), type.ptr());
  if (is_subclass < 0) throw py::error_already_set();
  return is_subclass == 1;
}

MakeFilter filter_maker(py::handle policy, const std::string& name) {
  return maker_of<Filter, PythonFilter>(source_of(policy, "Filter"), name, "Filter");
}

MakeWeigher weigher_maker(py::handle policy, const std::string& name) {
  return maker_of<Weigher, PythonWeigher>(source_of(policy, "Weigher"), name, "Weigher");
}

MakeEvictor evictor_maker(py::handle policy, const std::string& name) {
  return maker_of<Evictor, PythonEvictor>(source_of(policy, "Evictor"), name, "Evictor");
}

FilterSpec read_filter(py::handle entry) {
  if (py::isinstance<CompiledFilter>(entry)) return entry.cast<const CompiledFilter&>().spec;
  FilterSpec spec;
  if (py::isinstance<py::str>(entry)) {
    spec.name = read_text(entry, "filter");
    if (has_policy_scheme(spec.name)) spec.make = LoadedPolicies().load_filter(spec.name, {});
  } else if (is_python_policy(entry, "Filter")) {
    spec.name = policy_name(entry);
    spec.make = filter_maker(entry, spec.name);
  } else {
    throw_no_policy(entry, "filter", "Filter");
  }
  (void)make_filter(spec);
  return spec;
}

WeigherSpec read_weigher(py::handle entry) {
  if (py::isinstance<py::tuple>(entry) && py::len(entry) == 2) {
    const auto pair = py::reinterpret_borrow<py::tuple>(entry);
    WeigherSpec spec = read_weigher(pair[0]);
    spec.multiplier = read_number(pair[1], "multiplier", -kMaxMultiplier, kMaxMultiplier);
    return spec;
  }
  if (py::isinstance<CompiledWeigher>(entry)) return entry.cast<const CompiledWeigher&>().spec;
  WeigherSpec spec;
  if (py::isinstance<py::str>(entry)) {
    spec.name = read_text(entry, "weigher");
    if (has_policy_scheme(spec.name)) spec.make = LoadedPolicies().load_weigher(spec.name, {});
  } else if (is_python_policy(entry, "Weigher")) {
    spec.name = policy_name(entry);
    spec.make = weigher_maker(entry, spec.name);
  } else {
    throw_no_policy(entry, "weigher", "Weigher");
  }
  spec.multiplier = make_weigher(spec)->default_multiplier();
  return spec;
}

EvictorSpec read_evictor(py::handle entry) {
  if (py::isinstance<CompiledEvictor>(entry)) return entry.cast<const CompiledEvictor&>().spec;
  EvictorSpec spec;
  if (py::isinstance<py::str>(entry)) {
    spec.name = read_text(entry, "evictor");
    if (has_policy_scheme(spec.name)) spec.make = LoadedPolicies().load_evictor(spec.name, {});
  } else if (is_python_policy(entry, "Evictor")) {
    spec.name = policy_name(entry);
    spec.make = evictor_maker(entry, spec.name);
  } else {
    throw_no_policy(entry, "evictor", "Evictor");
  }
  spec.label = spec.name;
  make_shared_evictor(spec, {});
  return spec;
}

ChainSpec read_chain(py::handle entry, std::string_view name) {
  if (py::isinstance<PythonChain>(entry)) return entry.cast<const PythonChain&>().spec();
  try {
    WeigherSpec weigher = read_weigher(entry);
    std::string label = weigher.name;
    return {.label = std::move(label), .weighers = {std::move(weigher)}};
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  }
}

PolicyOptions read_options(const py::dict& options) {
  PolicyOptions read;
  for (const auto& [key, value] : options) {
    const std::string name = read_text(key, "option");
    if (PyBool_Check(value.ptr()) != 0) {
      read[name] = value.cast<bool>();
    } else if (PyIndex_Check(value.ptr()) != 0) {
      read[name] = read_integer(value, name, INT64_MIN, INT64_MAX);
    } else if (py::isinstance<py::str>(value)) {
      read[name] = read_text(value, name);
    } else {
      read[name] = read_finite(value, name);
    }
  }
  return read;
}

}  // namespace cospot::bindings
