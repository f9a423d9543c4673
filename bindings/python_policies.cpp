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
#include "bindings/python_error.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr std::array<std::pair<std::string_view, Tier>, 4> kTiers{
    {{"none", Tier::kNone},
     {"holds_vm", Tier::kHoldsVm},
     {"holds_instance", Tier::kHoldsInstance},
     {"holds_no_vm", Tier::kHoldsNoVm}}};
constexpr std::array<std::pair<std::string_view, FilterMode>, 2> kModes{
    {{"drop", FilterMode::kDrop}, {"prefer", FilterMode::kPrefer}}};

/// What a policy said of itself is of no use.
template <class... Args>
[[noreturn]] void throw_fault(const std::string& policy, fmt::format_string<Args...> text,
                              Args&&... args) {
  throw PolicyError(
      fmt::format("policy '{}': {}", policy, fmt::format(text, std::forward<Args>(args)...)));
}

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

template <class Value, std::size_t kCount>
Value ask_choice(const std::string& policy, const py::object& object, const char* method,
                 const std::array<std::pair<std::string_view, Value>, kCount>& choices) {
  const std::string said =
      ask(policy, method, [&] { return std::string(py::str(object.attr(method)())); });
  std::string valid;
  for (const auto& [name, value] : choices) {
    if (said == name) return value;
    valid += (valid.empty() ? "" : ", ") + std::string(name);
  }
  throw_fault(policy, "{} returned '{}', expected one of: {}", method, said, valid);
}

/// A number, or nothing where Python says None.
std::optional<double> ask_number(const std::string& policy, const py::object& object,
                                 const char* method) {
  return ask(policy, method, [&]() -> std::optional<double> {
    const py::object said = object.attr(method)();
    if (said.is_none()) return std::nullopt;
    const double number = py::float_(said);
    if (!std::isfinite(number)) throw_fault(policy, "{} returned {}", method, number);
    return number;
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
  const bool fits = array.ndim() == 1 && array.size() == static_cast<py::ssize_t>(count);
  if (!fits) {
    throw_fault(policy, "{} returned an array of shape {} for {} candidates, expected one {} each",
                method, std::string(py::str(py::tuple(array.attr("shape")))), count, expected);
  }
  if (count > 0 && kinds.find(array.dtype().kind()) == std::string_view::npos) {
    throw_fault(policy, "{} returned values of type {}, expected {}", method,
                std::string(py::str(array.dtype())), expected);
  }
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
    if (overflow != 0 || victim < 0 || victim >= static_cast<std::int64_t>(eviction.spots.size())) {
      throw_fault(policy, "make_plan named victim {} of {} spots", victim, eviction.spots.size());
    }
    plan.victims.push_back(static_cast<std::uint32_t>(victim));
  }
  return plan;
}

void check_plan(const std::string& policy, const EvictionCase& eviction, bool charges,
                EvictionPlan& plan) {
  if (!std::isfinite(plan.score))
    throw_fault(policy, "make_plan returned the score {}", plan.score);
  std::sort(plan.victims.begin(), plan.victims.end());
  const auto twice = std::adjacent_find(plan.victims.begin(), plan.victims.end());
  if (twice != plan.victims.end()) throw_fault(policy, "make_plan named victim {} twice", *twice);
  ResourceVector missing = eviction.shortfall;
  for (const std::uint32_t victim : plan.victims) missing -= eviction.spots[victim].resources;
  if (!missing.fits_in({})) {
    throw_fault(policy,
                "make_plan's {} victims do not free enough: {} vcpus, {} memory_mb and {} disk_gb "
                "are still missing",
                plan.victims.size(), std::max(missing.vcpus, 0), std::max(missing.memory_mb, 0),
                std::max(missing.disk_gb, 0));
  }
  if (charges && plan.score <= 0) {
    throw_fault(policy, "make_plan returned the score {}, but the policy charges every victim",
                plan.score);
  }
}

}  // namespace

PythonFilter::PythonFilter(py::object policy, std::string name)
    : policy_(share(std::move(policy))), name_(std::move(name)) {
  mode_ = ask_choice(name_, *policy_, "mode", kModes);
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
  tier_ = ask_choice(name_, *policy_, "tier", kTiers);
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
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    throw_fault(name_, "weigh_all returned {} for host {}, expected finite weights", weights[i],
                candidates[i]);
  }
}

PythonEvictor::PythonEvictor(py::object policy, std::string name)
    : policy_(share(std::move(policy))), name_(std::move(name)) {
  charges_ = ask(name_, "charges_every_victim", [&] {
    return static_cast<bool>(py::bool_(policy_->attr("charges_every_victim")()));
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
