// The strategies of the study `deadline`. A new one is its class, and its row here.
#include "sim_harness/customer/deadline/deadline_strategies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <type_traits>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/customer/deadline/known_strategies.hpp"
#include "sim_harness/customer/deadline/quoted_strategy.hpp"

namespace cospot {
namespace {

template <class Strategy>
std::unique_ptr<DeadlineStrategy> make(const DeadlineCase& run, const SpellHistory& history) {
  if constexpr (std::is_constructible_v<Strategy, const DeadlineCase&, const SpellHistory&>) {
    return std::make_unique<Strategy>(run, history);
  } else if constexpr (std::is_constructible_v<Strategy, const DeadlineCase&>) {
    return std::make_unique<Strategy>(run);
  } else {
    return std::make_unique<Strategy>();
  }
}

constexpr std::string_view kPaper = "Can't Be Late (NSDI'24)";

constexpr std::array kRegistry{
    DeadlineStrategyEntry{.name = "on_demand",
                          .summary = "On-demand from the start to the end.",
                          .source = kPaper,
                          .make = make<OnDemandStrategy>},
    DeadlineStrategyEntry{.name = "spot_only",
                          .summary = "A spot whenever there is one; may be late.",
                          .source = kPaper,
                          .safety_net = false,
                          .make = make<SpotOnlyStrategy>},
    DeadlineStrategyEntry{.name = "greedy",
                          .summary = "A spot whenever there is one, until it must switch.",
                          .source = kPaper,
                          .make = make<GreedyStrategy>},
    DeadlineStrategyEntry{.name = "uniform_progress",
                          .summary = "Work done keeps up with time gone.",
                          .source = kPaper,
                          .make = make<UniformProgressStrategy>},
    DeadlineStrategyEntry{.name = "quoted",
                          .summary = "Least expected cost, given how long spots last.",
                          .source = "docs/deadline.md",
                          .make = make<QuotedStrategy>},
    DeadlineStrategyEntry{.name = "optimal",
                          .summary = "The offline optimum: knows the whole trace.",
                          .source = kPaper,
                          .safety_net = false,
                          .make = make<OptimalStrategy>}};

}  // namespace

std::span<const DeadlineStrategyEntry> deadline_strategies() { return kRegistry; }

const DeadlineStrategyEntry& find_deadline_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DeadlineStrategyEntry& entry : kRegistry) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw ConfigError(fmt::format("found '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

}  // namespace cospot
