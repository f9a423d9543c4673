#include "guarantees/sla/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

double seconds(SimTime time) { return static_cast<double>(time.count()) / 1e6; }

}  // namespace

History::History(std::vector<ResourceVector> host_totals) : totals_(std::move(host_totals)) {
  if (totals_.empty()) throw InputError("a history without hosts, expected at least one");
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    if (totals_[i].vcpus >= 1 && totals_[i].memory_mb >= 0 && totals_[i].disk_gb >= 0) continue;
    throw InputError(fmt::format("host {} of the history has {} vcpus, expected at least 1", i,
                                 totals_[i].vcpus));
  }
}

History::History(State state) : History(std::move(state.host_totals)) {
  events_ = std::move(state.events);
  running_.insert(state.running.begin(), state.running.end());
  for (const HistoryEvent& event : events_) {
    if (event.kind == HistoryEvent::Kind::kSpotPlaced) ++spots_placed_;
  }
}

History::State History::state() const {
  State state{
      .host_totals = totals_, .events = events_, .running = {running_.begin(), running_.end()}};
  std::ranges::sort(state.running, {}, &std::pair<InstanceIndex, std::size_t>::second);
  return state;
}

History::Counts History::counts_between(SimTime from, SimTime until) const {
  using Kind = HistoryEvent::Kind;
  Counts counts;
  for (const HistoryEvent& event : events_) {
    if (event.time > until) break;
    const bool is_vm = event.kind == Kind::kVmPlaced || event.kind == Kind::kVmEnded;
    std::uint64_t& running = is_vm ? counts.vms : counts.spots;
    if (event.kind == Kind::kVmPlaced || event.kind == Kind::kSpotPlaced) {
      ++running;
    } else if (event.time < from) {
      --running;
    } else if (event.kind == Kind::kSpotEvicted) {
      ++counts.evictions;
    }
  }
  return counts;
}

void History::check_time(SimTime time) const {
  if (events_.empty() || events_.back().time <= time) return;
  throw InputError(fmt::format("the history goes back in time: {} s after {} s", seconds(time),
                               seconds(events_.back().time)));
}

void History::place(const Request& request, HostIndex host, SimTime promised_until) {
  check_time(request.time);
  if (host >= totals_.size()) {
    throw InputError(fmt::format("instance {} is placed on host {}, expected one below {}",
                                 request.instance, host, totals_.size()));
  }
  if (!running_.emplace(request.instance, events_.size()).second) {
    throw InputError(fmt::format("instance {} is placed at {} s although it runs", request.instance,
                                 seconds(request.time)));
  }
  using Kind = HistoryEvent::Kind;
  events_.push_back({.time = request.time,
                     .kind = request.is_spot() ? Kind::kSpotPlaced : Kind::kVmPlaced,
                     .host = host,
                     .spot = request.is_spot() ? spots_placed_++ : 0,
                     .resources = request.resources(),
                     .promised_until = promised_until});
}

HistoryEvent History::take_running(InstanceIndex instance, SimTime time) {
  check_time(time);
  const auto found = running_.find(instance);
  if (found == running_.end()) {
    throw InputError(
        fmt::format("instance {} ends at {} s, but it does not run", instance, seconds(time)));
  }
  HistoryEvent event = events_[found->second];
  running_.erase(found);
  event.time = time;
  return event;
}

void History::end(InstanceIndex instance, SimTime time) {
  HistoryEvent event = take_running(instance, time);
  using Kind = HistoryEvent::Kind;
  event.kind = event.kind == Kind::kSpotPlaced ? Kind::kSpotEnded : Kind::kVmEnded;
  events_.push_back(event);
}

void History::evict(InstanceIndex spot, SimTime time) {
  HistoryEvent event = take_running(spot, time);
  if (event.kind != HistoryEvent::Kind::kSpotPlaced) {
    throw InputError(
        fmt::format("instance {} is evicted at {} s, but it is no spot", spot, seconds(time)));
  }
  event.kind = HistoryEvent::Kind::kSpotEvicted;
  events_.push_back(event);
}

}  // namespace cospot
