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
#include "core/errors.hpp"

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

template <class... Args>
[[noreturn]] void throw_fault(std::string_view policy, fmt::format_string<Args...> text,
                              Args&&... args) {
  throw PolicyError(
      fmt::format("policy '{}': {}", policy, fmt::format(text, std::forward<Args>(args)...)));
}

/// Runs `call` of a method; what it raises becomes a PolicyError. Needs the lock.
template <class Call>
auto ask(const PolicyObject& policy, const char* method, const Call& call) {
  try {
    return call();
  } catch (const py::error_already_set& error) {
    if (!is_policy_fault(error)) throw;
    throw RaisedByPolicy(
        fmt::format("policy '{}': {} raised {}", policy.name, method, describe(error)),
        share(error.value()));
  } catch (const py::cast_error&) {
    throw_fault(policy.name, "{} returned what it must not", method);
  }
}

void end_if_interrupted(const PolicyObject& policy) {
  if (policy.interrupted != nullptr && policy.interrupted->load(std::memory_order_relaxed)) {
    throw Interrupted{};
  }
}

template <class Value, std::size_t kCount>
Value ask_choice(const PolicyObject& policy, const char* method,
                 const std::array<std::pair<std::string_view, Value>, kCount>& choices) {
  const std::string said =
      ask(policy, method, [&] { return std::string(py::str(policy.object->attr(method)())); });
  std::string valid;
  for (const auto& [name, value] : choices) {
    if (said == name) return value;
    valid += (valid.empty() ? "" : ", ") + std::string(name);
  }
  throw_fault(policy.name, "{} returned '{}', expected one of: {}", method, said, valid);
}

/// A number, or nothing where Python says None.
std::optional<double> ask_number(const PolicyObject& policy, const char* method) {
  return ask(policy, method, [&]() -> std::optional<double> {
    const py::object said = policy.object->attr(method)();
    if (said.is_none()) return std::nullopt;
    const double number = py::float_(said);
    if (std::isfinite(number)) return number;
    throw_fault(policy.name, "{} returned {}, expected a finite number", method, number);
  });
}

/// A copy, which the policy may keep.
py::array_t<HostIndex> rows_array(std::span<const HostIndex> rows) {
  return py::array_t<HostIndex>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

/// The answer of a batch method, as an array of `T` with one value for each candidate. `kinds` are
/// the NumPy kinds that it may have, `expected` their name.
template <class T>
py::array_t<T> require_batch(const PolicyObject& policy, const char* method,
                             const py::object& returned, std::size_t count, std::string_view kinds,
                             std::string_view expected) {
  const py::array array = py::array::ensure(returned);
  if (!array) {
    PyErr_Clear();
    throw_fault(policy.name, "{} returned {}, expected {}", method, a_type_name(returned),
                expected);
  }
  if (array.ndim() != 1 || static_cast<std::size_t>(array.size()) != count) {
    throw_fault(policy.name,
                "{} returned an array of shape {} for {} candidates, expected one {} each", method,
                std::string(py::str(py::tuple(array.attr("shape")))), count, expected);
  }
  if (count > 0 && kinds.find(array.dtype().kind()) == std::string_view::npos) {
    throw_fault(policy.name, "{} returned values of type {}, expected {}", method,
                std::string(py::str(array.dtype())), expected);
  }
  auto typed = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!typed) throw py::error_already_set();
  return typed;
}

py::list spots_list(std::span<const RunningSpot> spots) {
  py::list list;
  for (const RunningSpot& spot : spots) list.append(py::cast(spot));
  return list;
}

/// Reads (victims, score), the victims in any order.
EvictionPlan read_plan(const std::string& policy, const py::object& returned, std::size_t spots) {
  if (!py::isinstance<py::tuple>(returned) || py::len(returned) != 2) {
    throw_fault(policy, "make_plan returned {}, expected (victims, score) or None",
                a_type_name(returned));
  }
  const auto pair = py::reinterpret_borrow<py::tuple>(returned);
  EvictionPlan plan{.victims = {}, .score = py::float_(pair[1])};
  for (const py::handle position : pair[0]) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(position.ptr()));
    if (!index) throw py::error_already_set();
    int overflow = 0;
    std::int64_t victim = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow > 0) victim = INT64_MAX;
    if (victim < 0 || victim >= static_cast<std::int64_t>(spots)) {
      throw_fault(policy, "make_plan named victim {} of {} spots", victim, spots);
    }
    plan.victims.push_back(static_cast<std::uint32_t>(victim));
  }
  return plan;
}

/// Sorts the victims and refuses a plan that the handshake could not use.
void check_plan(const std::string& policy, const EvictionCase& eviction,
                bool victims_have_positive_cost, EvictionPlan& plan) {
  if (!std::isfinite(plan.score)) {
    throw_fault(policy, "make_plan returned the score {}", plan.score);
  }
  std::sort(plan.victims.begin(), plan.victims.end());
  const auto twice = std::adjacent_find(plan.victims.begin(), plan.victims.end());
  if (twice != plan.victims.end()) throw_fault(policy, "make_plan named victim {} twice", *twice);
  ResourceVector missing = eviction.shortfall;
  for (const std::uint32_t victim : plan.victims) missing -= eviction.spots[victim].resources;
  if (!missing.fits_in(ResourceVector{})) {
    throw_fault(policy,
                "make_plan's {} victims do not free enough: {} vcpus, {} memory_mb and {} disk_gb "
                "are still missing",
                plan.victims.size(), std::max(missing.vcpus, 0), std::max(missing.memory_mb, 0),
                std::max(missing.disk_gb, 0));
  }
  if (victims_have_positive_cost && plan.score <= 0) {
    throw_fault(policy, "make_plan returned the score {}, but the policy charges every victim",
                plan.score);
  }
}

}  // namespace

std::string_view tier_name(Tier tier) {
  const auto is_it = [tier](const auto& named) { return named.second == tier; };
  return std::ranges::find_if(kTiers, is_it)->first;
}

bool PolicyLock::keep_thread_state() {
  /// Made at the first lock of a thread, without the lock afterwards.
  class ThreadState {
   public:
    ThreadState() : gil_(PyGILState_Ensure()), state_(PyEval_SaveThread()) {}
    ~ThreadState() {
      PyEval_RestoreThread(state_);
      PyGILState_Release(gil_);
    }
    ThreadState(const ThreadState&) = delete;
    ThreadState& operator=(const ThreadState&) = delete;

   private:
    PyGILState_STATE gil_;
    PyThreadState* state_;
  };
  if (PyGILState_GetThisThreadState() != nullptr) return false;
  static thread_local const ThreadState kept;
  return true;
}

PolicyObject::PolicyObject(py::object policy, std::string policy_name,
                           const std::atomic<bool>* interrupted_by)
    : object(share(std::move(policy))), name(std::move(policy_name)), interrupted(interrupted_by) {}

PythonFilter::PythonFilter(py::object policy, std::string name,
                           const std::atomic<bool>* interrupted)
    : policy_(std::move(policy), std::move(name), interrupted),
      mode_(ask_choice(policy_, "mode", kModes)) {}

void PythonFilter::filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<std::uint8_t> passes) const {
  end_if_interrupted(policy_);
  const PolicyLock lock;
  ask(policy_, "filter_all", [&] {
    const py::object returned =
        policy_.object->attr("filter_all")(kept_columns(hosts), rows_array(candidates), request);
    // Whole numbers too: 0 and 1 are what many column formulas give.
    const auto array =
        require_batch<bool>(policy_, "filter_all", returned, candidates.size(), "biu", "bool");
    std::memcpy(passes.data(), array.data(), candidates.size());
  });
}

PythonWeigher::PythonWeigher(py::object policy, std::string name,
                             const std::atomic<bool>* interrupted)
    : policy_(std::move(policy), std::move(name), interrupted),
      tier_(ask_choice(policy_, "tier", kTiers)),
      minval_(ask_number(policy_, "minval")),
      maxval_(ask_number(policy_, "maxval")),
      multiplier_(ask_number(policy_, "default_multiplier").value_or(1.0)) {}

void PythonWeigher::weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<double> weights) const {
  end_if_interrupted(policy_);
  const PolicyLock lock;
  ask(policy_, "weigh_all", [&] {
    const py::object returned =
        policy_.object->attr("weigh_all")(kept_columns(hosts), rows_array(candidates), request);
    const auto array =
        require_batch<double>(policy_, "weigh_all", returned, candidates.size(), "fiub", "number");
    std::copy_n(array.data(), candidates.size(), weights.begin());
  });
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    throw_fault(policy_.name, "weigh_all returned {} for host {}, expected finite weights",
                weights[i], candidates[i]);
  }
}

PythonEvictor::PythonEvictor(py::object policy, std::string name,
                             const std::atomic<bool>* interrupted)
    : policy_(std::move(policy), std::move(name), interrupted),
      charges_(ask(policy_, "victims_have_positive_cost", [&] {
        return static_cast<bool>(py::bool_(policy_.object->attr("victims_have_positive_cost")()));
      })) {}

bool PythonEvictor::make_plan(const EvictionCase& eviction, double /*score_limit*/,
                              EvictionPlan& plan) const {
  end_if_interrupted(policy_);
  const PolicyLock lock;
  const bool found = ask(policy_, "make_plan", [&] {
    const py::object returned = policy_.object->attr("make_plan")(
        spots_list(eviction.spots), eviction.shortfall, eviction.now.count());
    if (returned.is_none()) return false;
    plan = read_plan(policy_.name, returned, eviction.spots.size());
    return true;
  });
  if (found) {
    check_plan(policy_.name, eviction, charges_, plan);
    return true;
  }
  ResourceVector missing = eviction.shortfall;
  for (const RunningSpot& spot : eviction.spots) missing -= spot.resources;
  if (missing.fits_in(ResourceVector{})) {
    throw_fault(policy_.name, "make_plan returned None, although its {} spots free enough",
                eviction.spots.size());
  }
  return false;
}

}  // namespace cospot::bindings
