#include "bindings/python_host/hosted_policies.hpp"

#include "bindings/policy_contract.hpp"
#include "bindings/python_host/array_exchange.hpp"
#include "bindings/python_host/policy_arguments.hpp"
#include "bindings/python_host/policy_call.hpp"

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

void end_if_set(const std::atomic<bool>* interrupted) {
  if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) throw Interrupted{};
}

std::string ask_text(const std::string& policy, const bp::object& object, const char* method) {
  return ask(policy, method, [&]() -> std::string {
    return bp::extract<std::string>(bp::str(object.attr(method)()));
  });
}

/// A number, or nothing where Python says None.
std::optional<double> ask_number(const std::string& policy, const bp::object& object,
                                 const char* method) {
  return ask(policy, method, [&]() -> std::optional<double> {
    const bp::object said = object.attr(method)();
    if (said.is_none()) return std::nullopt;
    const double number = PyFloat_AsDouble(said.ptr());
    if (PyErr_Occurred() != nullptr) bp::throw_error_already_set();
    return bindings::require_finite(policy, method, number);
  });
}

/// Takes (victims, score), the victims in any order.
EvictionPlan read_plan(const std::string& policy, const bp::object& returned, std::size_t spots) {
  if (!PyTuple_Check(returned.ptr()) || bp::len(returned) != 2) {
    const std::string type =
        bp::extract<std::string>(bp::object(returned.attr("__class__").attr("__name__")));
    bindings::throw_fault(policy, "make_plan returned a {}, expected (victims, score) or None",
                          type);
  }
  const bp::object score = returned[1];
  EvictionPlan plan{.victims = {}, .score = PyFloat_AsDouble(score.ptr())};
  if (PyErr_Occurred() != nullptr) bp::throw_error_already_set();
  const bp::list positions{bp::object(returned[0])};
  for (bp::ssize_t i = 0; i < bp::len(positions); ++i) {
    const bp::object position = positions[i];
    const bp::object index(bp::handle<>(PyNumber_Index(position.ptr())));
    int overflow = 0;
    const std::int64_t victim = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    plan.victims.push_back(bindings::read_victim(policy, overflow > 0 ? INT64_MAX : victim, spots));
  }
  return plan;
}

}  // namespace

HostedFilter::HostedFilter(const std::string& name, const bp::object& policy,
                           const std::atomic<bool>* interrupted)
    : name_(name),
      interrupted_(interrupted),
      filter_all_(share(policy.attr("filter_all"))),
      mode_(bindings::read_mode(name, ask_text(name, policy, "mode"))) {}

void HostedFilter::filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<std::uint8_t> passes) const {
  end_if_set(interrupted_);
  const InterpreterLock lock;
  ask(name_, "filter_all", [&] {
    copy_passes(name_,
                (*filter_all_)(shown_.show(hosts), rows_array(candidates), request_object(request)),
                passes);
  });
}

HostedWeigher::HostedWeigher(const std::string& name, const bp::object& policy,
                             const std::atomic<bool>* interrupted)
    : name_(name),
      interrupted_(interrupted),
      weigh_all_(share(policy.attr("weigh_all"))),
      tier_(bindings::read_tier(name, ask_text(name, policy, "tier"))),
      minval_(ask_number(name, policy, "minval")),
      maxval_(ask_number(name, policy, "maxval")),
      default_multiplier_(ask_number(name, policy, "default_multiplier").value_or(1.0)) {}

void HostedWeigher::weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                              const Request& request, std::span<double> weights) const {
  end_if_set(interrupted_);
  {
    const InterpreterLock lock;
    ask(name_, "weigh_all", [&] {
      copy_weights(
          name_, (*weigh_all_)(shown_.show(hosts), rows_array(candidates), request_object(request)),
          weights);
    });
  }
  bindings::check_weights(name_, candidates, weights);
}

HostedEvictor::HostedEvictor(const std::string& name, const bp::object& policy,
                             const std::atomic<bool>* interrupted)
    : name_(name),
      interrupted_(interrupted),
      make_plan_(share(policy.attr("make_plan"))),
      victims_have_positive_cost_(ask(name, "victims_have_positive_cost", [&] {
        return bool(policy.attr("victims_have_positive_cost")());
      })) {}

bool HostedEvictor::make_plan(const EvictionCase& eviction, double /*score_limit*/,
                              EvictionPlan& plan) const {
  end_if_set(interrupted_);
  const InterpreterLock lock;
  const bool found = ask(name_, "make_plan", [&] {
    const bp::object returned = (*make_plan_)(
        spot_objects(eviction.spots), resources_object(eviction.shortfall), eviction.now.count());
    if (returned.is_none()) return false;
    plan = read_plan(name_, returned, eviction.spots.size());
    return true;
  });
  if (found) bindings::check_plan(name_, eviction, victims_have_positive_cost_, plan);
  return found;
}

}  // namespace cospot::python_host
