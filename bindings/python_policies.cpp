#include "bindings/python_policies.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "bindings/arguments.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_contract.hpp"
#include "bindings/python_error.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// Runs `call` of a method; what it raises becomes a PolicyError. Needs the lock.
template <class Call>
auto ask(const std::string& policy, const char* method, const Call& call) {
  try {
    return call();
  } catch (const py::error_already_set& error) {
    if (!is_exception(error)) throw;
    throw RaisedByPolicy(fmt::format("policy '{}': {} raised {}", policy, method, describe(error)),
                         share(error.value()));
  } catch (const py::cast_error&) {
    throw_fault(policy, "{} returned what it must not", method);
  }
}

std::string ask_text(const std::string& policy, const py::object& object, const char* method) {
  return ask(policy, method, [&] { return std::string(py::str(object.attr(method)())); });
}

/// A number, or nothing where Python says None.
std::optional<double> ask_number(const std::string& policy, const py::object& object,
                                 const char* method) {
  return ask(policy, method, [&]() -> std::optional<double> {
    const py::object said = object.attr(method)();
    if (said.is_none()) return std::nullopt;
    return require_finite(policy, method, py::float_(said));
  });
}

/// A copy, which the policy may keep.
py::array_t<HostIndex> rows_array(std::span<const HostIndex> rows) {
  return py::array_t<HostIndex>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

/// What a batch method returned, as an array with one number for each candidate.
py::array require_batch(const std::string& policy, const char* method, const py::object& returned,
                        std::size_t count, std::string_view kinds, std::string_view expected) {
  const py::array array = py::array::ensure(returned);
  if (!array) {
    PyErr_Clear();
    throw_fault(policy, "{} returned a {}, expected {}", method, type_name(returned), expected);
  }
  check_array(policy, method,
              {.dimensions = static_cast<std::size_t>(array.ndim()),
               .size = static_cast<std::size_t>(array.size()),
               .shape = py::str(py::tuple(array.attr("shape"))),
               .kind = array.dtype().kind(),
               .type = py::str(array.dtype())},
              count, kinds, expected);
  return array;
}

template <class T>
py::array_t<T> converted(const py::array& array) {
  auto typed = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!typed) throw py::error_already_set();
  return typed;
}

py::list spots_list(std::span<const RunningSpot> spots) {
  py::list list;
  for (const RunningSpot& spot : spots) list.append(py::cast(spot));
  return list;
}

/// Reads victims and score; says what is wrong with them.
EvictionPlan read_plan(const std::string& policy, const py::object& returned,
                       const EvictionCase& eviction) {
  if (!py::isinstance<py::tuple>(returned) || py::len(returned) != 2) {
    throw_fault(policy, "make_plan returned a {}, expected (victims, score) or None",
                type_name(returned));
  }
  const auto pair = py::reinterpret_borrow<py::tuple>(returned);
  EvictionPlan plan{.victims = {}, .score = py::float_(pair[1])};
  for (const py::handle position : pair[0]) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(position.ptr()));
    if (!index) throw py::error_already_set();
    int overflow = 0;
    const std::int64_t victim = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    plan.victims.push_back(
        read_victim(policy, overflow > 0 ? INT64_MAX : victim, eviction.spots.size()));
  }
  return plan;
}

}  // namespace

PythonFilter::PythonFilter(py::object policy, std::string name)
    : policy_(share(std::move(policy))), name_(std::move(name)) {
  mode_ = read_mode(name_, ask_text(name_, *policy_, "mode"));
}

void PythonFilter::filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<std::uint8_t> passes) const {
  const py::gil_scoped_acquire lock;
  ask(name_, "filter_all", [&] {
    const py::object returned =
        policy_->attr("filter_all")(kept_columns(hosts), rows_array(candidates), request);
    // Whole numbers too: 0 and 1 are what many column formulas give.
    const auto array = converted<bool>(
        require_batch(name_, "filter_all", returned, candidates.size(), "biu", "bool"));
    std::memcpy(passes.data(), array.data(), candidates.size());
  });
}

PythonWeigher::PythonWeigher(py::object policy, std::string name)
    : policy_(share(std::move(policy))), name_(std::move(name)) {
  tier_ = read_tier(name_, ask_text(name_, *policy_, "tier"));
  minval_ = ask_number(name_, *policy_, "minval");
  maxval_ = ask_number(name_, *policy_, "maxval");
  multiplier_ = ask_number(name_, *policy_, "default_multiplier").value_or(1.0);
}

void PythonWeigher::weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<double> weights) const {
  const py::gil_scoped_acquire lock;
  ask(name_, "weigh_all", [&] {
    const py::object returned =
        policy_->attr("weigh_all")(kept_columns(hosts), rows_array(candidates), request);
    const auto array = converted<double>(
        require_batch(name_, "weigh_all", returned, candidates.size(), "fiub", "number"));
    std::copy_n(array.data(), candidates.size(), weights.begin());
  });
  check_weights(name_, candidates, weights);
}

PythonEvictor::PythonEvictor(py::object policy, std::string name)
    : policy_(share(std::move(policy))), name_(std::move(name)) {
  charges_ = ask(name_, "victims_have_positive_cost", [&] {
    return static_cast<bool>(py::bool_(policy_->attr("victims_have_positive_cost")()));
  });
}

bool PythonEvictor::make_plan(const EvictionCase& eviction, double /*score_limit*/,
                              EvictionPlan& plan) const {
  const py::gil_scoped_acquire lock;
  const bool found = ask(name_, "make_plan", [&] {
    const py::object returned = policy_->attr("make_plan")(
        spots_list(eviction.spots), eviction.shortfall, eviction.now.count());
    if (returned.is_none()) return false;
    plan = read_plan(name_, returned, eviction);
    return true;
  });
  if (found) check_plan(name_, eviction, charges_, plan);
  return found;
}

}  // namespace cospot::bindings
