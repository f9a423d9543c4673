// PlacementRuns: runs whose decisions Python makes, the compiled part of PlacementEnv.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/live_simulation.hpp"
#include "core/errors.hpp"
#include "core/model/revenue.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

enum class Decides : std::uint8_t { kVm, kOffer, kVictims, kSpot };
constexpr std::array<std::string_view, 4> kDecides{"vm", "offer", "victims", "spot"};

/// The decisions that are made outside a run.
struct DecisionKind {
  Decides decides = Decides::kVm;
  std::size_t actions = 0;
  double spot_value = 1;  ///< in rewards

  [[nodiscard]] bool is(Decides other) const { return decides == other; }
  /// An action is the index of a host.
  [[nodiscard]] bool is_host() const { return is(Decides::kVm) || is(Decides::kSpot); }
};

/// The events since the last decision; revenue in vcpu-seconds, that of an instance as a whole.
struct DecisionFigures {
  double reward = 0;
  double vm_revenue = 0;
  double spot_revenue = 0;  ///< less what evicted spots lost
  double vm_revenue_lost = 0;
  double spot_revenue_lost = 0;
  std::int64_t vm_rejected = 0;
  std::int64_t spot_rejected = 0;
  std::int64_t evictions = 0;
  std::int64_t request = -1;  ///< row of the one to decide about
  bool is_feasible = true;    ///< false: the mask forbade the action
  bool is_finished = false;
};

/// The result of a step, one row a run. An array that the kind of decision does not have is empty.
struct StepArrays {
  py::array_t<std::int32_t> hosts, request, spots, missing, rows;
  py::array_t<double> score;
  py::array_t<std::int8_t> mask;
  py::array_t<DecisionFigures> figures;
};

std::int32_t* write(std::int32_t* out, const ResourceVector& amounts) {
  return std::ranges::copy(std::array{amounts.vcpus, amounts.memory_mb, amounts.disk_gb}, out).out;
}

std::int32_t seconds(SimTime time) {
  return static_cast<std::int32_t>(std::chrono::floor<std::chrono::seconds>(time).count());
}

/// A run that pauses before each decision of a kind. It sees the handshake's plans and its events.
class DecidedRun : public RunObserver {
 public:
  static constexpr std::size_t kHostColumns = 11;
  static constexpr std::size_t kSizeColumns = 4;
  static constexpr bool kSeesEveryPlan = true;

  DecidedRun(const PythonWorkload& workload, PreparedRun run, const DecisionKind& kind)
      : simulation_(workload, std::move(run)),
        kind_(kind),
        mask_(kind.actions),
        passes_(kind.actions),
        hosts_(kind.is_host() ? kind.actions : 0) {
    std::iota(hosts_.begin(), hosts_.end(), HostIndex{0});
    simulation_.set_observer(this);
    advance();
    if (!is_finished_) return;
    throw ConfigError(fmt::format(
        "workload '{}' leaves nothing to decide (decides='{}'), expected more requests or fewer "
        "hosts",
        workload.workload().name, kDecides[static_cast<std::size_t>(kind.decides)]));
  }

  /// An action that the mask forbids rejects the request. Victims are named one by one.
  void take(std::size_t place) {
    if (is_finished_) throw std::runtime_error("the episode has ended: call reset()");
    figures_.is_feasible = mask_[place] != 0;
    Choice choice;
    if (figures_.is_feasible && kind_.is(Decides::kVictims)) {
      const auto spot = spots_.begin() + static_cast<std::ptrdiff_t>(place);
      chosen_.victims.push_back(spot->instance);
      missing_ -= spot->resources;
      spots_.erase(spot);
      if (!missing_.fits_in(ResourceVector{})) return mask_first(spots_.size());
      choice = chosen_;
    } else if (figures_.is_feasible) {
      choice = engine().choose({.request = request_, .hosts = {{.host = hosts_[place]}}});
    }
    engine().decide(choice);
    advance();
  }

  [[nodiscard]] RunResult result() const { return simulation_.result(); }

  /// Writes row `run` of arrays of zeros, or -1 in `rows`; the figures are those since the last
  /// call.
  void observe(StepArrays& out, py::ssize_t run) {
    std::ranges::copy(mask_, out.mask.mutable_data(run));
    out.figures.mutable_at(run) = take_figures();
    if (is_finished_) return;
    *write(out.request.mutable_data(run), request_.resources()) = seconds(request_.time);
    const HostView v = engine().hosts().view();
    std::int32_t* next = out.hosts.mutable_data(run);
    for (const std::span<const std::int32_t> column :
         {v.vcpus_total, v.memory_mb_total, v.disk_gb_total, v.vcpus_free_ignoring_spots,
          v.memory_mb_free_ignoring_spots, v.disk_gb_free_ignoring_spots, v.vcpus_free,
          v.memory_mb_free, v.disk_gb_free, v.num_vms, v.num_spots}) {
      if (kind_.is_host()) {
        std::ranges::copy(column, next);
      } else {
        for (std::size_t i = 0; i < hosts_.size(); ++i) next[i] = column[hosts_[i]];
      }
      next += out.hosts.shape(2);
    }
    if (kind_.is(Decides::kOffer)) {
      std::ranges::copy(hosts_, out.rows.mutable_data(run));
      std::ranges::copy(scores_, out.score.mutable_data(run));
    } else if (kind_.is(Decides::kVictims)) {
      write(out.missing.mutable_data(run), missing_);
      std::int32_t* row = out.spots.mutable_data(run);
      for (std::size_t i = 0; i < std::min(spots_.size(), mask_.size()); ++i) {
        row = write(row, spots_[i].resources);
        *row++ = seconds(request_.time - spots_[i].placed_at);
        out.rows.mutable_data(run)[i] = static_cast<std::int32_t>(spots_[i].instance);
      }
    }
  }

  void considered(HostIndex host, std::span<const RunningSpot> /*spots*/,
                  const EvictionPlan* plan) {
    mask_[hosts_.size()] = plan == nullptr ? 0 : 1;
    hosts_.push_back(host);
    scores_.push_back(plan == nullptr ? 0 : plan->score);
  }
  [[nodiscard]] bool sees_decisions() const override { return false; }
  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
    const double lost = revenue(victim, for_vm.time);
    figures_.spot_revenue -= lost;
    figures_.spot_revenue_lost += lost;
    ++figures_.evictions;
  }
  void placed(const Request& request, HostIndex /*host*/) override {
    (request.is_spot() ? figures_.spot_revenue : figures_.vm_revenue) +=
        revenue(request.instance, request.time);
  }
  void rejected(const Request& request) override {
    ++(request.is_spot() ? figures_.spot_rejected : figures_.vm_rejected);
    (request.is_spot() ? figures_.spot_revenue_lost : figures_.vm_revenue_lost) +=
        revenue(request.instance, request.time);
  }

 private:
  DecisionFigures take_figures() {
    const EventSchedule& all = simulation_.schedule();
    const double requested = vcpu_seconds(all.vm_revenue_requested) +
                             kind_.spot_value * vcpu_seconds(all.spot_revenue_requested);
    const double lost = figures_.vm_revenue_lost + kind_.spot_value * figures_.spot_revenue_lost;
    figures_.reward = requested > 0 ? -100 * lost / requested : 0;
    figures_.request = is_finished_ ? -1 : std::int64_t{request_.instance};
    figures_.is_finished = is_finished_;
    return std::exchange(figures_, {});
  }
  [[nodiscard]] SimulationEngine& engine() { return simulation_.engine(); }
  [[nodiscard]] double revenue(InstanceIndex instance, SimTime from) const {
    const EventSchedule& all = simulation_.schedule();
    const ResourceAmount vcpus = simulation_.workload().rows[instance].resources.vcpus;
    return vcpu_seconds(all.revenue(vcpus, from, all.end[instance]));
  }

  /// Runs to the next request about which there is something to choose.
  void advance() {
    PauseAt pause{.contention = kind_.is(Decides::kVictims)};
    if (!pause.contention) {
      pause.arrivals_of = kind_.is(Decides::kSpot) ? InstanceClass::kSpot : InstanceClass::kVm;
    }
    is_finished_ = true;  // also when a policy or a signal ends it
    mask_first(0);
    while (is_finished_ && simulation_.run_to(pause) != RunPause::kFinished) {
      is_finished_ = !open();
    }
  }

  /// False: nothing to choose, and the request got what the policies give it.
  bool open() {
    request_ = engine().next_request();
    Choice choice;
    if (kind_.is(Decides::kVictims)) {
      choice = engine().answer();
      if (!choice.victims.empty()) open_victims(choice.host);
    } else if (kind_.is(Decides::kOffer)) {
      hosts_.clear();
      scores_.clear();
      (void)engine().answer(*this);
    } else {
      mask_hosts();
    }
    if (std::ranges::find(mask_, 1) != mask_.end()) return true;
    engine().decide(choice);
    return false;
  }

  void open_victims(const OfferedHost& host) {
    chosen_ = {.host = host, .victims = {}};
    hosts_ = {host.host};
    const std::span<const RunningSpot> spots = engine().spots_on(host.host);
    spots_.assign(spots.begin(), spots.end());
    missing_ = shortfall(engine().hosts(), host.host, request_);
    mask_first(spots_.size());
  }

  /// The hosts that pass the chain's filters; its weighers are not asked.
  void mask_hosts() {
    mask_first(mask_.size());
    const HostView hosts = engine().hosts().view();
    for (const auto& filter : engine().datacenter().chain_for(request_).filters()) {
      if (filter->mode() != FilterMode::kDrop) continue;
      filter->filter_all(hosts, hosts_, request_, passes_);
      std::ranges::transform(mask_, passes_, mask_.begin(), std::bit_and<std::uint8_t>{});
    }
  }
  void mask_first(std::size_t places) {
    std::ranges::fill(mask_, std::uint8_t{0});
    std::fill_n(mask_.begin(), std::min(places, mask_.size()), std::uint8_t{1});
  }

  LiveSimulation simulation_;
  DecisionKind kind_;
  bool is_finished_ = false;
  Request request_;
  std::vector<std::uint8_t> mask_, passes_;
  std::vector<HostIndex> hosts_;    // to choose from; for kVictims the chosen one
  std::vector<double> scores_;      // for kOffer, by place
  std::vector<RunningSpot> spots_;  // for kVictims: those that are left
  Choice chosen_;                   // for kVictims, so far
  ResourceVector missing_;          // for kVictims
  DecisionFigures figures_;
};

template <class T>
py::array_t<T> add(py::dict& arrays, const char* name, const std::vector<std::size_t>& shape,
                   T value) {
  py::array_t<T> array(shape);
  std::fill_n(array.mutable_data(), array.size(), value);
  arrays[name] = array;
  return array;
}

class PlacementRuns {
 public:
  PlacementRuns(std::size_t count, const std::string& decides, std::size_t most_spots,
                double spot_value, PreparedRun run)
      : prepared_(std::move(run)),
        kind_{.actions = prepared_.hosts.size(), .spot_value = spot_value},
        runs_(count) {
    const auto* const found = std::ranges::find(kDecides, decides);
    if (found == kDecides.end()) {
      throw ConfigError(
          fmt::format("decides is '{}', expected one of: {}", decides, fmt::join(kDecides, ", ")));
    }
    kind_.decides = static_cast<Decides>(found - kDecides.begin());
    const OfferRule& otn = prepared_.settings.otn;
    if (kind_.is(Decides::kVictims)) kind_.actions = most_spots;
    if (kind_.is(Decides::kOffer)) {
      kind_.actions = std::min(kind_.actions, std::max(otn.most_hosts(0), otn.most_hosts(1)));
    }
  }

  void start(std::size_t number, const PythonWorkload& workload) {
    warn_of_inputs(workload, prepared_.settings.host);
    runs_.at(number) = std::make_unique<DecidedRun>(
        workload, PreparedRun{prepared_.settings, prepared_.hosts}, kind_);
  }

  py::tuple step(const std::vector<py::object>& actions) {
    if (actions.size() != runs_.size()) {
      throw ConfigError(fmt::format("{} actions, expected {}", actions.size(), runs_.size()));
    }
    const auto last = static_cast<std::int64_t>(kind_.actions) - 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (actions[i].is_none()) continue;
      run(i).take(static_cast<std::size_t>(read_integer(actions[i], "action", 0, last)));
    }
    return observation();
  }

  [[nodiscard]] RunResult result(std::size_t number) const { return run(number).result(); }
  [[nodiscard]] std::size_t actions() const { return kind_.actions; }

 private:
  [[nodiscard]] DecidedRun& run(std::size_t number) const {
    if (runs_.at(number) != nullptr) return *runs_[number];
    throw std::runtime_error("no episode has begun: call reset()");
  }

  py::tuple observation() {
    const std::size_t runs = runs_.size();
    const std::size_t hosts = kind_.is(Decides::kVictims) ? 1 : kind_.actions;
    py::dict seen;
    py::dict info;
    StepArrays out;
    out.figures = py::array_t<DecisionFigures>(std::vector{runs});
    // Column by column, as most are written and read; seen row by row.
    out.hosts = add(seen, "hosts", {runs, DecidedRun::kHostColumns, hosts}, 0);
    seen["hosts"] = out.hosts.attr("swapaxes")(1, 2);
    out.request = add(seen, "request", {runs, DecidedRun::kSizeColumns}, 0);
    out.mask = add(info, "action_mask", {runs, kind_.actions}, std::int8_t{0});
    if (kind_.is(Decides::kOffer)) {
      out.score = add(seen, "score", {runs, kind_.actions}, 0.0);
    } else if (kind_.is(Decides::kVictims)) {
      out.spots = add(seen, "spots", {runs, kind_.actions, DecidedRun::kSizeColumns}, 0);
      out.missing = add(seen, "missing", {runs, 3}, 0);
    }
    if (!kind_.is_host()) out.rows = add(info, "rows", {runs, kind_.actions}, -1);
    for (std::size_t i = 0; i < runs; ++i) run(i).observe(out, static_cast<py::ssize_t>(i));
    return py::make_tuple(seen, info, out.figures);
  }

  PreparedRun prepared_;
  DecisionKind kind_;
  std::vector<std::unique_ptr<DecidedRun>> runs_;
};

}  // namespace

void bind_placement(py::module_& core) {
  PYBIND11_NUMPY_DTYPE(DecisionFigures, reward, vm_revenue, spot_revenue, vm_revenue_lost,
                       spot_revenue_lost, vm_rejected, spot_rejected, evictions, request,
                       is_feasible, is_finished);
  py::class_<PlacementRuns>(core, "PlacementRuns",
                            "The runs of PlacementEnv or PlacementVectorEnv.")
      .def(py::init([](const py::object& count, const py::dict& given) {
             return std::make_unique<PlacementRuns>(
                 read_count(count, "count", 1), read_text(given["decides"], "decides"),
                 read_count(given["most_spots"], "most_spots", 1),
                 read_number(given["spot_value"], "spot_value", 0, 1e6),
                 prepare_run(given["hosts"], given["host"], given["vm"], given["spot"],
                             given["evictor"], py::bool_(given["saf"]), given["otn"]));
           }),
           "count"_a, "keywords"_a, "Prepare `count` runs; `keywords` are those of PlacementEnv.")
      .def("start", &PlacementRuns::start, "number"_a, "workload"_a,
           "Begin a run, up to its first decision.")
      .def("step", &PlacementRuns::step, "actions"_a,
           "Take an action in each run (None: in none) and go on to its next decision. Return the "
           "observation, masks and rows, and the figures as records: one row a run.")
      .def("result", &PlacementRuns::result, "number"_a,
           "Return what was requested, earned and lost until now: a RunResult.")
      .def_property_readonly("actions", &PlacementRuns::actions, "How many actions there are.");
}

}  // namespace cospot::bindings
