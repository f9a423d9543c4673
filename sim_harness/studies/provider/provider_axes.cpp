#include "sim_harness/studies/provider/provider_axes.hpp"

#include <utility>

#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/provider/forecasts/true_lifetimes.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {

using P = ProviderSettings;

const Axis<P, WorkloadSpec> kWorkloadAxis{
    .name = "workload",
    .meaning = "its label, as the study file writes it",
    .values = &P::workloads,
    .read_all = [](const StudyFile& file, const P&) { return read_windowed_workloads(file); },
    .keys = {"workloads", "window_days"}};

const Axis<P, Headroom> kSizeAxis{
    .name = "headroom_percent",
    .unit = "%",
    .meaning = "hosts beyond the size that fits the VMs; empty when the study gives `hosts`",
    .values = &P::sizes,
    .read_all = [](const StudyFile& file,
                   const P& settings) { return read_sizes(file.root, settings.host); },
    .keys = {"headroom_percent", "hosts"},
    .may_be_null = true,
    .key_of =
        [](const P& settings) {
          return settings.sizes.front().percent ? "headroom_percent" : "hosts";
        }};

const Axis<P, ChainSpec> kVmAxis{
    .name = "vm",
    .meaning = "label of the VM policy",
    .values = &P::vm,
    .read_all = [](const StudyFile& file, const P&) { return read_chains_of(file, "vm"); }};

const Axis<P, ChainSpec> kSpotAxis{
    .name = "spot",
    .meaning = "label of the spot policy",
    .values = &P::spot,
    .read_all = [](const StudyFile& file, const P&) { return read_chains_of(file, "spot"); }};

const Axis<P, EvictorSpec> kEvictorAxis{.name = "evictor",
                                        .meaning = "label of the evictor",
                                        .values = &P::evictors,
                                        .read_all = [](const StudyFile& file, const P&) {
                                          return read_evictors(
                                              require_key(file.root, "study", "evictor"), "evictor",
                                              file.folder, *file.policies);
                                        }};

const Axis<P, bool> kSafAxis{
    .name = "saf",
    .unit = "0 or 1",
    .meaning = "spot-avoiding filter on",
    .values = &P::saf,
    .read_all = [](const StudyFile& file, const P&) { return read_safs(file.root, false); }};

const Axis<P, OfferRule> kOtnAxis{
    .name = "otn",
    .unit = "hosts",
    .meaning =
        "how many hosts the VM chain offers; or the label of another offer, "
        "`epsilon-0.05`, `adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1`",
    .values = &P::otn,
    .read_all = [](const StudyFile& file, const P&) { return read_offers(file.root); }};

AxisValue axis_value(const WorkloadSpec& workload) {
  const Json json = setting_json(workload);
  // Names need not be UTF-8; results have U+FFFD where such a byte stands.
  return {workload.label, workload.label, flow_yaml(Json::parse(compact_json(json)))};
}

AxisValue axis_value(const Headroom& size) {
  if (size.percent) return axis_value(*size.percent);
  AxisValue hosts = axis_value(static_cast<std::int64_t>(size.hosts));
  hosts.value = Value();  // of the axis of headrooms
  return hosts;
}

AxisValue axis_value(const ChainSpec& chain) {
  return {chain.label, chain.label, flow_yaml(setting_json(chain)), needs_true_lifetimes(chain)};
}

AxisValue axis_value(const EvictorSpec& evictor) {
  return {evictor.label, evictor.label, flow_yaml(setting_json(evictor)),
          needs_true_lifetimes(evictor)};
}

AxisValue axis_value(const OfferRule& offer) {
  if (offer.kind() == OfferRule::Kind::kTopN) {
    return axis_value(static_cast<std::int64_t>(offer.otn()));
  }
  return axis_value(offer.label());
}

std::vector<ChainSpec> read_chains_of(const StudyFile& file, std::string_view key) {
  return read_chains(require_key(file.root, "study", key), key, *file.policies);
}

const Setting<P>& host_setting() {
  static const Setting<P> made{
      .keys = {"host", "added_type"},
      .read = [](const StudyFile& file,
                 P& settings) { settings.host = read_hosts(file.root, file.folder); },
      .write =
          [](const P& settings, Json& configuration) {
            configuration["host"] = host_json(settings.host);
            const std::string& added = settings.host.added_type();
            if (!added.empty()) configuration["added_type"] = added;
          }};
  return made;
}

const Setting<P>& headroom_of_setting() {
  static const Setting<P> made{
      .keys = {"headroom_of"},
      .read =
          [](const StudyFile& file, P& settings) {
            settings.headroom_of = read_headroom_policies(file.root, *file.policies);
          },
      .write =
          [](const P& settings, Json& configuration) {
            if (settings.sizes.front().of == HeadroomOf::kEachPolicy) {
              configuration["headroom_of"] = kEachPolicy;
            } else if (!settings.headroom_of.empty()) {
              configuration["headroom_of"] = json_list_of(
                  settings.headroom_of, [](const ChainSpec& chain) { return setting_json(chain); });
            }
          }};
  return made;
}

const SettingTable<P>& provider_table() {
  static const SettingTable<P> table(
      "study", {kWorkloadAxis, host_setting(), kSizeAxis, headroom_of_setting(), kVmAxis, kSpotAxis,
                kEvictorAxis, kSafAxis, kOtnAxis});
  return table;
}

AllocatorSpec allocator_at(const GridPoint<P>& at) {
  return {.vm = at.get(kVmAxis),
          .spot = at.get(kSpotAxis),
          .evictor = at.get(kEvictorAxis),
          .saf = at.get(kSafAxis),
          .otn = at.get(kOtnAxis)};
}

RunSettings run_settings_at(const GridPoint<P>& at, std::size_t hosts) {
  return {allocator_at(at), at.settings().host, hosts};
}

std::string run_json(const GridPoint<P>& at, std::size_t hosts) {
  const AllocatorSpec of = allocator_at(at);
  WorkloadSpec workload = at.get(kWorkloadAxis);
  workload.path.clear();  // a run is the same wherever a worker has its copy
  ProviderSettings run{.workloads = {workload},
                       .host = at.settings().host,
                       .sizes = {{.percent = {}, .hosts = hosts}},
                       .vm = {of.vm},
                       .spot = {of.spot},
                       .evictors = {of.evictor},
                       .saf = {of.saf},
                       .otn = {of.otn}};
  Json json = provider_table().json(run);
  for (auto& [key, value] : json.items()) {
    if (value.is_array() && value.size() == 1 && key != "host") value = Json(value.front());
  }
  return compact_json(json);
}

}  // namespace cospot
