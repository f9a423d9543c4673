// Runs that go from one cut of the schedule to the next.

#include <utility>

#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot {

SimulationEngine::SimulationEngine(const EventSchedule& schedule, HostTable hosts,
                                   const Allocator& allocator, const AtCut* from)
    : SimulationEngine(schedule, std::move(hosts), allocator) {
  after_cuts_.resize(schedule.cuts.size());
  if (from == nullptr) return;
  const ScheduleCut& before = schedule.cuts[from->cut_];
  for (std::size_t i = 0; i < before.running.size(); ++i) {
    const ScheduledEvent& event = before.running[i];
    if (from->host_of_[i] == kNoHost) continue;
    hosts_.place(request_of(event), from->host_of_[i], end_of(event.instance));
  }
  position_ = before.events;
  cut_ = from->cut_ + 1;
  lost_ = from->lost_;
  after_cuts_ = from->after_cuts_;
  vm_too_large_ = from->vm_too_large_;
  first_hour_revenue_ = from->first_hour_revenue_;
}

SimulationEngine::AtCut SimulationEngine::at_cut() const {
  AtCut at;
  at.cut_ = cut_;
  for (const ScheduledEvent& event : schedule_->cuts[cut_].running) {
    at.host_of_.push_back(hosts_.host_of(event.instance));
  }
  at.lost_ = lost_;
  at.after_cuts_ = after_cuts_;
  at.vm_too_large_ = vm_too_large_;
  at.first_hour_revenue_ = first_hour_revenue_;
  return at;
}

/// Notes for each window that ends before an instance would have the loss that lies beyond it.
void SimulationEngine::lose_after_cuts(std::size_t level, LossCause cause, ResourceAmount vcpus,
                                       SimTime end) {
  for (std::size_t cut = cut_; cut < after_cuts_.size(); ++cut) {
    const SimTime window = schedule_->cuts[cut].window;
    if (end <= window) return;
    after_cuts_[cut][level][static_cast<std::size_t>(cause)] +=
        schedule_->revenue(vcpus, window, end);
  }
}

}  // namespace cospot
