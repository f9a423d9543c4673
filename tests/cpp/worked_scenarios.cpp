#include "tests/cpp/worked_scenarios.hpp"

#include <cmath>

namespace cospot::worked {

SimTime day(double days) {
  return SimTime{std::llround(days * static_cast<double>(kDay / SimTime{1}))};
}

WorkloadRow vm(ResourceVector resources, SimTime start, SimTime end) {
  WorkloadRow row;
  row.resources = resources;
  row.start = start;
  row.end = end;
  return row;
}

WorkloadRow spot(ResourceVector resources, SimTime start, SimTime end) {
  WorkloadRow row = vm(resources, start, end);
  row.instance_class = InstanceClass::kSpot;
  return row;
}

Workload workload_of(std::vector<WorkloadRow> rows) {
  Workload workload;
  workload.name = "worked by hand";
  workload.rows = std::move(rows);
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    workload.rows[i].id = "i" + std::to_string(i);
    workload.rows[i].tenant = "t";
  }
  return workload;
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& part :
       {ranking_scenarios(), offer_scenarios(), eviction_scenarios(), event_scenarios()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace cospot::worked
