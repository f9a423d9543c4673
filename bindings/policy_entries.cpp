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

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr double kMaxMultiplier = 1e12;  // as in sweep files

/// The name of a kind of policies, and its class in cospot.provider.policies.
template <class Spec>
struct Kind;
template <>
struct Kind<FilterSpec> {
  using Compiled = CompiledFilter;
  using InPython = PythonFilter;
  static constexpr const char* kName = "filter";
  static constexpr const char* kBase = "Filter";
};
template <>
struct Kind<WeigherSpec> {
  using Compiled = CompiledWeigher;
  using InPython = PythonWeigher;
  static constexpr const char* kName = "weigher";
  static constexpr const char* kBase = "Weigher";
};
template <>
struct Kind<EvictorSpec> {
  using Compiled = CompiledEvictor;
  using InPython = PythonEvictor;
  static constexpr const char* kName = "evictor";
  static constexpr const char* kBase = "Evictor";
};

/// Has `spec` make its policies by a Python callable, with the lock that it takes itself.
template <class Spec>
void make_by(Spec& spec, const py::object& make, const std::atomic<bool>* interrupted) {
  using InPython = typename Kind<Spec>::InPython;
  spec.make = [make = share(make), name = spec.name, interrupted] {
    const PolicyLock lock;
    try {
      const py::object made = (*make)();
      if (!is_python_policy(made, Kind<Spec>::kBase)) {
        throw ConfigError(fmt::format("{} is {}, expected a subclass of cospot.{}", name,
                                      a_type_name(made), Kind<Spec>::kBase));
      }
      return std::make_unique<InPython>(made, name, interrupted);
    } catch (const py::error_already_set& error) {
      throw_loading_error(name, error);
    }
  };
}

/// A policy that a file names and that cannot be made is a mistake of the file.
template <class Spec>
void load_named(Spec& spec, const std::atomic<bool>* interrupted) {
  const PolicyLock lock;
  try {
    const py::object maker =
        py::module_::import("cospot.provider.policies.loading")
            .attr("policy_maker")(Kind<Spec>::kName, to_str(spec.name), to_keywords(spec.options));
    make_by(spec, maker, interrupted);
  } catch (const py::error_already_set& error) {
    throw_loading_error(spec.name, error);
  }
  spec.make = [make = std::move(spec.make)] {
    try {
      return make();
    } catch (const RaisedByPolicy& error) {
      throw RaisedByLoading(error.what(), error.cause());
    } catch (const PolicyError& error) {
      throw ConfigError(error.what());
    }
  };
}

/// A function that gives the object, or a new one of the class, at every call.
py::object source_of(py::handle policy, const char* base) {
  auto held = py::reinterpret_borrow<py::object>(policy);
  const bool is_object = PyType_Check(policy.ptr()) == 0 && is_python_policy(policy, base);
  return is_object ? py::object(py::cpp_function([held] { return held; })) : held;
}

template <class Spec>
[[noreturn]] void throw_no_policy(py::handle entry) {
  constexpr std::string_view kKind = Kind<Spec>::kName;
  const std::string found = PyType_Check(entry.ptr()) != 0
                                ? "the class " + policy_name(entry).substr(7)
                                : a_type_name(entry);
  throw ArgumentError(
      fmt::format("{} is {}, expected a name, a compiled {} (make_{}), or a class or object below "
                  "cospot.{}",
                  kKind, found, kKind, kKind, Kind<Spec>::kBase));
}

/// Reads what names a policy, and has `finish` see that it can be made.
template <class Spec, class Finish>
Spec read_policy(py::handle entry, const Finish& finish) {
  using Compiled = typename Kind<Spec>::Compiled;
  if (py::isinstance<Compiled>(entry)) return entry.cast<const Compiled&>().spec;
  Spec spec;
  if (py::isinstance<py::str>(entry)) {
    spec.name = read_text(entry, Kind<Spec>::kName);
    if (has_policy_scheme(spec.name)) LoadedPolicies().load(spec);
  } else if (is_python_policy(entry, Kind<Spec>::kBase)) {
    spec.name = policy_name(entry);
    set_maker(spec, entry);
  } else {
    throw_no_policy<Spec>(entry);
  }
  finish(spec);
  return spec;
}

}  // namespace

PythonChain::PythonChain(ChainSpec spec, py::tuple weighers, py::tuple filters)
    : spec_(std::move(spec)),
      weighers_(std::move(weighers)),
      filters_(std::move(filters)),
      chains_{make_chain(spec_, ChainSide::kVm), make_chain(spec_, ChainSide::kVmAvoidingSpots),
              make_chain(spec_, ChainSide::kSpot)} {}

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

void LoadedPolicies::load(FilterSpec& spec) { load_named(spec, interrupted_); }
void LoadedPolicies::load(WeigherSpec& spec) { load_named(spec, interrupted_); }
void LoadedPolicies::load(EvictorSpec& spec) { load_named(spec, interrupted_); }

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

template <class Spec>
void set_maker(Spec& spec, py::handle policy) {
  make_by(spec, source_of(policy, Kind<Spec>::kBase), nullptr);
}
template void set_maker(FilterSpec& spec, py::handle policy);
template void set_maker(WeigherSpec& spec, py::handle policy);
template void set_maker(EvictorSpec& spec, py::handle policy);

py::dict to_keywords(const PolicyOptions& options) {
  py::dict keywords;
  for (const auto& [key, value] : options) {
    keywords[to_str(key)] =
        std::visit([](const auto& held) -> py::object { return py::cast(held); }, value);
  }
  return keywords;
}

FilterSpec read_filter(py::handle entry) {
  return read_policy<FilterSpec>(entry, [](const FilterSpec& spec) { (void)make_filter(spec); });
}

WeigherSpec read_weigher(py::handle entry) {
  if (py::isinstance<py::tuple>(entry) && py::len(entry) == 2) {
    const auto pair = py::reinterpret_borrow<py::tuple>(entry);
    WeigherSpec spec = read_weigher(pair[0]);
    spec.multiplier = read_number(pair[1], "multiplier", -kMaxMultiplier, kMaxMultiplier);
    return spec;
  }
  return read_policy<WeigherSpec>(
      entry, [](WeigherSpec& spec) { spec.multiplier = make_weigher(spec)->default_multiplier(); });
}

EvictorSpec read_evictor(py::handle entry) {
  return read_policy<EvictorSpec>(entry, [](EvictorSpec& spec) {
    spec.label = spec.name;
    make_shared_evictor(spec, {});
  });
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
