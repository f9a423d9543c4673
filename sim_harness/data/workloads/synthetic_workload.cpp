#include "sim_harness/data/workloads/synthetic_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/data/workloads/azure2020_model.hpp"

namespace cospot {
namespace {

using namespace zone_model;

/// Raise it with every change of the tables or of the order of draws: it is part of the digest.
constexpr int kModelVersion = 1;

constexpr double kSmallestScale = 0.0001;
constexpr std::uint32_t kLargeBatch = 10;

/// A handful of tenants cannot stand for a whole table: below the first number they draw the sizes
/// of their batches anew each time; below the second every batch gets a tenant of its own.
constexpr std::uint32_t kFewTenants = 30;
constexpr std::uint32_t kVeryFewTenants = 7;

constexpr std::uint32_t kFirstSingleTenant = 10'000'000;  // beyond every group's tenants
constexpr double kUsualSizes = 0.98;  // share of batches whose size their tenant repeats
constexpr std::int64_t kSecondsPerHour = 3600;
constexpr std::uint32_t kBatchesBetweenReports = 4096;

/// A request before it gets its texts: small, because a zone has millions of them.
struct PlannedRequest {
  SimTime start;
  SimTime end;
  std::uint32_t tenant;
  std::uint16_t flavor;
  InstanceClass instance_class;
};

/// The first entry whose cumulative weight is above `weight`.
template <typename Entry>
const Entry& pick(const std::vector<Entry>& entries, std::uint32_t weight) {
  return *std::ranges::upper_bound(entries.begin(), entries.end() - 1, weight, {},
                                   &Entry::cumulative);
}

std::uint32_t weight_at(double rank) { return static_cast<std::uint32_t>(rank * kTotalWeight); }

/// The value at `rank` (in [0, 1]) between two knots; `rank` is at most the last share.
double value_at(std::span<const Knot> knots, double rank) {
  const auto high = std::ranges::lower_bound(knots, rank, {}, &Knot::share);
  if (high == knots.begin()) return high->value;
  const Knot& low = *(high - 1);
  return low.value + (high->value - low.value) * ((rank - low.share) / (high->share - low.share));
}

double value_at(const SpreadTable& table, double rank) {
  const double place = rank * static_cast<double>(table.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(place), table.size() - 2);
  return table[low] + (table[low + 1] - table[low]) * (place - static_cast<double>(low));
}

/// A rank near `center`. Mirroring at 0 and 1 keeps ranks uniform when centers are, so that the
/// lifetimes of a batch resemble each other while those of all batches follow their table.
double rank_near(double center, double half_width, Random& random) {
  const double rank = std::abs(center + half_width * (2 * random.uniform() - 1));
  return rank <= 1 ? rank : 2 - rank;
}

/// Ranks that a tenant keeps from batch to batch.
struct TenantHabit {
  std::uint32_t tenant;
  double flavor_rank;
  double size_rank;
  double life_rank;
};

/// Gives tenants evenly spread ranks (M. Roberts' R3 sequence: fractions of multiples of 1/g,
/// 1/g^2, 1/g^3 with g^4 = g + 1, moved around the circle by random offsets). Independent ranks
/// would let the few tenants with hundreds of batches bend the zone's shares of flavors; these
/// keep to the tables for any number of tenants.
class HabitSequence {
 public:
  explicit HabitSequence(Random& random) {
    for (std::uint64_t& offset : offsets_) offset = random.next_u64();
  }

  [[nodiscard]] TenantHabit operator[](std::uint32_t tenant) const {
    return {tenant, rank(tenant, 0), rank(tenant, 1), rank(tenant, 2)};
  }

 private:
  static constexpr std::array<std::uint64_t, 3> kSteps{0xd1b54a32d192ed03, 0xabc98388fb8fac03,
                                                       0x8cb92ba72f3d8dd7};

  [[nodiscard]] double rank(std::uint32_t tenant, std::size_t dimension) const {
    return static_cast<double>((kSteps[dimension] * tenant + offsets_[dimension]) >> 11) * 0x1p-53;
  }

  std::array<std::uint64_t, 3> offsets_{};
};

bool is_early(const Kind& kind) { return kind.starts.front().value < 0; }

/// Draws the batches of a zone one by one.
class ZoneGenerator {
 public:
  ZoneGenerator(const ZoneModel& model, std::uint64_t seed)
      : model_(model), random_(seed), habits_(random_) {}

  /// Appends the next batch to `plan`, each request with chance `keep`.
  void add_batch(double keep, std::vector<PlannedRequest>& plan) {
    const Kind& kind = pick(model_.kinds, draw_weight());
    const ClassHabits& habits = model_.habits[static_cast<std::size_t>(kind.instance_class)];
    const TenantHabit tenant = draw_habit(kind, habits);
    const Cell& cell = pick(kind.cells, weight_at(tenant.flavor_rank));
    const std::uint32_t requests = size_at(cell, tenant.size_rank);
    const std::int64_t start = draw_start(kind, habits);
    const Spread spread = draw_spread(habits, requests);
    ranks_.clear();
    for (std::uint32_t i = 0; i < requests; ++i) {
      const double life_rank = draw_life_rank(tenant.life_rank, spread);
      if (keep < 1 && random_.uniform() >= keep) continue;
      plan.push_back({std::chrono::seconds(start), end_of(start, cell, life_rank), tenant.tenant,
                      cell.flavor, kind.instance_class});
    }
  }

 private:
  /// The spread of lifetimes inside one batch.
  struct Spread {
    double half_width;
    double repeat;
  };

  std::uint32_t draw_weight() { return static_cast<std::uint32_t>(random_.below(kTotalWeight)); }

  /// Picks a tenant of the kind's class and what it does this time.
  TenantHabit draw_habit(const Kind& kind, const ClassHabits& habits) {
    const TenantGroup& group = pick(habits.tenants, draw_weight());
    // Both parts of a group have at least one tenant.
    const std::uint32_t early = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(group.tenants * habits.early_tenants), 1, group.tenants - 1);
    const std::uint32_t pool = is_early(kind) ? early : group.tenants - early;
    // The first group's tenants have one batch each.
    if (&group == habits.tenants.data() || pool < kVeryFewTenants) {
      return draw_newcomer(kFirstSingleTenant + singles_++);
    }
    const std::uint32_t first = first_tenant(group) + (is_early(kind) ? 0 : early);
    TenantHabit habit = habits_[first + static_cast<std::uint32_t>(random_.below(pool))];
    if (random_.uniform() >= habits.follow) return draw_newcomer(habit.tenant);
    const double width = value_at(habits.tenant_spread, random_.uniform());
    habit.life_rank = rank_near(habit.life_rank, width, random_);
    habit.size_rank = draw_size_rank(pool < kFewTenants ? random_.uniform() : habit.size_rank);
    return habit;
  }

  TenantHabit draw_newcomer(std::uint32_t tenant) {
    const double flavor_rank = random_.uniform();
    const double size_rank = random_.uniform();
    return {tenant, flavor_rank, size_rank, random_.uniform()};
  }

  /// The number of the group's first tenant: VMs' groups come first, then spots'.
  std::uint32_t first_tenant(const TenantGroup& group) const {
    std::uint32_t first = 0;
    for (const ClassHabits& habits : model_.habits) {
      for (const TenantGroup& other : habits.tenants) {
        if (&other == &group) return first;
        first += other.tenants;
      }
    }
    return first;
  }

  /// The usual size, or a rare one: batches of hundreds of requests do not become a habit. Ranks
  /// stay uniform: the habit's fill [0, kUsualSizes), rare ones the rest.
  double draw_size_rank(double usual) {
    const double fresh = random_.uniform();
    return fresh >= kUsualSizes ? fresh : usual * kUsualSizes;
  }

  std::uint32_t size_at(const Cell& cell, double rank) const {
    const std::vector<SizeStep>& steps = model_.sizes[cell.size];
    return std::ranges::upper_bound(steps.begin(), steps.end() - 1, rank, {}, &SizeStep::share)
        ->requests;
  }

  /// Seconds, whole as in the real samples. Inside the window the tables give the hour; minutes
  /// have their own weights (many batches start on the hour).
  std::int64_t draw_start(const Kind& kind, const ClassHabits& habits) {
    if (!is_early(kind) && random_.uniform() < habits.burst_share) {
      const double rank = (static_cast<double>(random_.below(habits.bursts)) + 0.5) / habits.bursts;
      const auto minute = static_cast<std::int64_t>(value_at(kind.starts, rank)) / 60;
      return minute * 60 + static_cast<std::int64_t>(random_.below(60));
    }
    const double drawn = value_at(kind.starts, random_.uniform());
    if (drawn < 0) return std::min<std::int64_t>(static_cast<std::int64_t>(drawn), -1);
    const std::int64_t hour =
        std::min<std::int64_t>(static_cast<std::int64_t>(drawn) / kSecondsPerHour, 14 * 24 - 1);
    // The last minute needs no comparison: weights are below its cumulative one.
    const auto minutes = std::span(habits.minutes).first<59>();
    const auto minute = std::ranges::upper_bound(minutes, draw_weight()) - minutes.begin();
    return hour * kSecondsPerHour + minute * 60 + static_cast<std::int64_t>(random_.below(60));
  }

  Spread draw_spread(const ClassHabits& habits, std::uint32_t requests) {
    if (requests == 1) return {0, 0};
    const bool large = requests >= kLargeBatch;
    return {value_at(large ? habits.large_spread : habits.small_spread, random_.uniform()),
            large ? habits.large_repeat : 0};
  }

  /// Some requests of a batch end together: a large batch falls into a few groups.
  double draw_life_rank(double center, const Spread& spread) {
    if (spread.half_width == 0) return center;
    const bool repeat = !ranks_.empty() && random_.uniform() < spread.repeat;
    const double rank = repeat ? ranks_[random_.below(ranks_.size())]
                               : rank_near(center, spread.half_width, random_);
    ranks_.push_back(rank);
    return rank;
  }

  SimTime end_of(std::int64_t start, const Cell& cell, double life_rank) const {
    const std::vector<Knot>& lifetimes = model_.lifetimes[cell.lifetime];
    if (life_rank > lifetimes.back().share) return kNever;
    const double seconds = value_at(lifetimes, life_rank);
    const SimTime end = std::chrono::seconds(std::max<std::int64_t>(start, 0)) +
                        SimTime(static_cast<std::int64_t>(seconds * 1e6));
    return end <= model_.watched_days * kDay ? end : kNever;
  }

  const ZoneModel& model_;
  Random random_;
  HabitSequence habits_;
  std::uint32_t singles_ = 0;  ///< tenants with one batch so far
  std::vector<double> ranks_;  ///< of the batch being drawn
};

const ZoneModel& find_model(const std::string& name) {
  if (name == "azure2020") return azure2020_model();
  throw ConfigError(
      fmt::format("synthetic workload '{}' is not known; the valid names are: azure2020", name));
}

std::vector<PlannedRequest> plan_requests(const ZoneModel& model, const SyntheticSpec& spec) {
  const bool whole_batches = spec.sampling == ZoneSampling::kBatched;
  const double keep = whole_batches ? 1 : spec.scale;
  const auto batches =
      static_cast<std::uint32_t>(std::lround(model.batches * (whole_batches ? spec.scale : 1)));
  std::vector<PlannedRequest> plan;
  plan.reserve(static_cast<std::size_t>(model.batches * spec.scale * 2.5));
  ZoneGenerator generator(model, spec.seed);
  TerminalMeter meter(fmt::format("generating {}", spec.model), MeterUnit::kBatches);
  StopPoll poll;
  for (std::uint32_t i = 0; i < batches; ++i) {
    poll.check();
    generator.add_batch(keep, plan);
    if (i % kBatchesBetweenReports == 0) meter.update(i, batches);
  }
  std::ranges::stable_sort(plan, {}, &PlannedRequest::start);
  return plan;
}

}  // namespace

ZoneSampling parse_zone_sampling(const std::string& name) {
  if (name == "batched") return ZoneSampling::kBatched;
  if (name == "bernoulli") return ZoneSampling::kBernoulli;
  throw ConfigError(
      fmt::format("sampling '{}' is not known; the valid names are: batched, bernoulli", name));
}

Workload generate_workload(const SyntheticSpec& spec) {
  const ZoneModel& model = find_model(spec.model);
  if (!(spec.scale >= kSmallestScale && spec.scale <= 1)) {
    throw ConfigError(fmt::format("scale {} is outside [{}, 1], the part of the zone to generate",
                                  spec.scale, kSmallestScale));
  }
  const bool batched = spec.sampling == ZoneSampling::kBatched;
  Workload workload;
  workload.name = fmt::format("{}:seed={}:scale={}{}", spec.model, spec.seed, spec.scale,
                              batched ? "" : ":sampling=bernoulli");
  workload.sha256 = sha256_hex(fmt::format(
      "cospot synthetic workload\nmodel={}\nversion={}\nseed={}\nscale={}\nsampling={}\n",
      spec.model, kModelVersion, spec.seed, spec.scale, batched ? "batched" : "bernoulli"));
  const std::vector<PlannedRequest> plan = plan_requests(model, spec);
  workload.rows.reserve(plan.size());
  StopPoll poll;
  for (const PlannedRequest& request : plan) {
    poll.check();
    workload.rows.push_back({.id = std::to_string(workload.rows.size()),
                             .tenant = std::to_string(request.tenant),
                             .resources = model.flavors[request.flavor],
                             .instance_class = request.instance_class,
                             .start = request.start,
                             .end = request.end});
  }
  return workload;
}

}  // namespace cospot
