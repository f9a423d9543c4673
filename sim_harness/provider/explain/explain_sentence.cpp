#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/provider/explain/explain_text.hpp"

namespace cospot {
namespace {

struct AskedResource {
  std::string_view name;
  std::string_view unit;
  ResourceAmount ResourceVector::*amount;
};

std::array<AskedResource, 3> resources_in(const SizeWords& words) {
  return {{{words.vcpus, words.vcpus, &ResourceVector::vcpus},
           {"memory", words.memory, &ResourceVector::memory_mb},
           {"disk", words.disk, &ResourceVector::disk_gb}}};
}

/// An amount of a resource as a file counts it, in what people read.
std::string amount_of(const AskedResource& resource, ResourceAmount amount,
                      const SizeWords& words) {
  return resource.amount == &ResourceVector::vcpus ? words.count_of_vcpus(amount)
                                                   : count_text(amount);
}

/// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? std::string() : parts[0];
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

/// A few names, and how many more there are.
std::string shortened(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 3;
  if (names.size() > kNamed) {
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(fmt::format("{} more", more));
  }
  return enumerated(names);
}

std::string too_large_sentence(const Explanation& told, const SizeWords& words) {
  const ResourceVector asked = told.request.resources();
  std::vector<std::string> parts;
  for (const AskedResource& resource : resources_in(words)) {
    if (asked.*resource.amount <= told.largest_total.*resource.amount) continue;
    parts.push_back(fmt::format("{} {}, where no host has more than {}",
                                amount_of(resource, asked.*resource.amount, words), resource.unit,
                                amount_of(resource, told.largest_total.*resource.amount, words)));
  }
  return "rejected: larger than an empty host: it asks for " + enumerated(parts);
}

std::string no_room_sentence(const Explanation& told, const SizeWords& words) {
  const ResourceVector asked = told.request.resources();
  const auto room =
      told.request.is_spot() ? &ExplainedHost::free : &ExplainedHost::free_ignoring_spots;
  std::vector<std::string> wanted;
  std::vector<std::string> found;
  for (const AskedResource& resource : resources_in(words)) {
    if (asked.*resource.amount == 0) continue;
    wanted.push_back(
        fmt::format("{} {}", amount_of(resource, asked.*resource.amount, words), resource.unit));
    const auto hosts = std::ranges::count_if(told.hosts, [&](const ExplainedHost& host) {
      return (host.*room).*resource.amount >= asked.*resource.amount;
    });
    found.push_back(
        fmt::format("{} {}the {}", hosts, found.empty() ? "would have " : "", resource.name));
  }
  return fmt::format("rejected: no host has {} free beside its {}; {}", enumerated(wanted),
                     told.request.is_spot() ? "VMs and spots" : "VMs", fmt::join(found, ", "));
}

std::string rejection_sentence(const Explanation& told, const SizeWords& words) {
  if (told.feasible > 0) {
    return fmt::format(
        "rejected: {} finds no spots whose eviction makes room on any of the {} "
        "offered hosts",
        told.settings.evictor.label, told.offered);
  }
  if (!told.request.resources().fits_in(told.largest_total)) return too_large_sentence(told, words);
  if (told.needs_room_only) return no_room_sentence(told, words);
  return "rejected: no host passes all filters";
}

/// Says which hosts rank behind the first one by their index alone.
std::string rank_tie(const Explanation& told) {
  std::vector<std::string> tied;
  const RankedHost& first = told.hosts.front().ranked;
  for (std::size_t i = 1; i < told.feasible; ++i) {
    const RankedHost& other = told.hosts[i].ranked;
    if (other.tiers == first.tiers && other.weight == first.weight) {
      tied.push_back(told.hosts[i].name);
    }
  }
  if (tied.empty()) return "";
  return fmt::format("; {} {} the same, the lowest index is first", shortened(tied),
                     tied.size() == 1 ? "ranks" : "rank");
}

std::string eviction_sentence(const Explanation& told, const ExplainedHost& winner) {
  const std::string evicts = fmt::format("{} {}", winner.victims.size(),
                                         winner.victims.size() == 1 ? "spot goes" : "spots go");
  if (told.offered == 1) {
    return fmt::format("{} wins: the only host offered; {}", winner.name, evicts);
  }
  std::vector<std::string> tied;
  for (std::size_t i = 0; i < told.offered; ++i) {
    const ExplainedHost& other = told.hosts[i];
    if (&other != &winner && other.has_plan && other.score == winner.score) {
      tied.push_back(other.name);
    }
  }
  const std::string tie =
      tied.empty() ? "" : fmt::format("; tie with {} went to the better rank", shortened(tied));
  return fmt::format("{} wins: least score {:.9g} of {} offered; {}{}", winner.name, winner.score,
                     told.offered, evicts, tie);
}

}  // namespace

std::string explain_sentence(const Explanation& told, const SizeWords& words) {
  const ExplainedHost* winner = told.winning_host();
  if (winner == nullptr) return rejection_sentence(told, words);
  if (told.request.is_spot()) {
    return fmt::format("{} wins: first of {} {} with room beside VMs and spots{}", winner->name,
                       told.feasible, told.feasible == 1 ? "host" : "hosts", rank_tie(told));
  }
  if (!winner->victims.empty()) return eviction_sentence(told, *winner);
  if (winner->place_in_offer == 1) {
    return fmt::format("{} wins: first in the offer and needs no eviction{}", winner->name,
                       rank_tie(told));
  }
  return fmt::format("{} wins: place {} of {} offered, the best-ranked that needs no eviction",
                     winner->name, winner->place_in_offer, told.offered);
}

}  // namespace cospot
