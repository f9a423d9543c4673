#include "sim_harness/provider/explain/event_log.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cospot {
namespace {

constexpr std::string_view kHeader =
    "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_id\n";
constexpr std::size_t kBufferedBytes = 1 << 18;

std::string_view name_of(LifeEventKind kind) {
  switch (kind) {
    case LifeEventKind::kHostDrained:
      return "host_drained";
    case LifeEventKind::kHostDown:
      return "host_down";
    case LifeEventKind::kHostBack:
      return "host_back";
    case LifeEventKind::kLoss:
      return "loss";
    case LifeEventKind::kStop:
      return "stop";
    case LifeEventKind::kEvacuation:
      return "evacuation";
    case LifeEventKind::kMigration:
      return "migration";
    case LifeEventKind::kResize:
      return "resize";
    case LifeEventKind::kResizeRefused:
      return "resize_refused";
    case LifeEventKind::kGiveUp:
      return "give_up";
    case LifeEventKind::kDecline:
      return "decline";
    case LifeEventKind::kNotice:
      return "notice";
    case LifeEventKind::kNoticeWithdrawn:
      return "notice_withdrawn";
  }
  return "";
}

}  // namespace

EventLog::EventLog(const std::optional<std::filesystem::path>& file, const Workload& workload,
                   const HostTable& hosts, const PriorityLevels& levels)
    : workload_(&workload), hosts_(&hosts), levels_(levels), buffer_(kHeader) {
  if (file) stream_.emplace(*file);
}

void EventLog::finish() {
  stream_->write(take());
  stream_->commit();
}

void EventLog::requested(const Request& request) {
  const ResourceVector size = request.resources();
  add({.time = request.time, .event = "request", .instance = request.instance, .size = &size});
}

void EventLog::offered(const Offer& offer) {
  const ResourceVector size = offer.request.resources();
  for (std::size_t i = 0; i < offer.hosts.size(); ++i) {
    add({.time = offer.request.time,
         .event = "offer",
         .instance = offer.request.instance,
         .host = offer.hosts[i].host,
         .place_in_offer = i + 1,
         .size = &size});
  }
}

void EventLog::evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) {
  add({.time = for_vm.time,
       .event = "eviction",
       .instance = victim,
       .host = host,
       .for_vm = &for_vm});
}

void EventLog::placed(const Request& request, HostIndex host) {
  add({.time = request.time, .event = "placement", .instance = request.instance, .host = host});
}

void EventLog::rejected(const Request& request) {
  add({.time = request.time, .event = "rejection", .instance = request.instance});
}

void EventLog::departed(InstanceIndex instance, HostIndex host, SimTime time) {
  add({.time = time, .event = "departure", .instance = instance, .host = host});
}

void EventLog::happened(const LifeEvent& event) {
  if (event.kind == LifeEventKind::kResize) resized_[event.instance] = event.size;
  const bool is_refused = event.kind == LifeEventKind::kResizeRefused;
  add({.time = event.time,
       .event = name_of(event.kind),
       .instance = event.instance,
       .host = event.host,
       .size = is_refused ? &event.size : nullptr});
}

std::string_view EventLog::class_of(InstanceIndex instance) const {
  if (levels_.are_classes()) return workload_->rows[instance].is_spot() ? "spot" : "vm";
  const std::size_t level = levels_.level_of[instance];
  if (level == 0) return "vm";
  return level + 1 == levels_.count ? "spot" : "economy";
}

const ResourceVector& EventLog::size_of(InstanceIndex instance) const {
  const auto found = resized_.find(instance);
  return found == resized_.end() ? workload_->rows[instance].resources : found->second;
}

/// The columns that tell of the instance; those of a host's row hold nothing.
void EventLog::add_instance(const Row& row) {
  if (row.instance == kNoInstance) {
    buffer_ += ",,0,0,0,";
    return;
  }
  const WorkloadRow& instance = workload_->rows[row.instance];
  const ResourceVector& size = row.size != nullptr ? *row.size : size_of(row.instance);
  fmt::format_to(std::back_inserter(buffer_), "{},{},{},{},{},", instance.id,
                 class_of(row.instance), size.vcpus, size.memory_mb, size.disk_gb);
}

void EventLog::add(const Row& row) {
  const auto out = std::back_inserter(buffer_);
  fmt::format_to(out, "{},{},", seconds_text(row.time), row.event);
  add_instance(row);
  if (row.host != kNoHost) buffer_ += hosts_->name(row.host);
  buffer_ += ',';
  if (row.place_in_offer > 0) fmt::format_to(out, "{}", row.place_in_offer);
  buffer_ += ',';
  if (row.for_vm != nullptr && row.for_vm->instance != kNoInstance)
    buffer_ += workload_->rows[row.for_vm->instance].id;
  buffer_ += '\n';
  if (stream_ && buffer_.size() >= kBufferedBytes) stream_->write(take());
}

}  // namespace cospot
