#include "sim_harness/studies/provider/request_sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>
#include <array>
#include <cmath>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/eucalyptus_trace.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {
namespace {

constexpr std::string_view kLognormal = "lognormal";
constexpr std::string_view kSame = "same";

Field<LognormalSpec> law_field(std::string_view key, Lognormal LognormalSpec::*law) {
  return {.key = key,
          .read =
              [law](const ConfigNode& value, std::string_view name, LognormalSpec& spec) {
                if (value.kind != ConfigNode::Kind::kList || value.items.size() != 2) {
                  throw_bad_value(value, name,
                                  "[mu, sigma] of the logarithm of seconds, mu from -20 to 20, "
                                  "sigma from 0 to 10");
                }
                spec.*law = {.mu = read_number(value.items[0], name, -20, 20),
                             .sigma = read_number(value.items[1], name, 0, 10)};
              },
          .write =
              [law](const LognormalSpec& spec) {
                return Json::array({json_of((spec.*law).mu), json_of((spec.*law).sigma)});
              }};
}

const Fields<LognormalSpec> kLognormalFields{
    law_field("interarrival", &LognormalSpec::interarrival),
    law_field("lifetime", &LognormalSpec::lifetime),
    number_field("days", &LognormalSpec::days, 1e-3, 10'000),
    number_field("vcpus", &LognormalSpec::vcpus, 1, kMaxResourceAmount)};

LognormalSpec read_lognormal_spec(const ConfigNode& node, std::string_view key) {
  constexpr double kMostRequests = 10e6;
  require_known_keys(node, key, kLognormalFields.keys({"synthetic"}, {"label"}));
  LognormalSpec spec;
  kLognormalFields.read(node, key, spec);
  const double mean =
      std::exp(spec.interarrival.mu + spec.interarrival.sigma * spec.interarrival.sigma / 2);
  if (spec.days * 86400 / mean > kMostRequests) {
    throw ConfigError(fmt::format("{}: this makes more than {} requests", key_place(node, key),
                                  static_cast<std::int64_t>(kMostRequests)));
  }
  return spec;
}

/// A generated source without its label.
RequestSource read_synthetic(const ConfigNode& node, std::string_view key) {
  const ConfigNode& model = require_key(node, key, "synthetic");
  const std::string name = read_text(model, "synthetic");
  RequestSource source{.label = name};
  if (name == kLognormal) {
    source.lognormal = read_lognormal_spec(node, key);
    return source;
  }
  std::vector<std::string_view> names{kLognormal};
  for (const StandIn& trace : stand_ins()) {
    if (trace.name == name) source.stand_in = &trace;
    names.push_back(trace.name);
  }
  if (source.stand_in == nullptr) {
    throw_bad_value(model, "synthetic", fmt::format("one of: {}", fmt::join(names, ", ")));
  }
  static constexpr std::array<std::string_view, 2> kKeys{"synthetic", "label"};
  require_known_keys(node, key, kKeys);
  return source;
}

std::vector<RequestSource> read_source(const ConfigNode& node, std::string_view key,
                                       const std::filesystem::path& folder) {
  if (node.kind == ConfigNode::Kind::kMapping) {
    if (node.find("synthetic") == nullptr) {
      throw_bad_value(node, key, "a file, or {synthetic: lognormal, ...}");
    }
    RequestSource source = read_synthetic(node, key);
    if (const ConfigNode* label = node.find("label")) source.label = read_label(*label, "label");
    return {source};
  }
  const std::string text = read_label(node, key);
  if (const auto* given = std::any_cast<WorkloadSpec>(&node.given)) {
    return {{.label = given->label, .file = text, .spec = *given, .unit = given->made_unit}};
  }
  if (key == "spot_workloads" && text == kSame) return {{.label = text, .is_same_file = true}};
  if (const WorkloadSpec spec = parse_workload_spec(text); spec.synthetic) {
    return {{.label = text, .file = text, .spec = spec, .unit = vcpus_unit_of(spec)}};
  }
  std::vector<RequestSource> sources;
  for (const ExpandedPath& path : read_paths(node, key, folder)) {
    sources.push_back(
        {.label = path.label,
         .file = path.file,
         .unit = is_eucalyptus_trace(path.file) ? VcpusUnit{} : read_vcpus_unit(path.file)});
  }
  return sources;
}

}  // namespace

Json setting_json(const RequestSource& source) {
  Json json = Json::object();
  if (source.stand_in != nullptr) json["synthetic"] = source.stand_in->name;
  if (const auto& spec = source.lognormal) {
    json["synthetic"] = kLognormal;
    kLognormalFields.write(*spec, json);
  }
  if (json.empty()) return source.label;
  json["label"] = source.label;
  return json;
}

AxisValue axis_value(const RequestSource& source) {
  return {source.label, source.label, flow_yaml(setting_json(source))};
}

std::vector<RequestSource> read_sources(const ConfigNode& node, std::string_view key,
                                        const std::filesystem::path& folder) {
  std::vector<RequestSource> sources;
  Labels labels;
  for (const ConfigNode* item : read_list(node, key)) {
    for (RequestSource& source : read_source(*item, key, folder)) {
      labels.add(source.label, *item, key);
      sources.push_back(std::move(source));
    }
  }
  return sources;
}

RequestStore::RequestStore(const std::vector<std::vector<RequestSource>>& sources) {
  for (const std::vector<RequestSource>& list : sources) {
    for (const RequestSource& source : list) {
      if (!source.file.empty()) add(source);
    }
  }
}

void RequestStore::add(const RequestSource& source) {
  const auto is_it = [&](const auto& entry) { return entry.first == source.file; };
  if (std::ranges::none_of(files_, is_it)) {
    Workload workload = source.spec                        ? load_workload(*source.spec)
                        : is_eucalyptus_trace(source.file) ? read_eucalyptus_trace(source.file)
                                                           : read_workload(source.file);
    workload.name = source.label;
    files_.emplace_back(source.file, std::move(workload));
  }
  if (std::ranges::find(records_, source.label, &InputRecord::label) != records_.end()) return;
  records_.push_back({.label = source.label,
                      .sha256 = file(source.file).sha256,
                      .name = source.label,
                      .vcpus_unit = vcpus_unit_text(source.unit)});
}

const Workload& RequestStore::file(const std::filesystem::path& path) const {
  return std::ranges::find_if(files_, [&](const auto& entry) { return entry.first == path; })
      ->second;
}

bool RequestStore::has_placements() const {
  return std::ranges::any_of(files_,
                             [](const auto& entry) { return !entry.second.placements.empty(); });
}

bool RequestStore::lacks_spots(const RequestSource& source) const {
  return !source.file.empty() &&
         std::ranges::none_of(file(source.file).rows, &WorkloadRow::is_spot);
}

Requests RequestStore::requests(const RequestSource& source, InstanceClass instance_class,
                                std::uint64_t seed) const {
  Workload generated;
  if (source.lognormal) generated = generate_lognormal(*source.lognormal, seed);
  if (source.stand_in != nullptr) generated = generate_stand_in(*source.stand_in, seed);
  const Workload& workload = source.file.empty() ? generated : file(source.file);
  const auto is_wanted = [&](const WorkloadRow& row) {
    return row.instance_class == instance_class;
  };
  Requests requests{.rows = {},
                    .end = workload.window,
                    .placements = workload.placements,
                    .are_all_rows = std::ranges::none_of(workload.rows, is_wanted)};
  for (const WorkloadRow& row : workload.rows) {
    if (!requests.are_all_rows && !is_wanted(row)) continue;
    requests.rows.push_back(row);
    requests.rows.back().instance_class = instance_class;
  }
  return requests;
}

}  // namespace cospot
