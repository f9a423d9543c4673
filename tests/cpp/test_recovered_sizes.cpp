#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/data/reconstruction/recovered_sizes.hpp"
#include "sim_harness/data/reconstruction/slack_program.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_ratios.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

/// Two machine types of 12 and 24 cores, 48 and 64 units of memory, and VM types 1 to 4 of 3, 4, 6
/// and 12 cores; type 9 runs only on machine type 5, of unknown size.
std::vector<TypeShare> small_shares() {
  return {{1, 0, 3 / 12.0, 8 / 48.0},   {1, 1, 3 / 24.0, 8 / 64.0},
          {2, 0, 4 / 12.0, 8 / 48.0},   {2, 1, 4 / 24.0, 8 / 64.0},
          {3, 0, 6 / 12.0, 16 / 48.0},  {3, 1, 6 / 24.0, 16 / 64.0},
          {4, 1, 12 / 24.0, 32 / 64.0}, {9, 5, 0.5, 0.25}};
}

const std::map<std::int64_t, std::uint64_t> kRequests{{1, 5}, {2, 6}, {3, 7}, {4, 8}, {9, 2}};

TEST_CASE("recover_sizes: whole sizes with the ratios of the trace, by group") {
  const RecoveredSizes sizes = recover_sizes(small_shares(), kRequests, {});
  REQUIRE(sizes.vm_types.size() == 5);
  // 3, 4, 6 and 12 of 12 and 24 have no common factor; 8, 8, 16 and 32 of 48 and 64 are 1, 1, 2 and
  // 4 of 6 and 8; a half and a quarter are 1 of 2 and 1 of 4.
  CHECK(sizes.vm_types[0].vcpus == 3);
  CHECK(sizes.vm_types[3].vcpus == 12);
  CHECK(sizes.vm_types[3].memory == 4);
  CHECK(sizes.vm_types[3].requests == 8);
  CHECK(sizes.machine_types[1].vcpus == 24);
  CHECK(sizes.machine_types[1].memory == 8);
  CHECK(sizes.groups == 2);
  CHECK(sizes.vm_types[4].group == 2);
  CHECK(sizes.vm_types[4].vcpus == 1);
  CHECK(sizes.machine_types[2].memory == 4);
  CHECK(recovered_sizes_csv(sizes) ==
        "kind,id,status,group,vcpus,memory,requests\n"
        "machine_type,0,recovered,1,12,6,\n"
        "machine_type,1,recovered,1,24,8,\n"
        "machine_type,5,recovered,2,2,4,\n"
        "vm_type,1,recovered,1,3,1,5\n"
        "vm_type,2,recovered,1,4,1,6\n"
        "vm_type,3,recovered,1,6,2,7\n"
        "vm_type,4,recovered,1,12,4,8\n"
        "vm_type,9,recovered,2,1,1,2\n");
}

TEST_CASE("recover_sizes: known totals set the scale of a group") {
  const RecoveredSizes sizes =
      recover_sizes(small_shares(), kRequests,
                    {.host_vcpus = {{0, 24}, {1, 48}}, .host_memory = {{0, 48}, {5, 12}}});
  CHECK(sizes.vm_types[0].vcpus == 6);
  CHECK(sizes.vm_types[0].memory == 8);
  CHECK(sizes.vm_types[4].vcpus == 1);
  CHECK(sizes.vm_types[4].memory == 3);
  const auto error = [](const RecoveryOptions& options) {
    return error_text<ConfigError>(
        [&] { (void)recover_sizes(small_shares(), kRequests, options); });
  };
  CHECK(error({.host_vcpus = {{0, 13}}}) ==
        "--host-cores 0=13: expected a multiple of 12, the least at which all sizes are whole "
        "numbers");
  CHECK(error({.host_vcpus = {{0, 24}, {1, 24}}}) ==
        "--host-cores 1=24: expected 48, as another machine type's total says");
  CHECK(error({.host_memory = {{8, 6}}}) ==
        "--host-memory 8=6: there is no such machine type with a recovered size");
  CHECK(contains(error({.host_vcpus = {{0, 12 * 5000000}}}), "the largest size would be 24 x"));
}

TEST_CASE("recover_sizes: only the chosen machine types") {
  const RecoveredSizes sizes = recover_sizes(small_shares(), kRequests, {.machine_types = {0}});
  // 3, 4 and 6 of 12; types 4 and 9 do not run on it.
  CHECK(sizes.machine_types.size() == 1);
  CHECK(sizes.vm_types[0].vcpus == 3);
  CHECK(sizes.vm_types[3].recovery == Recovery::kNoMachineType);
  CHECK(contains(recovered_sizes_text(sizes), "2 left out, on none of the machine types: 4 9\n"));
  CHECK(error_text<ConfigError>([] {
          (void)recover_sizes(small_shares(), kRequests, {.machine_types = {0, 3}});
        }) == "--machines: the trace has no machine type 3, valid ones: 0, 1, 5");
}

TEST_CASE("recover_sizes: types that no whole sizes fit are named") {
  std::vector<TypeShare> shares = small_shares();
  shares.push_back({10, 1, 0.577215664901533, 0.5});
  shares.push_back({11, 1, 0.707106781186548, 0.5});
  auto requests = kRequests;
  requests[10] = 1;
  requests[11] = 1;
  const std::string error =
      error_text<ConfigError>([&] { (void)recover_sizes(shares, requests, {.tolerance = 1e-14}); });
  CAPTURE(error);
  CHECK(contains(error, "no whole cores sizes up to 67108864"));
  CHECK(contains(error, "satisfy the equations of VM type 10 and 5 others"));
}

TEST_CASE("recover_sizes: nothing is left") {
  CHECK(contains(error_text<ConfigError>([] {
                   (void)recover_sizes(small_shares(), {{77, 3}}, {});
                 }),
                 "no VM type that is requested has a consistent size"));
}

TEST_CASE("recover_sizes: a type left out for either resource is left out of both") {
  if (!has_slack_solver()) return;
  std::vector<TypeShare> shares = small_shares();
  shares[3].memory = 16 / 64.0;  // type 2 would be 8 on machine 0 and 16 on machine 1
  const RecoveredSizes sizes = recover_sizes(shares, kRequests, {});
  CHECK(sizes.vm_types[1].recovery == Recovery::kInconsistent);
  CHECK(sizes.vm_types[1].memory_inconsistent);
  CHECK_FALSE(sizes.vm_types[1].vcpus_inconsistent);
  // Without type 2, 3, 6 and 12 of 12 and 24 have the factor 3.
  CHECK(sizes.machine_types[0].vcpus == 4);
  CHECK(sizes.vm_types[0].vcpus == 1);
  CHECK(contains(recovered_sizes_csv(sizes), "vm_type,2,inconsistent_memory,,,,6\n"));
}

/// The numbers of one kind in the release's JSON file, such as `"vm_cores[6]": 100.0`.
std::map<std::int64_t, std::int64_t> read_released(const std::string& text,
                                                   const std::string& kind) {
  std::map<std::int64_t, std::int64_t> values;
  const std::regex entry("\"" + kind + "\\[(\\d+)\\]\": (\\d+)\\.0");
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    values[std::stoll((*found)[1])] = std::stoll((*found)[2]);
  }
  return values;
}

TEST_CASE("recover_sizes: the published table gives the sizes of the CoSpot release") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr || !has_slack_solver()) {
    MESSAGE("COSPOT_DATA is not set: skipped");
    return;
  }
  const std::filesystem::path folder = std::filesystem::path(data) / "azure2020-cospot";
  const std::string released = read_stored_file(folder / "server_vm_cores_ram.json");
  const auto vm_cores = read_released(released, "vm_cores");
  const auto vm_ram = read_released(released, "vm_ram");
  const auto server_cores = read_released(released, "server_cores");
  const auto server_ram = read_released(released, "server_ram");
  REQUIRE(vm_ram.size() == 265);
  REQUIRE(server_cores.size() == 6);

  // The release's RAM solution lists the 265 types that the zone requests.
  const ScratchFolder scratch;
  const auto requests_file = scratch.write("vm.csv", "");
  std::map<std::int64_t, std::uint64_t> requests;
  for (const auto& [type, ram] : vm_ram) requests[type] = 1;
  RecoveryOptions options;
  for (const auto& [machine, cores] : server_cores) options.machine_types.push_back(machine);
  const auto shares = open_packing_trace(requests_file, folder / "vmType.csv.gz")->read_shares();
  const RecoveredSizes sizes = recover_sizes(shares, requests, options);

  std::size_t left_out = 0;
  for (const RecoveredSize& size : sizes.vm_types) {
    CAPTURE(size.id);
    CHECK((size.recovery == Recovery::kRecovered) == vm_cores.contains(size.id));
    if (size.recovery != Recovery::kRecovered) {
      ++left_out;
      continue;
    }
    CHECK(size.vcpus == vm_cores.at(size.id));
    CHECK(size.memory == vm_ram.at(size.id));
  }
  CHECK(left_out == 18);
  for (const RecoveredSize& size : sizes.machine_types) {
    CAPTURE(size.id);
    CHECK(size.vcpus == server_cores.at(size.id));
    CHECK(size.memory == server_ram.at(size.id));
  }
}

}  // namespace
}  // namespace cospot
