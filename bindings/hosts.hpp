#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "core/host_table.hpp"

namespace cospot::bindings {

/// Columns of hosts as Python sees them, and what keeps them where they are: HostView in Python.
struct HostColumns {
  HostView view;
  std::shared_ptr<const void> keeper;
};

/// A table that Python made: HostTable in Python.
struct OwnedHosts : HostColumns {
  explicit OwnedHosts(std::shared_ptr<HostTable> owned)
      : HostColumns{owned->view(), owned}, table(std::move(owned)) {}

  std::shared_ptr<HostTable> table;
};

/// One host of some columns: HostRow in Python.
struct HostOfColumns {
  HostColumns hosts;
  HostIndex host = 0;

  [[nodiscard]] HostRow row() const { return hosts.view[host]; }
};

/// What a policy is given for a view that it may keep: the columns outlive their table if need be.
[[nodiscard]] inline HostColumns kept_columns(const HostView& hosts) {
  return {hosts, hosts.table->keep_columns()};
}

}  // namespace cospot::bindings
