#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

const std::string kPlacementsHeader =
    "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s,zone,extra_specs,group,"
    "group_policy,max_server_per_host\n";

Workload workload_of(const std::string& rows) {
  return parse_workload("# window_days: 15\n" + kPlacementsHeader + rows, "w.csv");
}

std::string fault_of(const std::string& row) {
  return error_text<WorkloadError>([&] { (void)workload_of(row); });
}

HostMix hosts_in(const std::string& rows) {
  return parse_hosts("name,vcpus,memory_mb,zone,metadata\n" + rows, "h.csv");
}

std::string check(const std::string& rows, const HostMix& hosts, std::optional<std::size_t> count) {
  const Workload workload = workload_of(rows);
  const EventSchedule schedule =
      make_schedule(workload, ScheduledClasses::kVmsAndSpots, hosts.isolated_tenants());
  return error_text<ConfigError>(
      [&] { require_possible_placements(workload, schedule, hosts, count); });
}

}  // namespace

TEST_CASE("parse_workload: what requests ask beside room comes back as it was written") {
  const std::string rows =
      "a,t,vm,1,1,0,0,5,az1,disk=ssd;cores=>= 4,,,\n"
      "b,t,vm,1,1,0,0,5,,,web,anti-affinity,2\n"
      "c,t,vm,1,1,0,0,5,,,,,\n"
      "d,t,spot,1,1,0,0,5,az1,disk=ssd;cores=>= 4,,,\n";
  const Workload workload = workload_of(rows);
  REQUIRE(workload.placements.asked.size() == 2);
  CHECK(workload.rows[0].placement == 1);
  CHECK(workload.rows[1].placement == 2);
  CHECK(workload.rows[2].placement == 0);
  CHECK(workload.rows[3].placement == 1);  // the same as the first
  CHECK(workload.placements.asked[0].rules.zone == "az1");
  CHECK(workload.placements.asked[0].rules.extra_specs[0].second == ">= 4");  // by key
  CHECK(workload.placements.groups[0] == ServerGroup{"web", GroupPolicy::kAntiAffinity, 2});
  const std::string written = format_workload(workload, WorkloadSchema::kCospot);
  CHECK(parse_workload(written, "again").rows == workload.rows);
  CHECK(parse_workload(written, "again").placements.asked == workload.placements.asked);
  CHECK(contains(error_text<WorkloadError>([&] {
                   (void)format_workload(workload_of("a,t,vm,1,1,0,0,5,az1,,,,\n"),
                                         WorkloadSchema::kSocc22);
                 }),
                 "socc22"));
}

TEST_CASE("parse_workload: says what is wrong with a wish") {
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,ssd,,,\n") ==
        "w.csv:3: extra_specs is 'ssd', expected key=value, several joined by ';'");
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,,g,close,\n") ==
        "w.csv:3: group_policy is 'close', expected affinity, anti-affinity, soft-affinity, "
        "soft-anti-affinity");
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,,,affinity,\n") ==
        "w.csv:3: group is empty, expected the id of a server group beside its policy");
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,,g,anti-affinity,-1\n") ==
        "w.csv:3: max_server_per_host is '-1', expected a whole number from 1");
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,,g,affinity,2\n") ==
        "w.csv:3: max_server_per_host is '2', expected none: it belongs to anti-affinity");
  CHECK(fault_of("a,t,vm,1,1,0,0,5,,,g,affinity,\nb,t,vm,1,1,0,0,5,,,g,soft-affinity,\n") ==
        "w.csv:4: the group 'g' has another policy than on a line before");
}

TEST_CASE("require_possible_placements: refuses what no host can give") {
  const HostMix two = hosts_in("c1,4,4,az1,disk=ssd\nc2,4,4,az2,\n");
  CHECK(check("a,t,vm,1,1,0,0,5,az1,disk=ssd,,,\n", two, 2).empty());
  CHECK(check("a,t,vm,1,1,0,0,5,az3,,,,\n", two, 2) ==
        "workload 'w.csv': request 'a' asks for the zone 'az3'; zones of the hosts: az1, az2");
  CHECK(contains(check("a,t,vm,1,1,0,0,5,az1,,,,\n", HostMix(4, 4), 2), "the hosts have no zones"));
  // The ssd is in the other zone.
  CHECK(contains(check("a,t,vm,1,1,0,0,5,az2,disk=ssd,,,\n", two, 2),
                 "no host may take request 'a' of the tenant 't', which asks for the zone 'az2' "
                 "and metadata 'disk=ssd'; expected"));
  CHECK(contains(check("a,t,vm,1,1,0,0,5,,,,,\n", hosts_in("c1,4,4,,filter_tenant_id=blue\n"), 1),
                 "no host may take request 'a' of the tenant 't'"));
}

TEST_CASE("require_possible_placements: refuses groups that are larger than the hosts") {
  const HostMix two = hosts_in("c1,4,4,,\nc2,4,4,,\n");
  const auto member = [](const std::string& id, const std::string& times,
                         const std::string& policy) {
    return id + ",t,vm,2,1,0," + times + ",,,g," + policy + "\n";
  };
  const std::string apart = "anti-affinity,";
  const std::string three = member("a", "0,9", apart) + member("b", "0,9", apart);
  CHECK(check(three + member("c", "9,20", apart), two, 2).empty());  // a and b have gone
  CHECK(check(three + member("c", "8,20", apart), two, 2) ==
        "workload 'w.csv': the group 'g' with anti-affinity has up to 3 members at a time, more "
        "than 2 hosts take (1 each)");
  CHECK(check(three + member("c", "8,20", apart), two, std::nullopt).empty());
  const std::string near = member("a", "0,9", "affinity,") + member("b", "0,9", "affinity,");
  CHECK(check(near, two, 2).empty());  // 4 vcpus together
  CHECK(contains(check(near + member("c", "8,20", "affinity,"), two, 2),
                 "the group 'g' with affinity asks for up to 6 vcpus, 3 memory_mb"));
}

TEST_CASE("Placements: knows where the members of a group are") {
  const Workload workload = workload_of(
      "a,t,vm,1,1,0,0,5,,,g,affinity,\n"
      "b,t,spot,1,1,0,0,5,,,g,affinity,\n"
      "c,t,vm,1,1,0,0,5,,,,,\n");
  const EventSchedule schedule = make_schedule(workload);
  Placements placements = schedule.make_placements();
  CHECK(placements.of(2) == nullptr);
  CHECK(placements.of(0)->members.empty());
  placements.placed(0, 7);
  placements.placed(1, 7);
  CHECK(placements.of(1)->members_on(7) == 2);
  placements.left(0, 7);
  CHECK(placements.of(1)->members_on(7) == 1);
}

}  // namespace cospot
