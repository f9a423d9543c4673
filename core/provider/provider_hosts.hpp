#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/handshake/handshake.hpp"
#include "core/model/host_table.hpp"
#include "core/model/placements.hpp"
#include "core/model/priority_levels.hpp"
#include "core/model/spot_lists.hpp"
#include "core/model/vm_load.hpp"
#include "core/provider/allocator.hpp"
#include "core/ranking/late_ranking.hpp"

namespace cospot {

/// A provider's datacenter: its hosts, who runs on them, and who gets which host. The only writer
/// of its tables; whoever simulates or mirrors a datacenter holds one. It knows no time and no
/// events.
///
/// Instances of several priority levels are kept by a table for each level that may displace
/// others: in the table of a level the instances of that level and above are the VMs, those below
/// are the spots. So a chain, a filter and a ranking know nothing of levels, and what they do for a
/// VM they do for an instance of any level. VMs and spots alone need one table.
///
/// What follows calls an instance a VM when its level is the highest, else a spot.
class ProviderHosts {
 public:
  /// Args: allocator: what it lacks is not asked for: a chain, the evictor. instances: numbers are
  /// below it; 0: nobody asks where an instance runs. levels: those of `allocator`.
  explicit ProviderHosts(HostTable hosts, Allocator allocator = {}, std::size_t instances = 0,
                         Placements placements = {}, const PriorityLevels& levels = {});

  /// Continues from the state of `other` with another allocator.
  ProviderHosts(const ProviderHosts& other, Allocator allocator);

  ProviderHosts(const ProviderHosts&) = delete;
  ProviderHosts& operator=(const ProviderHosts&) = delete;

  [[nodiscard]] const HostTable& table() const { return top_.hosts; }
  [[nodiscard]] const Allocator& allocator() const { return allocator_; }
  [[nodiscard]] const PriorityLevels& levels() const { return levels_; }
  /// Oldest placement first. Valid until a spot comes or goes on that host.
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return top_.displaceable.spots_on(host);
  }
  /// The host an instance runs on; kNoHost when it does not run.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return host_of_[instance]; }
  /// The hosts as the chain of such requests sees them.
  [[nodiscard]] const HostTable& table_for(const Request& request) const {
    return is_lowest(request) ? top_.hosts : view_for(request).hosts;
  }
  /// The instances that such a request may displace on a host, oldest placement first.
  [[nodiscard]] std::span<const RunningSpot> displaceable_for(const Request& request,
                                                              HostIndex host) const {
    return view_for(request).displaceable.spots_on(host);
  }
  [[nodiscard]] const Chain& chain_for(const Request& request) const {
    if (is_lowest(request)) return *allocator_.spot;
    const std::size_t level = levels_.of(request);
    return level == 0 ? *allocator_.vm : *allocator_.between[level - 1];
  }
  [[nodiscard]] bool is_lowest(const Request& request) const {
    return levels_.of(request) + 1 == levels_.count;
  }
  /// The demands of an instance apart from capacity, as of now; nullptr: nothing. Valid for one
  /// request.
  [[nodiscard]] const Placement* placement_of(InstanceIndex instance) const {
    return placements_.of(instance);
  }

  // The host that an instance gets.

  /// The hosts in the order of the chain of such requests.
  [[nodiscard]] HostRanking& ranking_for(const Request& request) {
    if (levels_.are_classes()) return (request.is_spot() ? lowest_ : top_.ranking).current();
    return ranking_by_level(request);
  }
  /// The first-ranked host, of a walk that starts here; kNoHost: none is feasible. A spot of the
  /// lowest level gets it.
  [[nodiscard]] HostIndex first_ranked(const Request& request) {
    HostRanking& ranking = ranking_for(request);
    ranking.start(request);
    return ranking.next();
  }
  /// True if the request needs evictions on a feasible host.
  [[nodiscard]] bool needs_evictions(HostIndex host, const Request& request) const {
    return !shortfall(top_.hosts, host, request).fits_in(ResourceVector{});
  }
  /// The first-ranked host on which nobody has to go; kNoHost: none.
  [[nodiscard]] HostIndex first_without_eviction(const Request& request);

  /// The host by the handshake, when first_ranked() has just given `first`, where someone has to
  /// go; kNoHost: nowhere can enough be freed. Those who have to go are in victims().
  template <class Observer>
  [[nodiscard]] HostIndex displace(const Request& request, HostIndex first, Observer&& observer) {
    View& view = view_for(request);
    const HostIndex host = handshake_->decide(view.hosts, view.ranking.current(), first, request,
                                              vm_load(), SpotsOf{view.displaceable}, observer);
    victims_.clear();
    if (host == kNoHost) return kNoHost;
    for (const std::uint32_t position : handshake_->victims()) {
      victims_.push_back(view.displaceable.spots_on(host)[position].instance);
    }
    return host;
  }
  [[nodiscard]] std::span<const InstanceIndex> victims() const { return victims_; }

  /// The same by a whole offer of `ranking`, which the observer sees.
  template <class Observer = const HandshakeObserver>
  [[nodiscard]] Choice answer(const Request& request, HostRanking& ranking,
                              Observer&& observer = {}) {
    const View& view = view_for(request);
    return handshake_->answer(view.hosts, ranking, request, vm_load(), SpotsOf{view.displaceable},
                              observer);
  }
  /// The spot side's answer to an offer of these hosts, or of a view of them.
  [[nodiscard]] Choice choose(const Offer& offer) {
    const View& view = view_for(offer.request);
    return handshake_->choose(view.hosts, offer, SpotsOf{view.displaceable});
  }

  // Instances come and go.

  void place(const Request& request, HostIndex host, SimTime ends_at) {
    if (levels_.of(request) == 0) {
      place_vm(request.instance, request.resources(), host);
    } else {
      place_spot({.instance = request.instance,
                  .resources = request.resources(),
                  .placed_at = request.time,
                  .ends_at = ends_at,
                  .promised_until = request.promised_until},
                 host);
    }
  }
  void place_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host) {
    top_.hosts.add_vm(host, size);
    if (!host_of_.empty()) host_of_[instance] = host;
    if (has_parts_) tell_parts_of_vm(instance, size, host, 1);
    vms_changed(host);
  }
  void remove_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host) {
    top_.hosts.remove_vm(host, size);
    if (!host_of_.empty()) host_of_[instance] = kNoHost;
    if (has_parts_) tell_parts_of_vm(instance, size, host, -1);
    vms_changed(host);
  }
  /// A VM that stays gets another size, for which the others leave enough capacity.
  void resize_vm(const ResourceVector& from, const ResourceVector& to, HostIndex host);
  void place_spot(const RunningSpot& spot, HostIndex host);
  /// Returns what it was.
  RunningSpot remove_spot(InstanceIndex instance, HostIndex host);

  // Hosts come and go. One may be closed for several reasons; it is open when each is over.

  /// No instance finds room on it; those that are there may stay.
  void close(HostIndex host);
  void reopen(HostIndex host);
  [[nodiscard]] bool is_closed(HostIndex host) const {
    return !reasons_closed_.empty() && reasons_closed_[host] > 0;
  }

  /// Makes a host what was seen of it; `spots`: oldest placement first. Only without chains.
  ///
  /// Errors: ConfigError when an amount, or what the spots hold together, is out of range; then the
  /// host is as it was.
  void replace(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots);

 private:
  /// The hosts as a level that may displace others sees them.
  struct View {
    View(HostTable made, const Chain* chain, const OfferRule& otn);
    View(const View& other, const Chain* chain, const OfferRule& otn);

    HostTable hosts;
    SpotLists displaceable;
    std::vector<ResourceVector> withheld{};  // of each host that is closed, so that nobody fits
    LateRanking ranking;

   private:
    void rank_by(const Chain* chain, const OfferRule& otn);
  };

  /// The spots that the handshake asks for.
  struct SpotsOf {
    const SpotLists& spots;
    [[nodiscard]] std::span<const RunningSpot> operator()(HostIndex host) const {
      return spots.spots_on(host);
    }
  };

  [[nodiscard]] HostRanking& ranking_by_level(const Request& request);
  /// The view for a request that is not of the lowest level.
  template <class Self>
  [[nodiscard]] static auto& view_in(Self& self, const Request& request) {
    const std::size_t level = self.levels_.are_classes() ? 0 : self.levels_.of(request);
    return level == 0 ? self.top_ : *self.between_[level - 1];
  }
  [[nodiscard]] View& view_for(const Request& request) { return view_in(*this, request); }
  [[nodiscard]] const View& view_for(const Request& request) const {
    return view_in(*this, request);
  }
  [[nodiscard]] double vm_load() const { return load_ ? load_->of_scarcest() : 0; }
  void vms_changed(HostIndex host) {
    top_.ranking.host_changed(host);
    lowest_.host_changed(host);
  }
  void spots_changed(HostIndex host) {
    top_.ranking.spots_changed(host);
    lowest_.host_changed(host);
  }
  // An instance came to a host (sign 1) or left it (-1).
  void tell_parts_of_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host,
                        std::int32_t sign);
  void tell_parts_of_spot(const RunningSpot& spot, HostIndex host, std::int32_t sign);
  void tell_groups(InstanceIndex instance, HostIndex host, std::int32_t sign);
  void change_vm_room(const ResourceVector& size, HostIndex host, std::int32_t sign);
  // A closed host hands all that its VMs leave free to nobody.
  void withhold(HostIndex host);
  void release(HostIndex host);
  void withhold_anew(HostIndex host);

  Allocator allocator_;
  PriorityLevels levels_;
  View top_;                                    // of the highest level
  std::vector<std::unique_ptr<View>> between_;  // of the levels between it and the lowest
  // Beside all instances every table is the same; its VMs are those of the highest level.
  LateRanking lowest_;
  std::optional<Handshake> handshake_;
  std::vector<HostIndex> host_of_;
  std::optional<VmLoad> load_;  // where the offers follow it
  Placements placements_;
  std::vector<InstanceIndex> victims_;
  std::vector<std::uint32_t> reasons_closed_;  // of each host; empty while none was ever closed
  bool has_parts_;  // levels between, a load, groups or closed hosts, of which most have none
};

}  // namespace cospot
