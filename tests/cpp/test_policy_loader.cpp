#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sweep_fixtures.hpp"
#include "weighers/first_fit_weigher.hpp"

namespace cospot {
namespace {

/// Prefers the host with the highest index, or the lowest unless it is given a multiplier.
class LastFit final : public PerHostWeigher<LastFit> {
 public:
  [[nodiscard]] static double weigh_host(HostRow host, const Request&) { return host.index(); }
  [[nodiscard]] double default_multiplier() const override { return -3; }
};

/// Passes every host but host 2.
class NotTwo final : public PerHostFilter<NotTwo> {
 public:
  [[nodiscard]] static bool host_passes(HostRow host, const Request&) { return host.index() != 2; }
};

/// Evicts the first spot, whatever is asked.
class EvictFirst final : public Evictor {
 public:
  bool make_plan(const EvictionCase& /*eviction*/, double /*limit*/,
                 EvictionPlan& plan) const override {
    plan = {.victims = {0}, .score = 1};
    return true;
  }
};

/// Knows three policies and notes what it was asked.
class SamplePolicies final : public PolicyLoader {
 public:
  void search_first(const std::filesystem::path& folder) override { searched = folder; }
  void load(FilterSpec& spec) override {
    note("filter", spec);
    spec.make = [] { return std::make_unique<NotTwo>(); };
  }
  void load(WeigherSpec& spec) override {
    note("weigher", spec);
    if (spec.name == "nova:missing.Weigher") throw ConfigError("no module named 'missing'");
    spec.make = [made = made_] {
      ++*made;
      return std::make_unique<LastFit>();
    };
  }
  void load(EvictorSpec& spec) override {
    note("evictor", spec);
    spec.make = [] { return std::make_unique<EvictFirst>(); };
  }

  std::vector<std::string> asked;
  std::filesystem::path searched;
  [[nodiscard]] int made() const { return *made_; }

 private:
  void note(const char* kind, const auto& spec) {
    asked.push_back(std::string(kind) + " " + spec.name + " " +
                    std::to_string(spec.options.size()));
  }

  std::shared_ptr<int> made_ = std::make_shared<int>(0);
};

std::string sweep_text(const std::string& vm, const std::string& evictor = "FIFO") {
  return "workloads: {synthetic: azure2020}\nhost: {vcpus: 8, memory_mb: 8}\nhosts: 4\nvm: " + vm +
         "\nspot: sUTIL\nevictor: " + evictor + "\nsaf: false\notn: 1\n";
}

TEST_CASE("PolicyLoader: finds the policies whose name has a scheme, and only those") {
  const ScratchFolder folder;
  SamplePolicies policies;
  const Sweep sweep =
      read_sweep(folder.write("s.yaml", sweep_text("[UTIL, {name: 'python:m.Last', depth: 3}, "
                                                   "{weighers: [nova:n.Ram, COS]}]",
                                                   "python:m.First")),
                 {}, policies);
  CHECK(policies.asked == std::vector<std::string>{"weigher python:m.Last 1",
                                                   "weigher nova:n.Ram 0",
                                                   "evictor python:m.First 0"});
  CHECK_FALSE(sweep.vm.at(0).weighers.at(0).make);
  CHECK(sweep.vm.at(1).label == "python:m.Last");
  CHECK(policies.searched == folder.path());
  CHECK(sweep.vm.at(2).label == "nova:n.Ram+COS");
  CHECK(policies.made() == 2);  // each once, when the sweep is read
  CHECK(contains(sweep_json(sweep), R"({"name":"python:m.Last","multiplier":-3,"depth":3})"));
  CHECK(contains(sweep_json(sweep), R"("evictor":["python:m.First"])"));
}

TEST_CASE("PolicyLoader: what it makes ranks and filters hosts, after feasibility") {
  const ScratchFolder folder;
  SamplePolicies policies;
  const std::string vm =
      "{label: x, filters: [python:m.NotTwo], weighers: [{name: 'python:m.Last', multiplier: 1}]}";
  const Sweep sweep = read_sweep(folder.write("s.yaml", sweep_text(vm)), {}, policies);
  CHECK(contains(
      sweep_json(sweep),
      R"("vm":[{"label":"x","filters":["python:m.NotTwo"],"weighers":["python:m.Last"]}])"));
  HostTable hosts = HostTable::uniform(4, {.vcpus = 8, .memory_mb = 8});
  hosts.add_vm(3, {.vcpus = 8, .memory_mb = 8});
  const auto chain = make_chain(sweep.vm.at(0), ChainSide::kVm);
  const auto ranking = chain->make_ranking(hosts);
  ranking->start({.vcpus = 1, .memory_mb = 1});
  // Host 3 is full and host 2 filtered out; of 0 and 1 the higher index is first.
  CHECK(ranking->next() == 1);
  CHECK(ranking->next() == 0);
  CHECK(ranking->next() == kNoHost);
}

TEST_CASE("PolicyLoader: registered filters can be named too") {
  const ScratchFolder folder;
  SamplePolicies policies;
  const auto error = [&](const std::string& vm) {
    return error_text<ConfigError>(
        [&] { (void)read_sweep(folder.write("s.yaml", sweep_text(vm)), {}, policies); });
  };
  CHECK(contains(error("{filters: [Nothing], weighers: [UTIL]}"),
                 "s.yaml:4: filters: unknown filter 'Nothing'; valid names: "));
  CHECK(contains(error("{filters: [], weighers: [UTIL]}"), "filters: found an empty list"));
  CHECK(contains(error("nova:missing.Weigher"), "s.yaml:4: vm: no module named 'missing'"));
  CHECK(policies.asked.size() == 1);
}

TEST_CASE("NoPythonPolicies: says how to get a cospot that has them") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& vm, const std::string& evictor) {
    return error_text<ConfigError>(
        [&] { (void)read_sweep(folder.write("s.yaml", sweep_text(vm, evictor)), {}); });
  };
  CHECK(contains(error("python:m.Last", "FIFO"),
                 "s.yaml:4: vm: weigher 'python:m.Last': this cospot was built without Python "
                 "policies (configure with -DCOSPOT_BUILD_BOOST_PYTHON=ON)"));
  CHECK(contains(error("{filters: [nova:n.F], weighers: [UTIL]}", "FIFO"),
                 "s.yaml:4: filters: filter 'nova:n.F': this cospot was built without"));
  CHECK(contains(error("UTIL", "python:m.E"), "s.yaml:6: evictor: evictor 'python:m.E'"));
  NoPythonPolicies none;
  CHECK(load_chain("COS", none).label == "COS");
  CHECK(contains(error_text<ConfigError>([&] { (void)load_chain("python:m.C", none); }),
                 "weigher 'python:m.C': this cospot was built without"));
}

}  // namespace
}  // namespace cospot
