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

/// What the policies say of one host for one request.
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
  bool has_plan = false;           ///< an offered host that has the room or can get it
  double score = 0;                ///< the evictor's, in its own unit
  std::vector<RunningSpot> victims;
};

/// Why a request gets the host it gets, or none.
struct Explanation {
  Request request;
  std::size_t level = 0;  ///< its priority level, 0 the highest
  RunSettings settings;
  std::vector<std::string> filters;  ///< their names
  std::vector<FilterMode> filter_modes;
  bool weights_are_summed = false;
  std::vector<std::string> tiers;    ///< what each bit of RankedHost::tiers says, the first first
  std::vector<ExplainedHost> hosts;  ///< by rank, then those that were dropped, by index
  std::size_t feasible = 0;
  std::size_t offered = 0;
  ResourceVector largest_total;
  bool needs_room_only = true;         ///< every dropping filter asks for room and nothing else
  bool has_placement_filters = false;  ///< zones, extra specs, groups: beside those of the chain
  HostIndex winner = kNoHost;

  [[nodiscard]] const ChainSpec& chain() const {
    if (request.is_spot()) return settings.spot;
    return level == 0 ? settings.vm : settings.between[level - 1];
  }
  [[nodiscard]] const ExplainedHost* winning_host() const;
};

/// The row of the request called `id`. Errors: InputError that shows what ids look like; also when
/// the request starts after the window, so that no run has it.
[[nodiscard]] InstanceIndex find_request(const Workload& workload, std::string_view id);

/// Works out anew, host by host, what an engine that stands before an arrival will decide.
/// `settings` are those its allocator was made from.
///
/// Errors: std::logic_error when the chain's weights are not those of its weighers.
[[nodiscard]] Explanation explain_next(const SimulationEngine& engine, const RunSettings& settings);

/// Explains a request as it is decided for the first time, on what the datacenter or a scheduler's
/// view says then, and passes everything on.
///
/// Errors: std::logic_error when the decision is not as explained.
class ExplainWatch final : public RunObserver {
 public:
  /// `settings` are those that the engine's allocator was made from. `next` may be null.
  ExplainWatch(InstanceIndex instance, RunSettings settings, RunObserver* next)
      : instance_(instance), settings_(std::move(settings)), next_(next) {}
  /// Of what is explained already.
  ExplainWatch(const Explanation& explanation, RunObserver* next)
      : instance_(explanation.request.instance), next_(next), explanation_(explanation) {}

  /// None: nobody had to decide the request.
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
  bool is_decided_ = false;  // it may ask again
};

/// Lets the engine decide the request that explain_next explained. `observer` watches from then on
/// (nullptr: no one).
///
/// Errors: std::logic_error when the engine decides otherwise.
void decide_as_explained(SimulationEngine& engine, const EventSchedule& schedule,
                         const Explanation& explanation, RunObserver* observer);

}  // namespace cospot
