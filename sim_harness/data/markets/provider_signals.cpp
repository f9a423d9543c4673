#include "sim_harness/data/markets/provider_signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "core/portable_math.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {
namespace {

double age_begin(std::size_t age) { return age == 0 ? 0 : kSignalAgeEnds[age - 1]; }

double age_end(std::size_t age) {
  return age < kSignalAgeEnds.size() ? kSignalAgeEnds[age]
                                     : std::numeric_limits<double>::infinity();
}

Json ages_json(const AgeTally& tally, const AgeRates& rates, const char* hours, const char* ends) {
  Json list = Json::array();
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    list.push_back({{"from_age_h", json_of(age_begin(age))},
                    {"to_age_h", json_of(age_end(age))},
                    {hours, json_of(tally.hours[age])},
                    {ends, json_of(tally.ends[age])},
                    {std::string(ends) + "_per_hour", json_of(rates[age])}});
  }
  return list;
}

/// Reads members, and says what is wrong with a file.
class SignalsReader {
 public:
  explicit SignalsReader(const std::filesystem::path& file) : file_(file.string()) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}", file_, what));
  }

  [[nodiscard]] Json parse() const {
    Json json = Json::parse(unpacked_text(read_stored_file(file_), file_), nullptr, false);
    if (json.is_discarded() || !json.is_object() ||
        json.value("format", Json()) != "cospot-signals") {
      fail("this is no file of signals; expected one that `cospot signals HISTORY -o FILE` wrote");
    }
    const Json version = json.value("version", Json());
    if (version != ProviderSignals::kVersion) {
      fail(fmt::format("version: found {}, expected {}; write it again with this cospot",
                       compact_json(version), ProviderSignals::kVersion));
    }
    return json;
  }

  [[nodiscard]] double number(const Json& of, const std::string& where, const char* key,
                              double least) const {
    const Json value = of.is_object() ? of.value(key, Json()) : Json();
    if (value.is_number() && value.get<double>() >= least) return value.get<double>();
    fail(fmt::format("{}.{}: found {}, expected a number that is at least {:g}", where, key,
                     compact_json(value), least));
  }

  void ages(const Json& of, const std::string& where, const char* hours, const char* ends,
            AgeTally& tally, AgeRates& rates) const {
    if (!of.is_array() || of.size() != kSignalAges) {
      fail(fmt::format("{}: expected a list of {} ages", where, kSignalAges));
    }
    for (std::size_t age = 0; age < kSignalAges; ++age) {
      const std::string place = fmt::format("{}[{}]", where, age);
      if (number(of[age], place, "from_age_h", 0) != age_begin(age)) {
        fail(fmt::format("{}.from_age_h: expected {:g}", place, age_begin(age)));
      }
      tally.hours[age] = number(of[age], place, hours, 0);
      tally.ends[age] = number(of[age], place, ends, 0);
      rates[age] = number(of[age], place, (std::string(ends) + "_per_hour").c_str(), 0);
      if (rates[age] <= 0) {
        fail(fmt::format("{}.{}_per_hour: found 0, expected a number above 0", place, ends));
      }
    }
  }

 private:
  std::string file_;
};

}  // namespace

void AgeTally::add(double from_hours, double to_hours, bool has_ended) {
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    if (to_hours <= age_begin(age) && age > 0) break;
    const double seen = std::min(to_hours, age_end(age)) - std::max(from_hours, age_begin(age));
    hours[age] += std::max(seen, 0.0);
    if (to_hours <= age_end(age) && has_ended) ends[age] += 1;
  }
}

void AgeTally::add(const AgeTally& other) {
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    hours[age] += other.hours[age];
    ends[age] += other.ends[age];
  }
}

void AgeTally::fade(double share) {
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    hours[age] *= share;
    ends[age] *= share;
  }
}

AgeRates rates_of(const AgeTally& tally, const AgeRates& around) {
  AgeRates rates{};
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    rates[age] = (tally.ends[age] + kSignalShrinkEnds) /
                 (tally.hours[age] + kSignalShrinkEnds / around[age]);
  }
  return rates;
}

AgeRates rates_of(const AgeTally& tally) {
  double hours = 0, ends = 0;
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    hours += tally.hours[age];
    ends += tally.ends[age];
  }
  // Half an end more, and an hour: what was never seen is not impossible.
  AgeRates overall{};
  overall.fill((ends + 0.5) / (hours + 1));
  return rates_of(tally, overall);
}

double survival(const AgeRates& ends_per_hour, double hours) {
  double expected = 0;
  for (std::size_t age = 0; age < kSignalAges && hours > age_begin(age); ++age) {
    expected += ends_per_hour[age] * (std::min(hours, age_end(age)) - age_begin(age));
  }
  return portable_exp(-expected);
}

double FlavorSignals::mean_hours_to_eviction() const {
  double mean = 0;
  for (std::size_t age = 0; age < kSignalAges; ++age) {
    const double rate = evictions_per_hour[age];
    const double until = age + 1 < kSignalAges ? survives(age_end(age)) : 0;
    // The time in a class, of those that come to it.
    mean += (survives(age_begin(age)) - until) / rate;
  }
  return mean;
}

const FlavorSignals& ProviderSignals::of(const ResourceVector& size,
                                         const std::string& file) const {
  std::vector<std::string> known;
  for (const FlavorSignals& flavor : flavors) {
    if (flavor.size.vcpus == size.vcpus && flavor.size.memory_mb == size.memory_mb) return flavor;
    known.push_back(fmt::format("{},{}", flavor.size.vcpus, flavor.size.memory_mb));
  }
  throw ConfigError(
      fmt::format("{}: tells nothing of the flavor {},{} (vcpus,memory_mb); it has {}", file,
                  size.vcpus, size.memory_mb, fmt::join(known, "; ")));
}

Json signals_file_json(const ProviderSignals& signals) {
  return {
      {"format", ProviderSignals::kFormat},
      {"version", ProviderSignals::kVersion},
      {"history", signals.history},
      {"learned_until_h", json_of(signals.learned_until_hours)},
      {"flavors", json_list_of(signals.flavors, [](const FlavorSignals& flavor) {
         return Json{
             {"vcpus", flavor.size.vcpus},
             {"memory_mb", flavor.size.memory_mb},
             {"mean_h_to_eviction", json_of(flavor.mean_hours_to_eviction())},
             {"survives", json_list_of(std::array<double, 3>{1, 6, 24},
                                       [&flavor](double hours) {
                                         return Json{
                                             {"hours", json_of(hours)},
                                             {"probability", json_of(flavor.survives(hours))}};
                                       })},
             {"runs", ages_json(flavor.runs, flavor.evictions_per_hour, "spot_hours", "evictions")},
             {"waits", ages_json(flavor.waits, flavor.ends_per_hour, "hours", "ends")}};
       })}};
}

ProviderSignals read_signals_file(const std::filesystem::path& file) {
  const SignalsReader reader(file);
  const Json json = reader.parse();
  ProviderSignals signals;
  if (const Json history = json.value("history", Json()); history.is_string()) {
    signals.history = history.get<std::string>();
  }
  signals.learned_until_hours = reader.number(json, "file", "learned_until_h", 0);
  const Json flavors = json.value("flavors", Json());
  if (!flavors.is_array() || flavors.empty()) reader.fail("flavors: expected at least one");
  for (std::size_t i = 0; i < flavors.size(); ++i) {
    const std::string where = fmt::format("flavors[{}]", i);
    FlavorSignals flavor;
    flavor.size = {static_cast<ResourceAmount>(reader.number(flavors[i], where, "vcpus", 1)),
                   static_cast<ResourceAmount>(reader.number(flavors[i], where, "memory_mb", 0))};
    reader.ages(flavors[i].value("runs", Json()), where + ".runs", "spot_hours", "evictions",
                flavor.runs, flavor.evictions_per_hour);
    reader.ages(flavors[i].value("waits", Json()), where + ".waits", "hours", "ends", flavor.waits,
                flavor.ends_per_hour);
    signals.flavors.push_back(flavor);
  }
  return signals;
}

}  // namespace cospot
