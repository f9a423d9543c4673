#pragma once

#include <cstdint>
#include <vector>

#include "core/model/host_table.hpp"

namespace cospot {

/// The hosts of a table that changed, in order, for rankings that follow them.
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

}  // namespace cospot
