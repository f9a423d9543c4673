#include "sim_harness/provider/policies/policy_list.hpp"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "filters/registry.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

constexpr const char* kModelOption = "model";

/// Large enough for every weighted sum, small enough that none overflows.
constexpr double kMaxMultiplier = 1e12;

/// A policy as the file writes it, before it is known which kind it is.
struct PolicyText {
  std::string name;
  std::string label;
  std::optional<double> multiplier;
  PolicyOptions options;
};

enum class AllowMultiplier : bool { kNo, kYes };

PolicyText read_policy(const ConfigNode& node, std::string_view key, AllowMultiplier multiplier) {
  PolicyText policy;
  if (node.kind == ConfigNode::Kind::kScalar) {
    policy.name = read_text(node, key);
  } else if (node.kind == ConfigNode::Kind::kMapping) {
    policy.name = read_text(require_key(node, key, "name"), "name");
    for (const ConfigEntry& entry : node.entries) {
      if (entry.key == "name") continue;
      if (entry.key == "label") {
        policy.label = read_label(entry.value, "label");
      } else if (entry.key == "multiplier" && multiplier == AllowMultiplier::kYes) {
        policy.multiplier = read_number(entry.value, "multiplier", -kMaxMultiplier, kMaxMultiplier);
      } else {
        policy.options[entry.key] = read_option(entry.value, entry.key);
      }
    }
  } else {
    throw_bad_value(node, key, "a policy's name or a mapping with its name and options");
  }
  if (policy.label.empty()) policy.label = policy.name;
  return policy;
}

/// Reads policies of all kinds; knows how to find those that are in no registry.
class PolicyReader {
 public:
  explicit PolicyReader(PolicyLoader& loader) : loader_(&loader) {}

  [[nodiscard]] ChainSpec chain(const ConfigNode& node, std::string_view key) const {
    if (node.find("weighers") != nullptr) return weighted_sum(node, key);
    ChainSpec chain;
    chain.weighers.push_back(weigher(node, key, AllowMultiplier::kNo, chain.label));
    return chain;
  }

  [[nodiscard]] EvictorSpec evictor(const ConfigNode& node, std::string_view key,
                                    const std::filesystem::path& folder) const {
    PolicyText policy = read_policy(node, key, AllowMultiplier::kNo);
    EvictorSpec spec{.label = policy.label, .name = policy.name, .options = policy.options};
    make_once(node, key, [&] {
      if (has_policy_scheme(spec.name)) loader_->load(spec);
      make_shared_evictor(spec, folder);
    });
    return spec;
  }

 private:
  [[nodiscard]] WeigherSpec weigher(const ConfigNode& node, std::string_view key,
                                    AllowMultiplier multiplier, std::string& label) const {
    PolicyText policy = read_policy(node, key, multiplier);
    label = std::move(policy.label);
    WeigherSpec spec{.name = policy.name, .options = policy.options};
    make_once(node, key, [&] {
      if (has_policy_scheme(spec.name)) loader_->load(spec);
      const auto made = make_weigher(spec);
      spec.multiplier = policy.multiplier.value_or(made->default_multiplier());
    });
    return spec;
  }

  [[nodiscard]] FilterSpec filter(const ConfigNode& node, std::string& label) const {
    PolicyText policy = read_policy(node, "filters", AllowMultiplier::kNo);
    label = std::move(policy.label);
    FilterSpec spec{.name = policy.name, .options = policy.options};
    make_once(node, "filters", [&] {
      if (has_policy_scheme(spec.name)) loader_->load(spec);
      const PluginInfo* info = spec.make ? nullptr : find_info(filter_registry(), spec.name);
      if (info != nullptr && info->needs_economy_promise) {
        throw ConfigError("only the study levels makes the promise that " + spec.name +
                          " needs, and adds the filter by itself (its key promise)");
      }
      (void)make_filter(spec);
    });
    return spec;
  }

  [[nodiscard]] ChainSpec weighted_sum(const ConfigNode& node, std::string_view key) const {
    static constexpr std::array<std::string_view, 3> kKeys{"label", "filters", "weighers"};
    require_known_keys(node, key, kKeys);
    ChainSpec chain;
    std::string names;
    const auto add_name = [&names](const std::string& name) {
      names += (names.empty() ? "" : "+") + name;
    };
    std::string label;
    if (const ConfigNode* filters = node.find("filters")) {
      for (const ConfigNode* item : read_list(*filters, "filters")) {
        require_no_label(*item, "filters");
        chain.filters.push_back(filter(*item, label));
        add_name(label);
      }
    }
    for (const ConfigNode* item : read_list(*node.find("weighers"), "weighers")) {
      require_no_label(*item, "weighers");
      chain.weighers.push_back(weigher(*item, "weighers", AllowMultiplier::kYes, label));
      add_name(label);
    }
    const ConfigNode* given = node.find("label");
    chain.label = given == nullptr ? names : read_label(*given, "label");
    return chain;
  }

  static void require_no_label(const ConfigNode& item, std::string_view key) {
    if (item.find("label") == nullptr) return;
    throw_bad_value(item, key, "no label: a weighted sum has one label as a whole");
  }

  /// Loads and makes a policy, and drops it: its constructor says whether its options are valid.
  template <class Make>
  static void make_once(const ConfigNode& node, std::string_view key, const Make& make) {
    try {
      make();
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", key_place(node, key), error.what()));
    }
  }

  PolicyLoader* loader_;
};

template <class Spec, class ReadOne>
std::vector<Spec> read_policies(const ConfigNode& node, std::string_view key,
                                const ReadOne& read_one) {
  std::vector<Spec> specs;
  Labels labels;
  for (const ConfigNode* item : read_list(node, key)) {
    specs.push_back(read_one(*item));
    labels.add(specs.back().label, *item, key, "{name: ..., label: ...}");
  }
  return specs;
}

}  // namespace

std::vector<ChainSpec> read_chains(const ConfigNode& node, std::string_view key,
                                   PolicyLoader& loader) {
  const PolicyReader reader(loader);
  return read_policies<ChainSpec>(node, key,
                                  [&](const ConfigNode& item) { return reader.chain(item, key); });
}

std::vector<EvictorSpec> read_evictors(const ConfigNode& node, std::string_view key,
                                       const std::filesystem::path& folder, PolicyLoader& loader) {
  const PolicyReader reader(loader);
  return read_policies<EvictorSpec>(
      node, key, [&](const ConfigNode& item) { return reader.evictor(item, key, folder); });
}

ChainSpec load_chain(const std::string& weigher, PolicyLoader& loader) {
  WeigherSpec spec{.name = weigher};
  if (has_policy_scheme(weigher)) loader.load(spec);
  spec.multiplier = make_weigher(spec)->default_multiplier();
  return {.label = weigher, .weighers = {std::move(spec)}};
}

std::filesystem::path find_model(const std::string& written, const std::filesystem::path& folder) {
  const std::vector<ExpandedPath> found = expand_path(written, folder);
  if (found.size() == 1) return found.front().file;
  throw ConfigError(
      fmt::format("option 'model': '{}' matches {} files, expected one", written, found.size()));
}

void make_shared_evictor(EvictorSpec& spec, const std::filesystem::path& folder) {
  if (spec.make) {
    (void)make_evictor(spec);
    return;
  }
  EvictorSpec resolved = spec;
  const auto option = spec.options.find(kModelOption);
  if (option != spec.options.end()) {
    if (const auto* written = std::get_if<std::string>(&option->second)) {
      const std::filesystem::path model = find_model(*written, folder);
      resolved.options[kModelOption] = model.string();
      spec.made = make_evictor(resolved);  // before the digest: its errors say more
      spec.model_sha256 = sha256_hex(read_stored_file(model));
      return;
    }
  }
  spec.made = make_evictor(resolved);
}

}  // namespace cospot
