#include "sim_harness/studies/provider/provider_keys.hpp"

#include <fmt/format.h>

#include <array>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/data/imports/workload_list.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

namespace cospot {
namespace {

/// The values of `otn` other than numbers, for errors.
constexpr std::string_view kOtherOffers =
    ", or an offer such as epsilon-0.05 (docs/sweep-file.md#offers)";

const Fields<OfferRule::Schedule>& schedule_fields() {
  using Schedule = OfferRule::Schedule;
  constexpr auto kMost = static_cast<std::int64_t>(OfferRule::kMaxOtn);
  static const Fields<Schedule> fields{
      required(number_field("at_low_load", &Schedule::at_low_load, 1, kMost)),
      required(number_field("at_high_load", &Schedule::at_high_load, 1, kMost)),
      required(number_field("from", &Schedule::from, 0, 1)),
      required(number_field("to", &Schedule::to, 0, 1))};
  return fields;
}

/// Makes a rule; its errors get the place and the key.
template <class Make>
OfferRule make_rule(const ConfigNode& node, const Make& make) {
  try {
    return make();
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", key_place(node, "otn"), error.what()));
  }
}

OfferRule read_rule_mapping(const ConfigNode& node) {
  static constexpr std::array<std::string_view, 2> kKeys{"adaptive", "epsilon"};
  require_known_keys(node, "otn", kKeys);
  if (node.entries.size() != 1) throw_bad_value(node, "otn", "one of the keys adaptive, epsilon");
  if (const ConfigNode* adaptive = node.find("adaptive")) {
    const OfferRule::Schedule schedule =
        schedule_fields().read_all(*adaptive, "otn.adaptive", "otn.adaptive.");
    return make_rule(*adaptive, [&] { return OfferRule::adaptive(schedule); });
  }
  const ConfigNode& value = require_key(node, "otn", "epsilon");
  const double epsilon = read_number(value, "otn.epsilon", 0, 1);
  return make_rule(value, [&] { return OfferRule::within(epsilon); });
}

}  // namespace

std::vector<WorkloadSpec> read_windowed_workloads(const StudyFile& file) {
  std::vector<WorkloadSpec> workloads =
      file.workload ? std::vector{*file.workload}
                    : read_workloads(require_key(file.root, "study", "workloads"), file.folder);
  if (const ConfigNode* days = file.root.find("window_days")) {
    const SimTime stated = read_window_days(*days);
    for (WorkloadSpec& spec : workloads) spec.window = spec.window.value_or(stated);
  }
  if (file.window) {
    for (WorkloadSpec& spec : workloads) spec.window = file.window;
  }
  return workloads;
}

namespace {

HeadroomOf read_headroom_of(const ConfigNode& root) {
  const ConfigNode* of = root.find("headroom_of");
  return of != nullptr && of->text == kEachPolicy ? HeadroomOf::kEachPolicy : HeadroomOf::kFewest;
}

}  // namespace

std::vector<ChainSpec> read_headroom_policies(const ConfigNode& root, PolicyLoader& loader) {
  const ConfigNode* of = root.find("headroom_of");
  if (of == nullptr || of->text == "study" || of->text == kEachPolicy) return {};
  if (of->kind != ConfigNode::Kind::kList) {
    throw_bad_value(*of, "headroom_of", "study, each_policy or a list of VM policies, [UTIL, COS]");
  }
  return read_chains(*of, "headroom_of", loader);
}

std::vector<Headroom> read_sizes(const ConfigNode& root, const HostMix& mix) {
  const HeadroomOf of = read_headroom_of(root);
  const ConfigNode* percent = root.find("headroom_percent");
  const ConfigNode* hosts = root.find("hosts");
  if (percent != nullptr && hosts != nullptr) {
    throw ConfigError(key_place(*hosts, "hosts") + ": headroom_percent is set too (" +
                      percent->where + "); expected one of the two");
  }
  std::vector<Headroom> sizes;
  if (percent != nullptr) {
    for (const double value : read_distinct(*percent, "headroom_percent", [](const auto& item) {
           return read_number(item, "headroom_percent", 0, kMaxHeadroomPercent);
         })) {
      sizes.push_back({.percent = value, .of = of});
    }
  } else if (hosts != nullptr) {
    for (const std::int64_t value : read_distinct(*hosts, "hosts", [](const auto& item) {
           return read_integer(item, "hosts", 1, std::int64_t{kMaxHosts});
         })) {
      sizes.push_back({.percent = std::nullopt, .hosts = static_cast<std::size_t>(value)});
      if (sizes.back().hosts >= mix.least_hosts()) continue;
      throw ConfigError(key_place(*hosts, "hosts") + ": found " + std::to_string(value) +
                        ", expected at least the " + std::to_string(mix.declared()) +
                        " that 'host' names: only hosts of the type " + mix.added_type() +
                        " are added");
    }
  } else if (!mix.is_plain()) {
    sizes.push_back({.percent = std::nullopt, .hosts = mix.declared()});
  } else {
    throw ConfigError(key_place(root, "study") + ": missing key 'headroom_percent' (or 'hosts')");
  }
  return sizes;
}

OfferRule read_offer(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kMapping) return read_rule_mapping(node);
  if (node.text.starts_with("adaptive") || node.text.starts_with("epsilon")) {
    return make_rule(node, [&] { return OfferRule::parse(node.text); });
  }
  return static_cast<std::size_t>(
      read_integer(node, "otn", 1, static_cast<std::int64_t>(OfferRule::kMaxOtn), kOtherOffers));
}

std::vector<bool> read_safs(const ConfigNode& root, bool if_missing) {
  const ConfigNode* saf = root.find("saf");
  if (saf == nullptr) return {if_missing};
  return read_distinct(*saf, "saf", [](const ConfigNode& item) { return read_bool(item, "saf"); });
}

std::vector<OfferRule> read_offers(const ConfigNode& root) {
  const ConfigNode* otn = root.find("otn");
  if (otn == nullptr) return {OfferRule(1)};
  return read_distinct(*otn, "otn", read_offer);
}

}  // namespace cospot
