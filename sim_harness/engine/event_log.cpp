#include "sim_harness/engine/event_log.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cospot {
namespace {

constexpr std::string_view kHeader =
    "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_id\n";
constexpr std::size_t kBufferedBytes = 1 << 18;

}  // namespace

EventLog::EventLog(const std::filesystem::path& file, const Workload& workload,
                   const HostTable& hosts)
    : workload_(&workload), hosts_(&hosts), stream_(file), buffer_(kHeader) {}

void EventLog::finish() {
  stream_.write(buffer_);
  buffer_.clear();
  stream_.commit();
}

void EventLog::requested(const Request& request) {
  add({.time = request.time, .event = "request", .instance = request.instance});
}

void EventLog::offered(const Offer& offer) {
  for (std::size_t i = 0; i < offer.hosts.size(); ++i) {
    add({.time = offer.request.time,
         .event = "offer",
         .instance = offer.request.instance,
         .host = offer.hosts[i].host,
         .place_in_offer = i + 1});
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

void EventLog::add(const Row& row) {
  const WorkloadRow& instance = workload_->rows[row.instance];
  const auto out = std::back_inserter(buffer_);
  fmt::format_to(out, "{},{},{},{},{},{},{},", seconds_text(row.time), row.event, instance.id,
                 instance.is_spot() ? "spot" : "vm", instance.resources.vcpus,
                 instance.resources.memory_mb, instance.resources.disk_gb);
  if (row.host != kNoHost) buffer_ += hosts_->name(row.host);
  buffer_ += ',';
  if (row.place_in_offer > 0) fmt::format_to(out, "{}", row.place_in_offer);
  buffer_ += ',';
  if (row.for_vm != nullptr) buffer_ += workload_->rows[row.for_vm->instance].id;
  buffer_ += '\n';
  if (buffer_.size() < kBufferedBytes) return;
  stream_.write(buffer_);
  buffer_.clear();
}

}  // namespace cospot
