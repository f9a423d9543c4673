#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string_view>
#include <utility>

#include "core/model/host_log.hpp"
#include "core/model/host_table.hpp"

namespace cospot::bindings {

/// Columns of hosts as Python sees them, and what keeps them where they are: HostView in Python.
struct HostColumns {
  HostColumns(const HostView& columns, std::shared_ptr<const void> keeps)
      : view(columns), keeper(std::move(keeps)) {}
  HostColumns(const HostColumns&) = default;
  HostColumns(HostColumns&&) = default;
  HostColumns& operator=(const HostColumns&) = default;
  HostColumns& operator=(HostColumns&&) = default;
  virtual ~HostColumns() = default;

  HostView view;
  std::shared_ptr<const void> keeper;
};

/// A table that Python made, or that of a Datacenter: HostTable in Python.
struct OwnedHosts : HostColumns {
  explicit OwnedHosts(std::shared_ptr<const HostTable> owned,
                      std::shared_ptr<const HostLog> changes = std::make_shared<HostLog>())
      : HostColumns(owned->view(), owned), table(std::move(owned)), log(std::move(changes)) {}

  std::shared_ptr<const HostTable> table;
  std::shared_ptr<const HostLog> log;
};

/// The table of a list of HostSpec, each with a name of its own.
[[nodiscard]] HostTable read_host_table(pybind11::handle hosts, std::string_view expected);

/// One host of some columns: HostRow in Python.
struct HostOfColumns {
  HostColumns hosts;
  HostIndex host = 0;

  [[nodiscard]] HostRow row() const { return hosts.view[host]; }
};

/// A view that a policy may keep: the columns outlive their table if need be.
[[nodiscard]] inline HostColumns kept_columns(const HostView& hosts) {
  return {hosts, hosts.table->keep_columns()};
}

}  // namespace cospot::bindings
