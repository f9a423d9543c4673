#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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

/// Which hosts of a table were changed, in order, for those who keep them ranked.
class HostLog {
 public:
  void add(HostIndex host) {
    // Whoever has not looked for so long ranks anew.
    if (changed_.size() == kMostChanges) {
      changed_.clear();
      ++volume_;
    }
    changed_.push_back(host);
  }
  [[nodiscard]] const std::vector<HostIndex>& changed() const { return changed_; }
  [[nodiscard]] std::uint64_t volume() const { return volume_; }

 private:
  static constexpr std::size_t kMostChanges = std::size_t{1} << 16;

  std::vector<HostIndex> changed_;
  std::uint64_t volume_ = 0;  // how often it was begun anew
};

/// A table that Python made, or that of a Datacenter: HostTable in Python.
struct OwnedHosts : HostColumns {
  explicit OwnedHosts(std::shared_ptr<HostTable> owned,
                      std::shared_ptr<const HostLog> changes = std::make_shared<HostLog>())
      : HostColumns(owned->view(), owned), table(std::move(owned)), log(std::move(changes)) {}

  std::shared_ptr<HostTable> table;
  std::shared_ptr<const HostLog> log;
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
