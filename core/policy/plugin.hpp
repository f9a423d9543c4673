#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cospot {

/// The knowledge of lifetimes that a policy needs.
enum class KnownLifetimes : std::uint8_t {
  kNone,       ///< nothing
  kSurvival,   ///< what a model expects by a spot's size and age, which any cloud tells
  kPredicted,  ///< what a model expects by what is known of a workload's spots
  kTrue,       ///< when spots will really end, which nobody knows in production
};

/// The choice of `cospot tune` that has a policy among its candidates by default.
enum class TuneChoice : std::uint8_t { kNone, kVm, kSpot, kEvictor };

/// Properties and needs of a policy. Code that treats policies differently goes by these, never by
/// their names.
struct PluginInfo {
  std::string_view name;     ///< as in sweep files; the paper's or Nova's own
  std::string_view summary;  ///< one line
  std::string_view source;   ///< paper and section, or Nova module
  KnownLifetimes lifetimes = KnownLifetimes::kNone;
  TuneChoice tune_choice = TuneChoice::kNone;
  /// It reads Forecasts::lifetimes, which somebody has to make for it.
  bool needs_lifetime_forecast = false;
  /// It reads Forecasts::revocations, which somebody has to make for it.
  bool needs_revocation_forecast = false;
  /// It reads Forecasts::economy, which only the study `levels` makes.
  bool needs_economy_promise = false;

  /// True if its revenue is an upper bound, because no datacenter can deploy it.
  [[nodiscard]] constexpr bool needs_true_lifetimes() const {
    return lifetimes == KnownLifetimes::kTrue;
  }
  [[nodiscard]] constexpr bool needs_lifetime_model() const {
    return lifetimes == KnownLifetimes::kPredicted || lifetimes == KnownLifetimes::kSurvival;
  }
  [[nodiscard]] constexpr bool needs_lifetimes() const {
    return lifetimes != KnownLifetimes::kNone;
  }
  /// Nova tells what a host holds and since when, not how long it will, nor what its customer did
  /// before.
  [[nodiscard]] constexpr bool is_for_nova() const {
    return (!needs_lifetimes() || lifetimes == KnownLifetimes::kSurvival) &&
           !needs_lifetime_forecast && !needs_revocation_forecast && !needs_economy_promise;
  }
};

/// The mark of a policy that needs true lifetimes, wherever it appears.
inline constexpr std::string_view kKnowsLifetimes = "knows lifetimes";

/// The settings of one policy, read by its constructor with a type and a default.
///
/// Errors: ConfigError names the policy, the key, what was expected and what was found.
class PluginOptions {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  PluginOptions() = default;
  explicit PluginOptions(std::string policy_name, std::map<std::string, Value> values = {})
      : policy_name_(std::move(policy_name)), values_(std::move(values)) {}

  [[nodiscard]] bool read_bool(const std::string& key, bool fallback) const;
  [[nodiscard]] double read_number(const std::string& key, double fallback) const;
  [[nodiscard]] std::string read_string(const std::string& key, const std::string& fallback) const;

  /// Throws ConfigError when a key was given that no read has asked for. Call it last.
  void reject_unknown() const;

 private:
  [[nodiscard]] const Value* find(const std::string& key) const;

  std::string policy_name_;
  std::map<std::string, Value> values_;
  mutable std::vector<std::string> known_keys_;
};

/// One row of a registry: what the policy is and how to make it.
template <class Plugin>
struct RegistryEntry {
  PluginInfo info;
  std::unique_ptr<Plugin> (*make)(const PluginOptions&);
};

/// Makes a `T`. A policy that takes long to compile declares this `extern` and has a .cpp of its
/// own.
template <class Plugin, class T>
[[nodiscard]] std::unique_ptr<Plugin> make_plugin(const PluginOptions& options) {
  return std::make_unique<T>(options);
}

/// The registry row of `T`, which has `static constexpr PluginInfo kInfo` and a constructor from
/// PluginOptions.
template <class Plugin, class T>
[[nodiscard]] constexpr RegistryEntry<Plugin> registry_entry() {
  return {T::kInfo, &make_plugin<Plugin, T>};
}

/// The registry's description of the policy called `name`; nullptr if it has none of that name (a
/// policy in Python or of Nova is in no registry).
template <class Plugin>
[[nodiscard]] const PluginInfo* find_info(std::span<const RegistryEntry<Plugin>> registry,
                                          std::string_view name) {
  for (const RegistryEntry<Plugin>& entry : registry) {
    if (entry.info.name == name) return &entry.info;
  }
  return nullptr;
}

/// The names of the policies whose info `is_wanted`, in the registry's order.
template <class Plugin, class IsWanted>
[[nodiscard]] std::vector<std::string> names_where(std::span<const RegistryEntry<Plugin>> registry,
                                                   const IsWanted& is_wanted) {
  std::vector<std::string> names;
  for (const RegistryEntry<Plugin>& entry : registry) {
    if (is_wanted(entry.info)) names.emplace_back(entry.info.name);
  }
  return names;
}

/// Throws ConfigError: "unknown <kind> 'name'; valid names: a, b, c".
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name,
                                     std::span<const std::string_view> valid_names);

/// Makes the policy called `name` from `registry`, or throws ConfigError with the valid names.
template <class Plugin>
[[nodiscard]] std::unique_ptr<Plugin> make_plugin(
    std::span<const RegistryEntry<Plugin>> registry, std::string_view kind, std::string_view name,
    std::map<std::string, PluginOptions::Value> values) {
  std::vector<std::string_view> names;
  for (const RegistryEntry<Plugin>& entry : registry) {
    if (entry.info.name == name) {
      return entry.make(PluginOptions(std::string(name), std::move(values)));
    }
    names.push_back(entry.info.name);
  }
  throw_unknown_name(kind, name, names);
}

}  // namespace cospot
