#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/policy/evictor.hpp"
#include "core/ranking/chain.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The policies' verdict on one host for one request.
struct ExplainedHost {
  RankedHost ranked;
  std::string name;
  std::int32_t num_vms = 0;
  std::int32_t num_spots = 0;
  ResourceVector free_ignoring_spots;
  ResourceVector free;

  std::vector<bool> passes;     ///< by filter
  std::size_t rank = 0;         ///< 1 is the best; 0: a filter dropped it
  std::vector<double> weights;  ///< raw, by weigher; empty when dropped
  std::vector<double> parts;    ///< normalised x multiplier, by weigher, when these are summed

  std::size_t place_in_offer = 0;  ///< 1 is the best; 0: not offered
  /// An offered host with enough capacity, possibly after evictions.
  bool has_plan = false;
  double score = 0;  ///< the evictor's, in its own unit
  std::vector<RunningSpot> victims;
};

/// Explains why a request gets its host, or none.
struct Explanation {
  Request request;
  std::size_t level = 0;  ///< its priority level, 0 the highest
  RunSettings settings;
  std::vector<std::string> filters;  ///< their names
  std::vector<FilterMode> filter_modes;
  bool weights_are_summed = false;
  /// Meaning of each bit of RankedHost::tiers, the first one first.
  std::vector<std::string> tiers;
  std::vector<ExplainedHost> hosts;  ///< by rank, then the dropped ones by index
  std::size_t feasible = 0;
  std::size_t offered = 0;
  ResourceVector largest_total;
  /// All filters that dropped a host check capacity and nothing else.
  bool needs_room_only = true;
  /// Zones, extra specs or groups, in addition to the chain's filters.
  bool has_placement_filters = false;
  HostIndex winner = kNoHost;

  [[nodiscard]] const ChainSpec& chain() const {
    if (request.is_spot()) return settings.spot;
    return level == 0 ? settings.vm : settings.between[level - 1];
  }
  [[nodiscard]] const ExplainedHost* winning_host() const;
};

/// The row of the request called `id`. Errors: InputError with examples of ids; also if the request
/// starts after the window, because then no run includes it.
[[nodiscard]] InstanceIndex find_request(const Workload& workload, std::string_view id);

/// Recomputes, host by host, the decision that an engine paused before an arrival will make.
/// `settings` are those from which its allocator was made.
///
/// Errors: std::logic_error when the chain's weights are not those of its weighers.
[[nodiscard]] Explanation explain_next(const SimulationEngine& engine, const RunSettings& settings);

/// Explains a request when it is first decided, using the state that the decision sees (the
/// datacenter's or a scheduler's view), and forwards all events.
///
/// Errors: std::logic_error when the decision is not as explained.
class ExplainWatch final : public RunObserver {
 public:
  /// `settings` are those from which the engine's allocator was made. `next` may be null.
  ExplainWatch(InstanceIndex instance, RunSettings settings, RunObserver* next)
      : instance_(instance), settings_(std::move(settings)), next_(next) {}
  /// Checks an existing explanation.
  ExplainWatch(const Explanation& explanation, RunObserver* next)
      : instance_(explanation.request.instance), next_(next), explanation_(explanation) {}

  /// None: the request was never decided.
  [[nodiscard]] const std::optional<Explanation>& explanation() const { return explanation_; }

  void deciding(const ProviderHosts& hosts, const Request& request) override;
  void decided(const Request& request, const Choice& choice) override;
  void requested(const Request& request) override {
    if (next_ != nullptr) next_->requested(request);
  }
  void offered(const Offer& offer) override {
    if (next_ != nullptr) next_->offered(offer);
  }
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    if (next_ != nullptr) next_->evicted(victim, host, for_vm);
  }
  void placed(const Request& request, HostIndex host) override {
    if (next_ != nullptr) next_->placed(request, host);
  }
  void rejected(const Request& request) override {
    if (next_ != nullptr) next_->rejected(request);
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    if (next_ != nullptr) next_->departed(instance, host, time);
  }
  void happened(const LifeEvent& event) override {
    if (next_ != nullptr) next_->happened(event);
  }

 private:
  InstanceIndex instance_;
  RunSettings settings_;
  RunObserver* next_;
  std::optional<Explanation> explanation_;
  bool is_decided_ = false;  // it may retry
};

/// Lets the engine decide the request that explain_next explained. `observer` (may be nullptr)
/// watches from then on.
///
/// Errors: std::logic_error if the engine decides differently.
void decide_as_explained(SimulationEngine& engine, const EventSchedule& schedule,
                         const Explanation& explanation, RunObserver* observer);

}  // namespace cospot
