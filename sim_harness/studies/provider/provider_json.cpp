#include "sim_harness/studies/provider/provider_json.hpp"

#include <string_view>
#include <variant>

#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

Json options_json(const PolicyOptions& options) {
  Json json = Json::object();
  for (const auto& [key, value] : options) json[key] = setting_json(value);
  return json;
}

Json weigher_json(const WeigherSpec& weigher) {
  return {{"name", weigher.name},
          {"multiplier", json_of(weigher.multiplier)},
          {"options", options_json(weigher.options)}};
}

Json filter_json(const FilterSpec& filter) {
  return {{"name", filter.name}, {"options", options_json(filter.options)}};
}

Json kind_json(const HostKind& kind, const HostPlace& place) {
  Json metadata = Json::object();
  for (const auto& [key, values] : place.metadata) metadata[key] = values;
  Json json{{"type", kind.type}, {"count", kind.count}};
  json.update(host_json(kind.total));
  json["zone"] = place.zone;
  json["aggregates"] = place.aggregates;
  json["metadata"] = std::move(metadata);
  return json;
}

}  // namespace

Json setting_json(const PluginOptions::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_of(*number);
  return std::visit([](const auto& one) { return Json(one); }, value);
}

Json setting_json(const ChainSpec& chain) {
  Json json{{"label", chain.label}};
  if (!chain.filters.empty()) json["filters"] = json_list_of(chain.filters, filter_json);
  json["weighers"] = json_list_of(chain.weighers, weigher_json);
  return json;
}

Json setting_json(const EvictorSpec& evictor) {
  Json json{
      {"label", evictor.label}, {"name", evictor.name}, {"options", options_json(evictor.options)}};
  if (!evictor.model_sha256.empty()) json["model_sha256"] = evictor.model_sha256;
  return json;
}

Json setting_json(const AllocatorSpec& allocator) {
  return {{"vm", allocator.vm.label},
          {"spot", allocator.spot.label},
          {"evictor", allocator.evictor.label},
          {"saf", allocator.saf},
          {"otn", setting_json(allocator.otn)}};
}

Json setting_json(const WorkloadSpec& workload) {
  Json json{{"label", workload.label}};
  if (const auto& recipe = workload.synthetic) {
    json["synthetic"] = recipe->model;
    json["seed"] = recipe->seed;
    json["scale"] = json_of(recipe->scale);
    json["sampling"] = recipe->sampling == ZoneSampling::kBatched ? "batched" : "bernoulli";
  }
  if (workload.window) json["window_days"] = Json::parse(window_days_text(*workload.window));
  if (workload.recorded_unit != VcpusUnit{}) {
    json["vcpus_unit"] = vcpus_unit_text(workload.recorded_unit);
  }
  return json;
}

Json setting_json(const OfferRule& otn) {
  if (otn.kind() == OfferRule::Kind::kTopN) return otn.otn();
  return otn.label();
}

Json setting_json(const Headroom& size) {
  if (!size.percent) return {{"hosts", size.hosts}};
  Json json{{"headroom_percent", json_of(*size.percent)}};
  if (size.of == HeadroomOf::kEachPolicy) json["headroom_of"] = "each_policy";
  return json;
}

Json host_json(const ResourceVector& host) {
  return {{"vcpus", host.vcpus}, {"memory_mb", host.memory_mb}, {"disk_gb", host.disk_gb}};
}

Json types_json(const HostMix& hosts, std::size_t count) {
  Json json = Json::object();
  for (const auto& [type, number] : types_of(hosts, count)) json[type] = number;
  return json;
}

Json host_json(const HostMix& hosts) {
  if (hosts.is_plain()) return host_json(hosts.kinds().front().total);
  Json json;
  json["types"] = json_list_of(hosts.kinds(), [&](const HostKind& kind) {
    return kind_json(kind, hosts.places()[kind.place]);
  });
  if (!hosts.added_type().empty()) json["added_type"] = hosts.added_type();
  if (!hosts.named().empty()) {
    json["names"] = json_list_of(hosts.named(), [](const NamedHost& host) {
      return Json::array({host.name, host.kind});
    });
  }
  return json;
}

std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated, SimTime in_force) {
  if (stated.has_value() || in_force != kDefaultWindow) return in_force;
  return std::nullopt;
}

}  // namespace cospot
