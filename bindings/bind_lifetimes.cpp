// History, LifetimeQuantiles and what makes one of the other.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "core/errors.hpp"
#include "core/model/request.hpp"
#include "guarantees/signals/forecast_score.hpp"
#include "guarantees/sla/evidence.hpp"
#include "guarantees/sla/history.hpp"
#include "guarantees/sla/kept_promises.hpp"
#include "guarantees/sla/lifetime_estimate.hpp"
#include "guarantees/sla/lifetime_sla_options.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

std::vector<ResourceVector> read_sizes(const py::object& values, std::string_view name) {
  std::vector<ResourceVector> sizes;
  for (const py::object& value : read_items(values, name, "ResourceVector or tuples")) {
    sizes.push_back(read_resources(value, name));
  }
  return sizes;
}

LifetimeQuantiles estimate(const History& history, const py::object& sizes,
                           const py::object& probabilities, const py::object& now_us,
                           const py::object& from_us, const py::kwargs& settings) {
  const PluginOptions options("estimate_lifetimes", read_options(settings));
  LifetimeEstimateSettings estimate = read_lifetime_sla_options(options).estimate;
  options.reject_unknown();
  estimate.keeps_spells = true;
  estimate.sizes = read_sizes(sizes, "sizes");
  estimate.probabilities = read_numbers(probabilities, "probabilities");
  const SimTime from = read_time(from_us, "from_us");
  const SimTime now = read_time(now_us, "now_us");
  const py::gil_scoped_release unlocked;
  return estimate_lifetimes(history, estimate, from, now);
}

/// Microseconds; NEVER_US: longer than was seen; None: nothing can be promised.
py::object promised(const LifetimeQuantiles& quantiles, const py::object& size,
                    const py::object& slots, const py::object& probability) {
  const SimTime lifetime = quantiles.promised(read_resources(size, "size"),
                                              static_cast<std::int64_t>(read_count(slots, "slots")),
                                              read_any_number(probability, "probability"));
  if (lifetime < SimTime{0}) return py::none();
  return py::int_(lifetime.count());
}

py::list samples(const LifetimeQuantiles& quantiles, const py::object& size) {
  const LifetimeQuantiles::Table* table = quantiles.table(read_resources(size, "size"));
  return table == nullptr ? py::list() : py::list(py::cast(table->samples));
}

py::tuple interval(const py::object& promised, const py::object& broken,
                   const py::object& confidence) {
  const PromiseCount count{.promised = read_count(promised, "promised"),
                           .broken = read_count(broken, "broken")};
  if (count.broken > count.promised) {
    throw ConfigError(fmt::format("broken is {}, expected at most promised, which is {}",
                                  count.broken, count.promised));
  }
  const ProbabilityInterval bounds =
      eviction_interval(count, read_number(confidence, "confidence", 0.5, 0.999999));
  return py::make_tuple(bounds.lower, bounds.upper);
}

py::object forecast_skill(const std::vector<double>& losses,
                          const std::vector<double>& reference_losses) {
  if (losses.size() != reference_losses.size()) {
    throw ConfigError(fmt::format("reference_losses: found {}, expected as many as losses, {}",
                                  reference_losses.size(), losses.size()));
  }
  std::vector<SkillPart> parts;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    parts.push_back({.loss = losses[i], .reference_loss = reference_losses[i]});
  }
  const std::optional<Skill> skill = skill_of(parts);
  if (!skill) return py::none();
  return py::make_tuple(skill->skill, skill->half_width);
}

py::tuple spots_of(const History& history) {
  const auto spots = static_cast<py::ssize_t>(history.counts_between(SimTime::min(), kNever).spots);
  py::array_t<std::int64_t> start_us(spots);
  py::array_t<std::int64_t> end_us(spots);
  py::array_t<bool> is_evicted(spots);
  using EventKind = HistoryEvent::Kind;
  for (const HistoryEvent& event : history.events()) {
    if (event.kind == EventKind::kVmPlaced || event.kind == EventKind::kVmEnded) continue;
    const bool is_placed = event.kind == EventKind::kSpotPlaced;
    if (is_placed) start_us.mutable_at(event.spot) = event.time.count();
    end_us.mutable_at(event.spot) = (is_placed ? kNever : event.time).count();
    is_evicted.mutable_at(event.spot) = event.kind == EventKind::kSpotEvicted;
  }
  return py::make_tuple(start_us, end_us, is_evicted);
}

void bind_history(py::module_& core) {
  py::class_<History>(core, "History", R"doc(
What happened on some hosts so far, in order of time: for estimate_lifetimes.
)doc")
      .def(py::init([](const py::object& hosts) { return History(read_sizes(hosts, "hosts")); }),
           "hosts"_a, R"doc(
Start the history of hosts on which nothing runs.

Args:
    hosts: The totals of each: ResourceVector or (vcpus, memory_mb[, disk_gb]).

Raises:
    InputError: There is no host, or one without vcpus.
)doc")
      .def(
          "place",
          [](History& history, const Request& request, const py::object& host,
             const py::object& promised_until_us) {
            history.place(request, static_cast<HostIndex>(read_integer(host, "host", 0, kNoHost)),
                          read_promised_until(promised_until_us));
          },
          "request"_a, "host"_a, "promised_until_us"_a = kNever.count(), R"doc(
Write down that an instance was placed, at the request's time.

Args:
    request: Of the instance.
    host: Which one.
    promised_until_us: Of a spot: until when it is evicted after those without a promise; None: it
        has none. By default it counts as promised for as long as it runs.

Raises:
    InputError: Time goes backwards, there is no such host, or the instance runs already.
)doc")
      .def(
          "end",
          [](History& history, const py::object& instance, const py::object& time_us) {
            history.end(read_instance(instance), read_time(time_us, "time_us"));
          },
          "instance"_a, "time_us"_a, R"doc(
Write down that an instance ended by itself.

Raises:
    InputError: Time goes backwards, or the instance does not run.
)doc")
      .def(
          "evict",
          [](History& history, const py::object& spot, const py::object& time_us) {
            history.evict(read_instance(spot), read_time(time_us, "time_us"));
          },
          "spot"_a, "time_us"_a, R"doc(
Write down that a spot was evicted; the VM it went for is placed after it.

Raises:
    InputError: Time goes backwards, or no such spot runs.
)doc")
      .def("spots", &spots_of, R"doc(
Return the spots in the order of their placement.

Returns:
    Arrays: when each was placed and when it left, microseconds, NEVER_US of those that run; and
    whether it was evicted.
)doc")
      .def(
          "__len__", [](const History& history) { return history.events().size(); },
          "Return how many placements and ends it has.");
}

void bind_quantiles(py::module_& core) {
  py::class_<LifetimeQuantiles>(core, "LifetimeQuantiles", R"doc(
How long spots live at least, by size, free slots and probability: made by estimate_lifetimes.
)doc")
      .def("promised", &promised, "size"_a, "slots"_a, "probability"_a, R"doc(
Return the lifetime that all but so many spots live at least.

Args:
    size: The spot's size, one that was estimated.
    slots: How many spots of that size fit now, over all hosts.
    probability: Of an eviction before; one that was estimated.

Returns:
    Microseconds; NEVER_US when nobody was evicted that long; None when nothing can be promised.

Raises:
    ConfigError: That probability was not estimated.
)doc")
      .def("samples", &samples, "size"_a, R"doc(
Return how many samples each number of slots has, from none on; empty for another size.
)doc")
      .def_property_readonly("probabilities", &LifetimeQuantiles::probabilities,
                             "Of evictions: those that were estimated.");
}

Evidence evidence_of(const History& history, const py::object& now_us, const py::iterable& targets,
                     const py::object& from_us) {
  std::vector<double> given;
  for (const py::handle target : targets) {
    given.push_back(read_number(py::reinterpret_borrow<py::object>(target), "targets", 0, 1));
  }
  const History::Counts counts =
      history.counts_between(read_time(from_us, "from_us"), read_time(now_us, "now_us"));
  return {counts.spots, given};
}

py::object supported(const Evidence& evidence, const LifetimeQuantiles& quantiles,
                     const py::object& size, const py::object& slots, const py::object& target) {
  const SimTime lifetime = evidence.supported(quantiles, read_resources(size, "size"),
                                              read_integer(slots, "slots", 0, INT64_MAX),
                                              read_any_number(target, "target"));
  if (lifetime < SimTime{0}) return py::none();
  return py::int_(lifetime.count());
}

py::list steps(const Evidence& evidence, const LifetimeQuantiles& quantiles, const py::object& size,
               const py::object& most, const py::object& target) {
  py::list steps;
  for (const LifetimeStep& step : evidence.steps(quantiles, read_resources(size, "size"),
                                                 read_integer(most, "most", 0, INT64_MAX),
                                                 read_any_number(target, "target"))) {
    const double seconds = static_cast<double>(step.lifetime.count()) / 1e6;
    steps.append(py::make_tuple(
        step.slots, seconds < 0 ? py::object(py::none()) : py::object(py::float_(seconds))));
  }
  return steps;
}

void bind_evidence(py::module_& core) {
  py::class_<Evidence>(core, "Evidence", R"doc(
What a history supports: no promise longer, and none surer, than what was observed.

For a lifetime L it counts as so many observations as there are starts at least L apart at times
with as many free slots as now, and at most as the spots that ran (docs/lifetime-sla.md).
)doc")
      .def(py::init(&evidence_of), "history"_a, "now_us"_a, "targets"_a, "from_us"_a = 0, R"doc(
Count the evidence that a history holds at a time; what it has later is none.

Args:
    history: History with all spots of that time.
    now_us: The present, microseconds.
    targets: Shares of promises that may be broken.
    from_us: Where the observed time begins.

Raises:
    ConfigError: A target is no number from 0 to 1.
)doc")
      .def("supported", &supported, "quantiles"_a, "size"_a, "slots"_a, "target"_a, R"doc(
Return the longest lifetime that may be promised.

Args:
    quantiles: Estimated at the same time, for `probabilities`.
    size: Of the spot.
    slots: How many spots of that size fit now, over all hosts.
    target: One of the targets.

Returns:
    Microseconds; None: nothing is supported.

Raises:
    ConfigError: It is none of the targets, or a probability was not estimated.
)doc")
      .def("steps", &steps, "quantiles"_a, "size"_a, "most"_a, "target"_a, R"doc(
Return the numbers of free slots from which on another lifetime may be promised.

Args:
    quantiles, size, target: As for `supported`.
    most: The largest number of slots to look at.

Returns:
    A list of (slots, seconds): whole seconds, None where nothing is supported, as with 0 slots.
)doc")
      .def_property_readonly("probabilities", &Evidence::probabilities,
                             "Of evictions: those that have to be estimated.");
}

}  // namespace

void bind_lifetimes(py::module_& core) {
  bind_history(core);
  bind_quantiles(core);
  bind_evidence(core);
  core.def("estimate_lifetimes", &estimate, "history"_a, "sizes"_a, "probabilities"_a, "now_us"_a,
           "from_us"_a = 0, R"doc(
Estimate how long spots live from what happened so far.

Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances"; docs/lifetime-sla.md.

Args:
    history: What it has after now_us is left out.
    sizes: Sizes of spots: ResourceVector or (vcpus, memory_mb[, disk_gb]).
    probabilities: Of evictions, each between 0 and 1.
    now_us: The present, microseconds.
    from_us: Starting points are drawn from there on.
    **options: samples, samples_per, least_samples, victim, censored, quantile, condition_width,
        seed, as the filter LifetimeSla has them.

Returns:
    LifetimeQuantiles.

Raises:
    ConfigError: A setting is out of range.
    InputError: No time lies between from_us and now_us.
)doc");
  core.def("eviction_interval", &interval, "promised"_a, "broken"_a, "confidence"_a = 0.95, R"doc(
Return the range (lower, upper) of an eviction probability, by Clopper and Pearson.

Args:
    promised: How many spots were promised a lifetime.
    broken: How many of them were evicted before.
    confidence: Of the interval.

Raises:
    ConfigError: More were broken than promised, or the confidence is out of range.
)doc");
  core.def(
      "observations_needed",
      [](const py::object& target, const py::object& share) {
        return observations_needed(read_number(target, "target", 0, 1),
                                   read_number(share, "share", 0, 1));
      },
      "target"_a, "share"_a = 0.0, R"doc(
Return how many independent observations support a promise; None: more than anybody will have.

Args:
    target: The share of promises that may be broken.
    share: Of the spots that were evicted before.

Raises:
    ConfigError: One of them is no number from 0 to 1.
)doc");
  core.def("_forecast_skill", &forecast_skill, "losses"_a, "reference_losses"_a, R"doc(
Return the skill of forecasts over a reference and half its 95 % interval over stretches of time.

Args:
    losses: The sum of squared errors of each stretch.
    reference_losses: Those of the reference.

Returns:
    (skill, half_width), the latter None of one stretch; None: the reference made no mistake.
)doc");
}

}  // namespace cospot::bindings
