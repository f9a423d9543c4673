#include "sim_harness/data/hosts/host_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

/// Hands out kinds one by one, so that at every number each has its share, rounded: next is the one
/// whose share would be least over-filled (Sainte-Lague). After as many as the counts sum up to,
/// each was handed out as often as it counts.
class Proportion {
 public:
  Proportion(const std::vector<HostKind>& kinds, const std::string& only_type)
      : kinds_(kinds), given_(kinds.size(), 0) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      if (only_type.empty() || kinds[kind].type == only_type) {
        taking_part_.push_back(static_cast<std::uint32_t>(kind));
      }
    }
  }

  std::uint32_t next() {
    std::uint32_t best = taking_part_.front();
    for (const std::uint32_t kind : taking_part_) {
      if ((2 * given_[kind] + 1) * kinds_[best].count < (2 * given_[best] + 1) * kinds_[kind].count)
        best = kind;
    }
    ++given_[best];
    return best;
  }

 private:
  const std::vector<HostKind>& kinds_;
  std::vector<std::uint64_t> given_;
  std::vector<std::uint32_t> taking_part_;
};

}  // namespace

HostMix::HostMix(const ResourceVector& total) : kinds_{{.total = total}} {}

HostMix::HostMix(std::vector<HostKind> kinds, HostPlaces places, std::vector<NamedHost> named)
    : kinds_(std::move(kinds)),
      places_(std::make_shared<const HostPlaces>(std::move(places))),
      named_(std::move(named)) {
  for (const HostKind& kind : kinds_) declared_ += kind.count;
}

void HostMix::add_only(const std::string& type) {
  std::vector<std::string> types;
  for (const HostKind& kind : kinds_) {
    if (std::ranges::find(types, kind.type) == types.end()) types.push_back(kind.type);
  }
  if (std::ranges::find(types, type) == types.end() || is_plain()) {
    throw ConfigError(fmt::format(
        "added_type: unknown type '{}'; {}", type,
        is_plain() ? std::string("the hosts have no types, expected a list under 'host'")
                   : fmt::format("valid types: {}", fmt::join(types, ", "))));
  }
  added_type_ = type;
}

std::vector<std::uint32_t> HostMix::in_proportion(std::size_t hosts) const {
  Proportion proportion(kinds_, {});
  std::vector<std::uint32_t> kinds(hosts);
  std::ranges::generate(kinds, [&] { return proportion.next(); });
  return kinds;
}

/// The declared hosts, and then those that are added.
std::vector<std::uint32_t> HostMix::declared_first(std::size_t hosts) const {
  std::vector<std::uint32_t> kinds = in_proportion(declared_);
  for (std::size_t i = 0; i < named_.size(); ++i) kinds[i] = named_[i].kind;
  Proportion added(kinds_, added_type_);
  while (kinds.size() < hosts) kinds.push_back(added.next());
  return kinds;
}

std::vector<std::uint32_t> HostMix::kinds_of(std::size_t hosts) const {
  if (kinds_.size() == 1) return std::vector<std::uint32_t>(hosts, 0);
  if (hosts < least_hosts()) {
    throw ConfigError(fmt::format(
        "{} hosts are fewer than the {} that 'host' names, and only hosts of the type {} are added",
        hosts, declared_, added_type_));
  }
  if (!added_type_.empty() || (!named_.empty() && hosts >= declared_)) return declared_first(hosts);
  std::vector<std::uint32_t> kinds = in_proportion(hosts);
  if (named_.empty()) return kinds;
  // Fewer than there are: the first ones of each kind, in the order of the file.
  std::vector<std::size_t> left(kinds_.size(), 0);
  for (const std::uint32_t kind : kinds) ++left[kind];
  kinds.clear();
  for (const NamedHost& host : named_) {
    if (left[host.kind] == 0) continue;
    --left[host.kind];
    kinds.push_back(host.kind);
  }
  return kinds;
}

HostMix HostMix::with_count(std::size_t hosts, const std::string& type, std::size_t count) const {
  std::vector<std::uint32_t> all = kinds_of(hosts);
  std::erase_if(all, [&](std::uint32_t kind) {
    if (kinds_[kind].type != type) return false;
    if (count == 0) return true;
    --count;
    return false;
  });
  Proportion more(kinds_, type);
  for (; count > 0; --count) all.push_back(more.next());
  std::vector<HostKind> kinds;
  HostPlaces places;  // one for each kind, so that none is without a host
  std::vector<NamedHost> named;
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::uint32_t kind : all) {
    const auto [found, is_new] = number.try_emplace(kind, static_cast<std::uint32_t>(kinds.size()));
    if (is_new) {
      kinds.push_back({kinds_[kind].type, 0, kinds_[kind].total, found->second});
      places.push_back((*places_)[kinds_[kind].place]);
    }
    ++kinds[found->second].count;
    named.push_back({.name = {}, .kind = found->second});
  }
  return {std::move(kinds), std::move(places), std::move(named)};
}

HostTable HostMix::table(std::size_t hosts) const {
  if (is_plain()) return HostTable::uniform(hosts, kinds_.front().total);
  return table_of_kinds(kinds_of(hosts));
}

HostTable HostMix::table_of_kinds(std::span<const std::uint32_t> kinds) const {
  // The hosts of a file by kind, in its order: what stands first is taken first.
  std::vector<std::vector<const std::string*>> names(kinds_.size());
  for (const NamedHost& host : named_) names[host.kind].push_back(&host.name);
  std::vector<std::size_t> taken(kinds_.size(), 0);
  std::map<std::string, std::size_t> of_type;
  std::vector<HostSpec> specs;
  specs.reserve(kinds.size());
  for (const std::uint32_t number : kinds) {
    const HostKind& kind = kinds_[number];
    const std::size_t one = taken[number]++;
    const bool is_named = one < names[number].size();
    specs.push_back({.name = is_named ? *names[number][one]
                                      : fmt::format("{}{}{}", kind.type, named_.empty() ? '-' : '+',
                                                    of_type[kind.type]++),
                     .total = kind.total,
                     .place = kind.place});
  }
  return HostTable(specs, places_);
}

HostTable HostMix::pair(std::size_t kind, std::size_t other_kind) const {
  return HostTable(
      {{.name = {}, .total = kinds_[kind].total, .place = kinds_[kind].place},
       {.name = {}, .total = kinds_[other_kind].total, .place = kinds_[other_kind].place}},
      places_);
}

std::vector<std::size_t> HostMix::counts(std::size_t hosts) const {
  std::vector<std::size_t> counts(kinds_.size(), 0);
  for (const std::uint32_t kind : kinds_of(hosts)) ++counts[kind];
  return counts;
}

HostMix::Sum HostMix::sum(std::size_t hosts) const {
  Sum sum;
  const std::vector<std::size_t> of_kind = counts(hosts);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto count = static_cast<std::int64_t>(of_kind[kind]);
    sum.vcpus += count * kinds_[kind].total.vcpus;
    sum.memory_mb += count * kinds_[kind].total.memory_mb;
    sum.disk_gb += count * kinds_[kind].total.disk_gb;
  }
  return sum;
}

std::optional<std::size_t> HostMix::fewest_with(const Sum& amount) const {
  const std::size_t first = added_type_.empty() ? 0 : declared_;
  const auto beyond = [](const Sum& a, const Sum& b) -> Sum {
    return {a.vcpus - b.vcpus, a.memory_mb - b.memory_mb, a.disk_gb - b.disk_gb};
  };
  // Added hosts repeat the named ones: each kind comes again in the number that the user named.
  std::size_t round = 0;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (grows(kind)) round += std::max<std::size_t>(1, kinds_[kind].count);
  }
  const Sum at_first = first == 0 ? Sum{} : sum(first);
  const Sum of_round = beyond(sum(first + round), at_first);
  Sum left = beyond(amount, at_first);
  if (left.vcpus <= 0 && left.memory_mb <= 0 && left.disk_gb <= 0) return first;
  std::int64_t rounds = 0;
  for (const auto resource : {&Sum::vcpus, &Sum::memory_mb, &Sum::disk_gb}) {
    if (left.*resource <= 0) continue;
    if (of_round.*resource == 0) return std::nullopt;
    rounds = std::max(rounds, (left.*resource - 1) / (of_round.*resource));
  }
  left = beyond(left,
                {rounds * of_round.vcpus, rounds * of_round.memory_mb, rounds * of_round.disk_gb});
  std::size_t fewer = 0;
  std::size_t enough = round;
  while (enough - fewer > 1) {
    const std::size_t middle = fewer + (enough - fewer) / 2;
    const Sum missing = beyond(left, beyond(sum(first + middle), at_first));
    const bool holds = missing.vcpus <= 0 && missing.memory_mb <= 0 && missing.disk_gb <= 0;
    (holds ? enough : fewer) = middle;
  }
  return first + static_cast<std::size_t>(rounds) * round + enough;
}

ResourceVector HostMix::largest_total() const {
  ResourceVector largest;
  for (const HostKind& kind : kinds_) {
    largest = {std::max(largest.vcpus, kind.total.vcpus),
               std::max(largest.memory_mb, kind.total.memory_mb),
               std::max(largest.disk_gb, kind.total.disk_gb)};
  }
  return largest;
}

bool HostMix::fits_an_empty_host(const ResourceVector& amounts) const {
  return std::ranges::any_of(kinds_,
                             [&](const HostKind& kind) { return amounts.fits_in(kind.total); });
}

std::set<std::string, std::less<>> HostMix::isolated_tenants() const {
  std::set<std::string, std::less<>> tenants;
  for (const HostPlace& place : *places_) {
    const auto found = place.metadata.find("filter_tenant_id");
    if (found != place.metadata.end()) tenants.insert(found->second.begin(), found->second.end());
  }
  return tenants;
}

std::vector<std::pair<std::string, std::size_t>> types_of(const HostMix& hosts, std::size_t count) {
  const std::vector<std::size_t> counts =
      count == 0 ? std::vector<std::size_t>(hosts.kinds().size(), 0) : hosts.counts(count);
  std::vector<std::pair<std::string, std::size_t>> types;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const std::string& type = hosts.kinds()[kind].type;
    const auto found = std::ranges::find(types, type, &std::pair<std::string, std::size_t>::first);
    if (found == types.end()) {
      types.emplace_back(type, counts[kind]);
    } else {
      found->second += counts[kind];
    }
  }
  return types;
}

std::string types_text(const HostMix& hosts, std::size_t count) {
  if (hosts.is_plain()) return {};
  std::vector<std::string> parts;
  for (const auto& [type, number] : types_of(hosts, count))
    parts.push_back(fmt::format("{} {}", type, number));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace cospot
