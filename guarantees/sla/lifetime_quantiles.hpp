#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// The number of instances of one size that still fit: per host, as many as its scarcest resource
/// allows. A size with no amount at all fits nowhere.
[[nodiscard]] inline std::int64_t slots_of(const ResourceVector& size, const ResourceVector& free) {
  std::int64_t slots = INT64_MAX;
  const auto limit = [&slots](ResourceAmount amount, ResourceAmount room) {
    if (amount <= 0) return;
    slots = std::min<std::int64_t>(slots, room <= 0 ? 0 : room / amount);
  };
  limit(size.vcpus, free.vcpus);
  limit(size.memory_mb, free.memory_mb);
  limit(size.disk_gb, free.disk_gb);
  return slots == INT64_MAX ? 0 : slots;
}

/// Groups of slot counts that share a distribution of lifetimes. Condition 0 is "no slot". With
/// width 0 every count is a condition of its own, as in the paper; with width w a condition spans
/// counts from n to n (1 + w), for hosts that have room for thousands.
class SlotConditions {
 public:
  explicit SlotConditions(double width = 0) : width_(width) {}

  [[nodiscard]] std::size_t of(std::int64_t slots) const;
  /// The least slot count above `slots` that has another condition.
  [[nodiscard]] std::int64_t next_after(std::int64_t slots) const;
  /// The least slot count of a condition.
  [[nodiscard]] double first_slots(std::size_t condition) const;
  [[nodiscard]] double width() const { return width_; }

 private:
  [[nodiscard]] std::int64_t exact_up_to() const;

  double width_;
};

/// The rule by which a quantile is read from a sample.
enum class QuantileKind : std::uint8_t {
  kLinear,  ///< between the two nearest order statistics (type 7, NumPy's default)
  kLower,   ///< the lower of the two
};

/// The `probability` quantile of `sorted`, which is not empty and sorted as far as that quantile
/// needs. Between a finite value and kNever it
/// is the finite one: nothing is promised that was not seen.
[[nodiscard]] SimTime quantile(std::span<const SimTime> sorted, double probability,
                               QuantileKind kind);

/// A lifetime that was seen, to its end or not.
struct SeenLifetime {
  SimTime lifetime{0};
  bool is_censored = false;  ///< it went on when it was last seen

  /// By length; of equal ones those that were seen to their end first.
  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend constexpr auto operator<=>(const SeenLifetime&, const SeenLifetime&) = default;
};

/// The lifetime at which Kaplan and Meier's survival curve falls to 1 - `probability`; `sorted` is
/// not empty. Where the curve stays above, the longest that was seen: nothing is promised beyond
/// it.
[[nodiscard]] SimTime survival_quantile(std::span<const SeenLifetime> sorted, double probability);

/// Kaplan and Meier's survival curve at an age.
struct SurvivalAt {
  double share = 1;       ///< that lives at least so long
  std::size_t known = 0;  ///< of how many it was seen whether they do
};

/// The curve of `sorted` at `age`. Beyond the longest that was seen it stays as it is there.
[[nodiscard]] SurvivalAt survival_at(std::span<const SeenLifetime> sorted, SimTime age);

/// The answer to a request to which nothing can be promised: "an impossible value".
inline constexpr SimTime kNoPromise{-1};

/// A time during which all starting points had the same condition: from the first to the last of
/// them.
struct ConditionSpell {
  SimTime first{0};
  SimTime last{0};
};

/// The greatest number of starts in `spells` (ascending) that lie at least `lifetime` apart, with a
/// lifetime to go before `now`: how often so long a lifetime was observed.
[[nodiscard]] std::uint64_t separate_starts(std::span<const ConditionSpell> spells,
                                            SimTime lifetime, SimTime now);

/// The least lifetime of a spot of some size with some probability, by the number of its size that
/// fit now. A plain value that a ForecastOwner makes anew at every refresh.
class LifetimeQuantiles {
  struct Less {
    bool operator()(const ResourceVector& a, const ResourceVector& b) const {
      if (a.vcpus != b.vcpus) return a.vcpus < b.vcpus;
      if (a.memory_mb != b.memory_mb) return a.memory_mb < b.memory_mb;
      return a.disk_gb < b.disk_gb;
    }
  };

 public:
  /// The observations of one size, by condition: most numbers of slots never occur.
  struct Table {
    std::vector<std::size_t> observed;            ///< conditions with enough samples, ascending
    std::vector<std::vector<SimTime>> quantiles;  ///< [probability][position in `observed`]
    std::vector<std::uint32_t> samples;           ///< [condition], as they were drawn
    /// For each age the shares that live at least so long: [age][position in `observed`].
    std::vector<std::vector<double>> survival{};
    /// The times of each observation, if they are kept: [position in `observed`].
    std::vector<std::vector<ConditionSpell>> spells{};
  };

  /// By size.
  using Tables = std::map<ResourceVector, Table, Less>;

  LifetimeQuantiles() = default;
  LifetimeQuantiles(std::vector<double> probabilities, SlotConditions conditions, SimTime made_at)
      : probabilities_(std::move(probabilities)), conditions_(conditions), made_at_(made_at) {}

  void set(const ResourceVector& size, Table table);

  /// False before the first refresh: nothing is known.
  [[nodiscard]] bool is_known() const { return !tables_.empty(); }

  /// The lifetime that all but `eviction_probability` of the spots of that size live at least, when
  /// `slots` of them fit; kNever: longer than was ever observed. kNoPromise: none can be promised,
  /// also for a size that is in no table.
  ///
  /// The quantile of a condition that was not observed lies on the straight line between its
  /// neighbours over the slot counts (over one missing count: their mean), and where kNever is one
  /// of these, it is the other; below the lowest the line starts at condition 0, which is
  /// kNoPromise; above the highest it stays. Source: Pucher et al., section III-C.
  ///
  /// Errors: ConfigError when quantiles of that probability were not made.
  [[nodiscard]] SimTime promised(const ResourceVector& size, std::int64_t slots,
                                 double eviction_probability) const;

  /// The share of the spots of that size that live at least `ages[age]` of the settings, when
  /// `slots` of them fit, between conditions as quantiles. Nothing: as kNoPromise above.
  [[nodiscard]] std::optional<double> survival(const ResourceVector& size, std::int64_t slots,
                                               std::size_t age) const;

  /// The longest lifetime that was observed `times` times, one after the other, from when `slots`
  /// of that size fitted; of a number of slots that was not observed, the shorter one of its
  /// observed neighbours. 0: none, or spells were not kept.
  [[nodiscard]] SimTime observed(const ResourceVector& size, std::int64_t slots,
                                 std::uint64_t times) const;

  [[nodiscard]] const std::vector<double>& probabilities() const { return probabilities_; }
  [[nodiscard]] const SlotConditions& conditions() const { return conditions_; }
  [[nodiscard]] SimTime made_at() const { return made_at_; }
  [[nodiscard]] const Table* table(const ResourceVector& size) const;
  /// For each probability the quantiles of all conditions from 0 to the highest that was observed.
  [[nodiscard]] std::vector<std::vector<SimTime>> by_condition(const Table& table) const;
  [[nodiscard]] const Tables& tables() const { return tables_; }

 private:
  std::vector<double> probabilities_;
  SlotConditions conditions_{};
  SimTime made_at_{0};
  Tables tables_;
};

}  // namespace cospot
