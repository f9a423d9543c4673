#include "sim_harness/data/workloads/azure2020_model.hpp"

#include "sim_harness/base/json/json.hpp"

// azure2020.json, which the build puts into the program (cospot_embed).
extern "C" {
extern const char kCospotAzure2020Begin[];
extern const char kCospotAzure2020End[];
}

namespace cospot {
namespace {

/// A table's row is a list of its members in order.
template <class... Members>
void read_row(const Json& row, Members&... members) {
  std::size_t place = 0;
  (row.at(place++).get_to(members), ...);
}

}  // namespace

static void from_json(const Json& row, ResourceVector& flavor) {
  read_row(row, flavor.vcpus, flavor.memory_mb);
}

namespace zone_model {

static void from_json(const Json& row, Knot& knot) { read_row(row, knot.share, knot.value); }

static void from_json(const Json& row, SizeStep& step) { read_row(row, step.share, step.requests); }

static void from_json(const Json& row, Cell& cell) {
  read_row(row, cell.cumulative, cell.flavor, cell.lifetime, cell.size);
}

static void from_json(const Json& row, TenantGroup& group) {
  read_row(row, group.cumulative, group.tenants);
}

static void from_json(const Json& json, Kind& kind) {
  json.at("cumulative").get_to(kind.cumulative);
  kind.instance_class = json.at("class") == "spot" ? InstanceClass::kSpot : InstanceClass::kVm;
  json.at("starts").get_to(kind.starts);
  json.at("cells").get_to(kind.cells);
}

static void from_json(const Json& json, ClassHabits& habits) {
  json.at("follow").get_to(habits.follow);
  json.at("early_tenants").get_to(habits.early_tenants);
  json.at("burst_share").get_to(habits.burst_share);
  json.at("bursts").get_to(habits.bursts);
  json.at("minutes").get_to(habits.minutes);
  json.at("tenants").get_to(habits.tenants);
  json.at("small_spread").get_to(habits.small_spread);
  json.at("large_repeat").get_to(habits.large_repeat);
  json.at("large_spread").get_to(habits.large_spread);
  json.at("tenant_spread").get_to(habits.tenant_spread);
}

}  // namespace zone_model

static void from_json(const Json& json, ZoneModel& model) {
  json.at("batches").get_to(model.batches);
  json.at("watched_days").get_to(model.watched_days);
  json.at("flavors").get_to(model.flavors);
  json.at("lifetimes").get_to(model.lifetimes);
  json.at("sizes").get_to(model.sizes);
  json.at("kinds").get_to(model.kinds);
  const Json& habits = json.at("habits");
  habits.at("vm").get_to(model.habits[static_cast<std::size_t>(InstanceClass::kVm)]);
  habits.at("spot").get_to(model.habits[static_cast<std::size_t>(InstanceClass::kSpot)]);
}

const ZoneModel& azure2020_model() {
  static const ZoneModel model =
      Json::parse(kCospotAzure2020Begin, kCospotAzure2020End).get<ZoneModel>();
  return model;
}

}  // namespace cospot
