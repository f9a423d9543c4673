#pragma once

#include <atomic>
#include <string>

#include "bindings/python_host/interpreter.hpp"
#include "bindings/python_host/policy_arguments.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/weigher.hpp"

namespace cospot::python_host {

// Policies of the engine that ask a Python object: a cospot.Filter, Weigher or Evictor. `name` is
// theirs in sweep files. They are made with the lock, and used and dropped without it.
//
// Errors of their methods: PolicyError when the object raises or returns what cannot be used;
// Interrupted when `interrupted` is there and set.

class HostedFilter final : public Filter {
 public:
  HostedFilter(const std::string& name, const boost::python::object& policy,
               const std::atomic<bool>* interrupted = nullptr);

  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override;
  [[nodiscard]] FilterMode mode() const override { return mode_; }

 private:
  std::string name_;
  const std::atomic<bool>* interrupted_;
  SharedObject filter_all_;
  mutable ShownHosts shown_;  // an object is used by one thread at a time
  FilterMode mode_;
};

class HostedWeigher final : public Weigher {
 public:
  HostedWeigher(const std::string& name, const boost::python::object& policy,
                const std::atomic<bool>* interrupted = nullptr);

  void weigh_all(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override;
  [[nodiscard]] Tier tier() const override { return tier_; }
  [[nodiscard]] std::optional<double> minval() const override { return minval_; }
  [[nodiscard]] std::optional<double> maxval() const override { return maxval_; }
  [[nodiscard]] double default_multiplier() const override { return default_multiplier_; }

 private:
  std::string name_;
  const std::atomic<bool>* interrupted_;
  SharedObject weigh_all_;
  mutable ShownHosts shown_;
  Tier tier_;
  std::optional<double> minval_, maxval_;
  double default_multiplier_;
};

class HostedEvictor final : public Evictor {
 public:
  HostedEvictor(const std::string& name, const boost::python::object& policy,
                const std::atomic<bool>* interrupted = nullptr);

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;
  [[nodiscard]] bool victims_have_positive_cost() const override {
    return victims_have_positive_cost_;
  }

 private:
  std::string name_;
  const std::atomic<bool>* interrupted_;
  SharedObject make_plan_;
  bool victims_have_positive_cost_;
};

}  // namespace cospot::python_host
