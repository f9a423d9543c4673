#include "sim_harness/data/imports/import_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/errors.hpp"
#include "sim_harness/base/tables/line_reader.hpp"

namespace cospot {
namespace {

using enum ImportTarget;
using Kind = TableShape::Kind;

/// Borg's instances of 2019, a row for each event (clusterdata_trace_format_v3.proto). Sizes are
/// shares of the largest machine; 10,000 units of it keep them apart. An instance occupies a
/// machine from SCHEDULE (3) to EVICT, FAIL, FINISH, KILL or LOST (4 to 8). Instances of alloc sets
/// reserve what tasks in them use: tasks inside one are left out, so that nothing counts twice. Up
/// to priority 115 are the free and the best-effort batch tier.
ImportFormat google2019() {
  return {
      .name = "google2019",
      .summary = "Google cluster data 2019, instance_events (CSV or JSON lines)",
      .shape = {.kind = Kind::kCsv,
                .json_columns = {"time", "type", "collection_id", "scheduling_class",
                                 "missing_type", "collection_type", "priority",
                                 "alloc_collection_id", "instance_index", "machine_id",
                                 "alloc_instance_index", "resource_request.cpus",
                                 "resource_request.memory"}},
      .unit = TimeUnit::kMicroseconds,
      .vcpus_unit = "relative",
      .map = {{kId, {"collection_id || '-' || instance_index"}},
              {kTenant, {"\"user\"", "collection_id"}},
              {kVcpus,
               {"case \"resource_request.cpus\" when 0 then 1 else \"resource_request.cpus\" * "
                "10000.0 end",
                "case resource_request_cpus when 0 then 1 else resource_request_cpus * 10000.0 end",
                "case cpus when 0 then 1 else cpus * 10000.0 end"}},
              {kMemoryMb,
               {"\"resource_request.memory\" * 10000.0", "resource_request_memory * 10000.0",
                "memory * 10000.0"}},
              {kStart, {"\"time\""}}},
      .spot_if = {"priority <= 115"},
      .only = {"coalesce(alloc_collection_id, 0) = 0", "1"},
      .start_when = {"type = 3 or type = 'SCHEDULE'"},
      .end_when = {"type between 4 and 8 or type in ('EVICT', 'FAIL', 'FINISH', 'KILL', 'LOST')"},
      .resize_when = {"type = 10 or type = 'UPDATE_RUNNING'"}};
}

/// Alibaba's batch tasks of 2018: a row for each task, which has so many instances. 100 of plan_cpu
/// are a core; memory is a share of some machine, in percent. A time of 0 lies outside the trace,
/// so what terminated at 0 ran to its end.
ImportFormat alibaba2018_tasks() {
  return {.name = "alibaba2018",
          .summary = "Alibaba 2018, batch_task (9 columns): spots",
          .shape = {.has_header = false,
                    .columns = {"task_name", "instance_num", "job_name", "task_type", "status",
                                "start_time", "end_time", "plan_cpu", "plan_mem"}},
          .vcpus_unit = "0.01",
          .map = {{kId, {"job_name || '/' || task_name"}},
                  {kTenant, {"job_name"}},
                  {kVcpus, {"plan_cpu"}},
                  {kMemoryMb, {"plan_mem * 100.0"}},
                  {kStart, {"start_time"}},
                  {kEnd, {"nullif(end_time, 0)"}},
                  {kCount, {"instance_num"}}},
          .spot_if = {"1"},
          .only = {"start_time > 0 and plan_cpu > 0"}};
}

/// The instances of those tasks, with what each used at most: no size was asked for by instance.
ImportFormat alibaba2018_instances() {
  return {.name = "alibaba2018",
          .summary = "Alibaba 2018, batch_instance (14 columns): spots, sized by their peak use",
          .shape = {.has_header = false,
                    .columns = {"instance_name", "task_name", "job_name", "task_type", "status",
                                "start_time", "end_time", "machine_id", "seq_no", "total_seq_no",
                                "cpu_avg", "cpu_max", "mem_avg", "mem_max"}},
          .vcpus_unit = "0.01",
          .map = {{kId, {"instance_name || '/' || seq_no"}},
                  {kTenant, {"job_name"}},
                  {kVcpus,
                   {"case coalesce(cpu_max, cpu_avg, 0) when 0 then 1 else coalesce(cpu_max, "
                    "cpu_avg) end"}},
                  {kMemoryMb, {"coalesce(mem_max, mem_avg, 0) * 100.0"}},
                  {kStart, {"start_time"}},
                  {kEnd, {"nullif(end_time, 0)"}}},
          .spot_if = {"1"},
          .only = {"start_time > 0"}};
}

/// Alibaba's containers of 2018, which run services: a row whenever one was looked at. The first
/// one is taken for its start; no end was recorded.
ImportFormat alibaba2018_containers() {
  return {.name = "alibaba2018",
          .summary = "Alibaba 2018, container_meta (8 columns): VMs",
          .shape = {.has_header = false,
                    .columns = {"container_id", "machine_id", "time_stamp", "app_du", "status",
                                "cpu_request", "cpu_limit", "mem_size"}},
          .vcpus_unit = "0.01",
          .map = {{kId, {"container_id"}},
                  {kTenant, {"app_du"}},
                  {kVcpus, {"cpu_request"}},
                  {kMemoryMb, {"mem_size * 100.0"}},
                  {kStart, {"time_stamp"}}},
          .spot_if = {"0"},
          .start_when = {"1"},
          .end_when = {"0"}};
}

/// Alibaba's pods of 2023 (cluster-trace-gpu-v2023, openb_pod_list). Best-effort pods are spots.
ImportFormat alibaba2023() {
  return {.name = "alibaba2023",
          .summary = "Alibaba 2023, openb_pod_list of cluster-trace-gpu-v2023",
          .vcpus_unit = "0.001",
          .map = {{kId, {"name"}},
                  {kVcpus, {"case cpu_milli when 0 then 1 else cpu_milli end"}},
                  {kMemoryMb, {"memory_mib"}},
                  {kStart, {"scheduled_time", "creation_time"}},
                  {kEnd, {"deletion_time"}}},
          .spot_if = {"qos = 'BE'"},
          .only = {"scheduled_time is not null", "1"},
          .over_if = {"pod_phase in ('Succeeded', 'Failed')"}};
}

/// Logs of the Parallel Workloads Archive: a job has its processors from its start on. Memory, if
/// any, is in KB a processor. A job whose run time is unknown is over all the same.
ImportFormat swf() {
  return {.name = "swf",
          .summary = "Standard Workload Format of the Parallel Workloads Archive",
          .shape = {.kind = Kind::kSwf},
          .end_is_duration = true,
          .map = {{kId, {"job_number"}},
                  {kTenant, {"coalesce(\"user\", \"group\", 'unknown')"}},
                  {kVcpus, {"coalesce(nullif(processors, 0), nullif(requested_processors, 0), 1)"}},
                  {kMemoryMb,
                   {"coalesce(requested_memory, used_memory, 0) / 1024.0 * "
                    "coalesce(nullif(processors, 0), nullif(requested_processors, 0), 1)"}},
                  {kStart, {"submit_time + coalesce(wait_time, 0)"}},
                  {kEnd, {"run_time"}}},
          .only = {"coalesce(status, 1) <> 5 or run_time > 0"},
          .over_if = {"1"}};
}

/// A dump of Nova's table `instances`, what Nova's API tells of usage (os-simple-tenant-usage with
/// detailed=1) or of servers (servers/detail), or the servers of now (openstack server list), whose
/// sizes are those of flavors. A server that is shelved and offloaded, or that failed before it had
/// a host, is on none. `cospot-nova history export` reads database and API itself, and knows more.
ImportFormat openstack() {
  return {
      .name = "openstack",
      .summary =
          "a dump of Nova's table instances, os-simple-tenant-usage?detailed=1, servers/detail, "
          "or openstack server list with --flavors",
      .shape = {.json_paths = {"$.tenant_usages[*].server_usages", "$.tenant_usage.server_usages",
                               "$.servers", "$"},
                .json_reports = {"$.tenant_usages[0]", "$.tenant_usage"},
                .json_pages = {"tenant_usages_links", "tenant_usage_links", "servers_links"}},
      .unit = TimeUnit::kIso,
      .map = {{kId, {"uuid", "instance_id", "ID", "id"}},
              {kTenant, {"project_id", "tenant_id", "\"Project ID\""}},
              {kVcpus, {"vcpus", "VCPUs", "flavor.vcpus", "flavor_vcpus"}},
              {kMemoryMb, {"memory_mb", "RAM", "flavor.ram", "flavor_memory_mb"}},
              {kStart,
               {"created_at", "launched_at", "started_at", "Created At", "created"},
               "openstack server list prints it with -c 'Created At', the API as created"},
              {kEnd,
               {"coalesce(terminated_at, deleted_at)", "terminated_at", "deleted_at", "ended_at",
                "OS-SRV-USG:terminated_at"}}},
      .only = {"launched_at is not null", "started_at is not null",
               "\"OS-SRV-USG:launched_at\" is not null", "1"},
      .over_if = {"lower(vm_state) in ('shelved_offloaded', 'deleted')",
                  "lower(state) in ('shelved_offloaded', 'deleted', 'terminated')",
                  "lower(status) in ('shelved_offloaded', 'deleted')",
                  "host is null and lower(vm_state) in ('error', 'building')",
                  "host is null and lower(status) in ('error', 'build')",
                  "\"OS-EXT-SRV-ATTR:host\" is null and lower(status) in ('error', 'build')",
                  "coalesce(deleted, '0') not in ('0', 'false', 'False')"},
      .has_flavors = true,
      .is_purged = true,
      .rows_of_page = 1000};
}

/// Pods that a scheduler places, in thousandths of a CPU; those of every node are off the nodes.
ImportFormat kubernetes() {
  return {.name = "kubernetes",
          .summary = "kubectl get pods,nodes -A -o json; several files are snapshots",
          .shape = {.kind = Kind::kKubernetes},
          .unit = TimeUnit::kIso,
          .vcpus_unit = "0.001",
          .map = {{kId, {"uid"}},
                  {kTenant, {"\"namespace\""}},
                  {kVcpus, {"case cpu when 0 then 1 else cpu * 1000.0 end"}},
                  {kMemoryMb, {"memory / 1048576.0"}},
                  {kStart, {"coalesce(\"started\", \"created\")"}},
                  {kEnd, {"finished"}}},
          .only = {"node is not null and coalesce(owner_kind, '') not in ('DaemonSet', 'Node')"},
          .over_if = {"phase in ('Succeeded', 'Failed')"}};
}

std::vector<ImportFormat> make_formats() {
  return {google2019(),
          alibaba2018_tasks(),
          alibaba2018_instances(),
          alibaba2018_containers(),
          alibaba2023(),
          swf(),
          openstack(),
          kubernetes()};
}

std::size_t fields_in_first_line(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next_bytes(line)) return 0;
  return 1 + static_cast<std::size_t>(std::ranges::count(line, ','));
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  static const std::vector<ImportFormat> formats = make_formats();
  return formats;
}

const ImportFormat& find_import_format(std::string_view name, const std::filesystem::path& file) {
  if (name == "azure-packing") {
    throw ConfigError(fmt::format(
        "--format azure-packing: the trace has no sizes, which are recovered first, and "
        "its own priority for spots; use cospot workload reconstruct {} -o FILE "
        "(docs/reconstruct.md)",
        file.string()));
  }
  std::vector<const ImportFormat*> found;
  std::vector<std::string_view> names;
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) found.push_back(&format);
    if (names.empty() || names.back() != format.name) names.push_back(format.name);
  }
  if (found.empty()) {
    throw ConfigError(fmt::format("--format: found '{}', expected one of: {}, azure-packing", name,
                                  fmt::join(names, ", ")));
  }
  if (found.size() == 1) return *found.front();
  const std::size_t fields = fields_in_first_line(file);
  std::string tables;
  for (const ImportFormat* format : found) {
    if (format->shape.columns.size() == fields) return *format;
    tables += fmt::format("\n  {}", format->summary);
  }
  throw ConfigError(
      fmt::format("{}:1: {} fields, expected one of the tables{}", file.string(), fields, tables));
}

const ImportFormat& plain_import_format() {
  static const ImportFormat format = [] {
    ImportFormat plain{.name = "", .summary = "any CSV with a header line"};
    for (const ImportTargetInfo& info : kImportTargetInfos) {
      // A column that happens to be called zone or group is asked for by nobody.
      if (!asks_beside_room(info.target)) plain.map.push_back({info.target, {info.name}});
    }
    return plain;
  }();
  return format;
}

}  // namespace cospot
