#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// A change on a host. Equal changes in the same order give equal generations.
struct HostChange {
  enum class Kind : std::uint8_t { kCame, kLeft, kClosed, kReopened };

  SimTime time{0};
  Kind kind = Kind::kCame;
  HostIndex host = kNoHost;
  InstanceIndex instance = 0;  ///< that arrived or left (ended, evicted, moved)
  ResourceVector resources{};
  bool is_vm = false;  ///< of the highest level
  SimTime ends_at{0};  ///< for an arrival
  SimTime promised_until = kNoPromisedEnd;
  std::uint64_t previous = 0;  ///< number of all changes up to the host's previous one; 0: none
};

/// All changes of a datacenter in order; schedulers use it to update their views. Changes that
/// every scheduler knows are dropped.
class ChangeLog {
 public:
  explicit ChangeLog(std::size_t hosts) : newest_(hosts, 0) {}

  void add(HostChange change) {
    change.previous = newest_[change.host];
    changes_.push_back(change);
    newest_[change.host] = count();
  }

  /// The number of changes so far, including dropped ones.
  [[nodiscard]] std::uint64_t count() const { return forgotten_ + changes_.size(); }

  /// The change with number `position`, from 0.
  [[nodiscard]] const HostChange& operator[](std::uint64_t position) const {
    return changes_[position - forgotten_];
  }

  /// The number of all changes up to and including the host's last one; 0: it never changed.
  [[nodiscard]] std::uint64_t newest_of(HostIndex host) const { return newest_[host]; }

  /// Drops all changes before number `position`.
  void forget_before(std::uint64_t position) {
    for (; forgotten_ < position; ++forgotten_) changes_.pop_front();
  }

 private:
  std::deque<HostChange> changes_;
  std::uint64_t forgotten_ = 0;
  std::vector<std::uint64_t> newest_;  // per host
};

}  // namespace cospot
