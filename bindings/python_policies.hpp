#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "bindings/shared_python.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/weigher.hpp"

namespace cospot::bindings {

// Policies written in Python, as the core sees them: each asks an object of a class below
// cospot.Filter, cospot.Weigher or cospot.Evictor. They are made with the interpreter's lock and
// used by any thread: each call takes the lock.
//
// Errors: PolicyError that names the policy when it raises or returns what cannot be used.

class PythonFilter final : public Filter {
 public:
  PythonFilter(pybind11::object policy, std::string name);
  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override;
  [[nodiscard]] FilterMode mode() const override { return mode_; }

 private:
  SharedPython policy_;
  std::string name_;
  FilterMode mode_ = FilterMode::kDrop;
};

class PythonWeigher final : public Weigher {
 public:
  PythonWeigher(pybind11::object policy, std::string name);
  void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override;
  [[nodiscard]] Tier tier() const override { return tier_; }
  [[nodiscard]] std::optional<double> minval() const override { return minval_; }
  [[nodiscard]] std::optional<double> maxval() const override { return maxval_; }
  [[nodiscard]] double default_multiplier() const override { return multiplier_; }

 private:
  SharedPython policy_;
  std::string name_;
  Tier tier_ = Tier::kNone;
  std::optional<double> minval_;
  std::optional<double> maxval_;
  double multiplier_ = 1.0;
};

class PythonEvictor final : public Evictor {
 public:
  PythonEvictor(pybind11::object policy, std::string name);
  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;
  [[nodiscard]] bool victims_have_positive_cost() const override { return charges_; }

 private:
  SharedPython policy_;
  std::string name_;
  bool charges_ = false;
};

}  // namespace cospot::bindings
