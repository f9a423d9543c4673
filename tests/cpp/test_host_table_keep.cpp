#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/model/host_table.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kTotal{.vcpus = 8, .memory_mb = 16, .disk_gb = 4};

TEST_CASE("HostTable: kept columns stay where they are when the table is gone") {
  std::optional<HostTable> hosts = HostTable::uniform(3, kTotal);
  const HostView view = hosts->view();
  const std::shared_ptr<const void> kept = hosts->keep_columns();
  hosts->add_spot(1, {.vcpus = 3, .memory_mb = 1});
  CHECK(view.vcpus_free[1] == 5);  // the column follows its table
  hosts.reset();
  CHECK(view.vcpus_free[1] == 5);
  CHECK(view.num_spots[1] == 1);
  CHECK(view.name[2] == "host-2");
}

TEST_CASE("HostTable: a table that moves takes its keepers along") {
  HostTable hosts = HostTable::uniform(3, kTotal);
  const HostView view = hosts.view();
  std::shared_ptr<const void> kept = hosts.keep_columns();
  {
    HostTable moved(std::move(hosts));
    moved.add_vm(0, {.vcpus = 2, .memory_mb = 2});
    CHECK(view.vcpus_free_ignoring_spots[0] == 6);
  }
  CHECK(view.vcpus_free_ignoring_spots[0] == 6);
  kept.reset();  // the last keeper frees them
}

TEST_CASE("HostTable: a copy has columns and keepers of its own") {
  const HostTable hosts = HostTable::uniform(2, kTotal);
  const std::shared_ptr<const void> kept = hosts.keep_columns();
  HostTable copy(hosts);
  copy.add_vm(0, {.vcpus = 2, .memory_mb = 2});
  CHECK(hosts.view().vcpus_free_ignoring_spots[0] == 8);
  CHECK(copy.keep_columns() != kept);
  CHECK(hosts.keep_columns() == kept);
}

}  // namespace
}  // namespace cospot
