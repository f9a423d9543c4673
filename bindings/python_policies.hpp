#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/shared_python.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/weigher.hpp"

namespace cospot::bindings {

/// Holds the interpreter's lock. A thread that Python did not start keeps its Python state until it
/// ends, so that taking the lock is cheap and thread-local data of policies last.
class PolicyLock {
 public:
  PolicyLock() = default;

 private:
  static bool keep_thread_state();

  bool is_kept_ = keep_thread_state();
  pybind11::gil_scoped_acquire lock_;
};

// Policies written in Python, as the core sees them: each asks an object of a class below
// cospot.Filter, cospot.Weigher or cospot.Evictor. They are made with the interpreter's lock and
// used by any thread: each call takes the lock.
//
// Errors: PolicyError that names the policy when it raises or returns what cannot be used;
// Interrupted when `interrupted` is there and set.

/// The object, what it is called in sweep files, and when to ask it no more.
struct PolicyObject {
  PolicyObject(pybind11::object policy, std::string policy_name,
               const std::atomic<bool>* interrupted_by);

  SharedPython object;
  std::string name;
  const std::atomic<bool>* interrupted;
};

class PythonFilter final : public Filter {
 public:
  PythonFilter(pybind11::object policy, std::string name,
               const std::atomic<bool>* interrupted = nullptr);
  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override;
  [[nodiscard]] FilterMode mode() const override { return mode_; }

 private:
  PolicyObject policy_;
  FilterMode mode_ = FilterMode::kDrop;
};

/// The answer of the method `tier`.
[[nodiscard]] std::string_view tier_name(Tier tier);

class PythonWeigher final : public Weigher {
 public:
  PythonWeigher(pybind11::object policy, std::string name,
                const std::atomic<bool>* interrupted = nullptr);
  void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override;
  [[nodiscard]] Tier tier() const override { return tier_; }
  [[nodiscard]] std::optional<double> minval() const override { return minval_; }
  [[nodiscard]] std::optional<double> maxval() const override { return maxval_; }
  [[nodiscard]] double default_multiplier() const override { return multiplier_; }

 private:
  PolicyObject policy_;
  Tier tier_ = Tier::kNone;
  std::optional<double> minval_;
  std::optional<double> maxval_;
  double multiplier_ = 1.0;
};

class PythonEvictor final : public Evictor {
 public:
  PythonEvictor(pybind11::object policy, std::string name,
                const std::atomic<bool>* interrupted = nullptr);
  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;
  [[nodiscard]] bool victims_have_positive_cost() const override { return charges_; }

 private:
  PolicyObject policy_;
  bool charges_ = false;
};

}  // namespace cospot::bindings
