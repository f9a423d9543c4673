#include "sim_harness/studies/provider/provider_json.hpp"

#include <string_view>
#include <utility>
#include <variant>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

/// A policy as a study file has it: its name alone if it has nothing else.
Json policy_json(const std::string& name, const std::string& label, const PolicyOptions& options,
                 double multiplier = 1) {
  Json json{{"name", name}};
  if (label != name) json["label"] = label;
  if (multiplier != 1) json["multiplier"] = json_of(multiplier);
  for (const auto& [key, value] : options) json[key] = setting_json(value);
  return json.size() == 1 ? Json(name) : json;
}

Json weigher_json(const WeigherSpec& weigher) {
  return policy_json(weigher.name, weigher.name, weigher.options, weigher.multiplier);
}

Json filter_json(const FilterSpec& filter) {
  return policy_json(filter.name, filter.name, filter.options);
}

Json amounts_json(const ResourceVector& host) {
  return {{"vcpus", host.vcpus}, {"memory_mb", host.memory_mb}, {"disk_gb", host.disk_gb}};
}

Json kind_json(const HostKind& kind, const HostPlace& place) {
  Json metadata = Json::object();
  for (const auto& [key, values] : place.metadata) metadata[key] = values;
  Json json{{"type", kind.type}, {"count", kind.count}};
  json.update(amounts_json(kind.total));
  json["zone"] = place.zone;
  json["aggregates"] = place.aggregates;
  json["metadata"] = std::move(metadata);
  return json;
}

Json kinds_json(const HostMix& hosts) {
  return json_list_of(hosts.kinds(), [&](const HostKind& kind) {
    return kind_json(kind, hosts.places()[kind.place]);
  });
}

/// Without what it does not have.
Json host_entries(const Json& host) {
  Json entries = Json::object();
  for (const auto& [key, value] : host.items()) {
    const bool is_nothing = value.empty() || value == "" || (key == "disk_gb" && value == 0);
    if (!is_nothing) entries[key] = value;
  }
  return entries;
}

}  // namespace

Json setting_json(const PluginOptions::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_of(*number);
  return std::visit([](const auto& one) { return Json(one); }, value);
}

Json setting_json(const ChainSpec& chain) {
  const bool is_policy =
      chain.filters.empty() && chain.weighers.size() == 1 && chain.weighers[0].multiplier == 1;
  if (is_policy) return policy_json(chain.weighers[0].name, chain.label, chain.weighers[0].options);
  Json json{{"label", chain.label}};
  if (!chain.filters.empty()) json["filters"] = json_list_of(chain.filters, filter_json);
  json["weighers"] = json_list_of(chain.weighers, weigher_json);
  return json;
}

Json setting_json(const EvictorSpec& evictor) {
  return policy_json(evictor.name, evictor.label, evictor.options);
}

Json setting_json(const AllocatorSpec& allocator) {
  return {{"vm", allocator.vm.label},
          {"spot", allocator.spot.label},
          {"evictor", allocator.evictor.label},
          {"saf", allocator.saf},
          {"otn", setting_json(allocator.otn)}};
}

Json setting_json(const WorkloadSpec& workload) {
  const std::string& path = workload.path.empty() ? workload.label : workload.path;
  const auto& recipe = workload.synthetic;
  const bool is_import = !workload.import.empty();
  const bool has_label = recipe || is_import || workload.label != path;
  if (!has_label && !workload.window && !names_model(path)) return path;
  Json json = is_import ? parse_json(workload.import, "import") : Json::object();
  if (recipe) {
    json["synthetic"] = recipe->model;
    json["seed"] = recipe->seed;
    json["scale"] = json_of(recipe->scale);
    json["sampling"] = recipe->sampling == ZoneSampling::kBatched ? "batched" : "bernoulli";
  } else {
    if (!is_import) json["path"] = path;
    if (has_label) json["label"] = workload.label;
  }
  if (workload.window) json["window_days"] = Json::parse(window_days_text(*workload.window));
  if (recipe) json["label"] = workload.label;
  return json;
}

Json setting_json(const OfferRule& otn) {
  if (otn.kind() == OfferRule::Kind::kTopN) return otn.otn();
  return otn.label();
}

Json setting_json(const Headroom& size) {
  return size.percent ? json_of(*size.percent) : Json(size.hosts);
}

Json types_json(const HostMix& hosts, std::size_t count) {
  Json json = Json::object();
  for (const auto& [type, number] : types_of(hosts, count)) json[type] = number;
  return json;
}

Json host_json(const HostMix& hosts) {
  if (hosts.is_plain()) return host_entries(amounts_json(hosts.kinds().front().total));
  return json_list_of(kinds_json(hosts), host_entries);
}

Json full_host_json(const HostMix& hosts) {
  if (hosts.is_plain()) return amounts_json(hosts.kinds().front().total);
  Json json{{"types", kinds_json(hosts)}};
  if (!hosts.added_type().empty()) json["added_type"] = hosts.added_type();
  if (!hosts.named().empty()) json["names"] = names_json(hosts);
  return json;
}

Json names_json(const HostMix& hosts) {
  return json_list_of(hosts.named(), [](const NamedHost& host) {
    return Json::array({host.name, host.kind});
  });
}

std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated, SimTime in_force) {
  if (stated.has_value() || in_force != kDefaultWindow) return in_force;
  return std::nullopt;
}

}  // namespace cospot
