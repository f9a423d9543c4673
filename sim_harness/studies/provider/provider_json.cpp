#include "sim_harness/studies/provider/provider_json.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string_view>
#include <variant>

#include "sim_harness/workloads/window.hpp"

namespace cospot {
namespace {

std::string option_json(const PluginOptions::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return fmt::format("{}", std::get<double>(value));
}

std::string json_options(const PolicyOptions& options) {
  std::vector<std::string> items;
  for (const auto& [key, value] : options)
    items.push_back(json_text(key) + ":" + option_json(value));
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

std::string json_weigher(const WeigherSpec& weigher) {
  return fmt::format("{{\"name\":{},\"multiplier\":{},\"options\":{}}}", json_text(weigher.name),
                     weigher.multiplier, json_options(weigher.options));
}

std::string json_filter(const FilterSpec& filter) {
  return fmt::format("{{\"name\":{},\"options\":{}}}", json_text(filter.name),
                     json_options(filter.options));
}

}  // namespace

std::string chain_json(const ChainSpec& chain) {
  const std::string filters =
      chain.filters.empty() ? ""
                            : fmt::format("\"filters\":{},", list_of(chain.filters, json_filter));
  return fmt::format("{{\"label\":{},{}\"weighers\":{}}}", json_text(chain.label), filters,
                     list_of(chain.weighers, json_weigher));
}

std::string evictor_json(const EvictorSpec& evictor) {
  const std::string model =
      evictor.model_sha256.empty()
          ? ""
          : fmt::format(",\"model_sha256\":{}", json_text(evictor.model_sha256));
  return fmt::format("{{\"label\":{},\"name\":{},\"options\":{}{}}}", json_text(evictor.label),
                     json_text(evictor.name), json_options(evictor.options), model);
}

std::string workload_json(const WorkloadSpec& workload) {
  std::string window =
      workload.window ? ",\"window_days\":" + window_days_text(*workload.window) : "";
  if (workload.recorded_unit != VcpusUnit{}) {
    window += ",\"vcpus_unit\":" + json_text(vcpus_unit_text(workload.recorded_unit));
  }
  if (!workload.synthetic) {
    return fmt::format("{{\"label\":{}{}}}", json_text(workload.label), window);
  }
  const SyntheticSpec& recipe = *workload.synthetic;
  return fmt::format("{{\"label\":{},\"synthetic\":{},\"seed\":{},\"scale\":{},\"sampling\":{}{}}}",
                     json_text(workload.label), json_text(recipe.model), recipe.seed, recipe.scale,
                     recipe.sampling == ZoneSampling::kBatched ? "\"batched\"" : "\"bernoulli\"",
                     window);
}

std::string host_json(const ResourceVector& host) {
  return fmt::format("{{\"vcpus\":{},\"memory_mb\":{},\"disk_gb\":{}}}", host.vcpus, host.memory_mb,
                     host.disk_gb);
}

std::string types_json(const HostMix& hosts, std::size_t count) {
  JsonObject json;
  for (const auto& [type, number] : types_of(hosts, count)) json.add(type, std::to_string(number));
  return json.text();
}

std::string host_json(const HostMix& hosts) {
  if (hosts.is_plain()) return host_json(hosts.kinds().front().total);
  const auto kind_json = [&](const HostKind& kind) {
    const HostPlace& place = hosts.places()[kind.place];
    JsonObject metadata;
    for (const auto& [key, values] : place.metadata) {
      metadata.add(key, list_of(values, json_text));
    }
    return JsonObject()
        .add("type", json_text(kind.type))
        .add("count", std::to_string(kind.count))
        .add("vcpus", std::to_string(kind.total.vcpus))
        .add("memory_mb", std::to_string(kind.total.memory_mb))
        .add("disk_gb", std::to_string(kind.total.disk_gb))
        .add("zone", json_text(place.zone))
        .add("aggregates", list_of(place.aggregates, json_text))
        .add("metadata", metadata.text())
        .text();
  };
  JsonObject json;
  json.add("types", list_of(hosts.kinds(), kind_json));
  if (!hosts.added_type().empty()) json.add("added_type", json_text(hosts.added_type()));
  if (!hosts.named().empty()) {
    json.add("names", list_of(hosts.named(), [](const NamedHost& host) {
               return fmt::format("[{},{}]", json_text(host.name), host.kind);
             }));
  }
  return json.text();
}

std::string size_json(const Headroom& size) {
  JsonObject json;
  if (!size.percent) return json.add("hosts", std::to_string(size.hosts)).text();
  return json.add("headroom_percent", json_number(*size.percent))
      .add_if(size.of == HeadroomOf::kEachPolicy, "headroom_of", json_text("each_policy"))
      .text();
}

std::string otn_json(const OfferRule& otn) {
  return otn.kind() == OfferRule::Kind::kTopN ? otn.label() : json_text(otn.label());
}

std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated, SimTime in_force) {
  if (stated.has_value() || in_force != kDefaultWindow) return in_force;
  return std::nullopt;
}

}  // namespace cospot
