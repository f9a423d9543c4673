#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// What changed on a host. The same changes in the same order give its table the same generation.
struct HostChange {
  enum class Kind : std::uint8_t { kCame, kLeft, kClosed, kReopened };

  SimTime time{0};
  Kind kind = Kind::kCame;
  HostIndex host = kNoHost;
  InstanceIndex instance = 0;  ///< that came, or left: it ended, was evicted, moved
  ResourceVector resources{};
  bool is_vm = false;  ///< of the highest level
  SimTime ends_at{0};  ///< of one that came
  SimTime promised_until = kNoPromisedEnd;
  std::uint64_t previous = 0;  ///< how many changes there were at the host's last one; 0: none
};

/// All changes of a datacenter in order, from which schedulers bring their views up to date. What
/// every scheduler knows is forgotten.
class ChangeLog {
 public:
  explicit ChangeLog(std::size_t hosts) : newest_(hosts, 0) {}

  void add(HostChange change) {
    change.previous = newest_[change.host];
    changes_.push_back(change);
    newest_[change.host] = count();
  }

  /// How many changes there were, forgotten ones included.
  [[nodiscard]] std::uint64_t count() const { return forgotten_ + changes_.size(); }

  /// The change that was added as number `position`, from 0 on.
  [[nodiscard]] const HostChange& operator[](std::uint64_t position) const {
    return changes_[position - forgotten_];
  }

  /// How many changes there were right after the host's last one; 0: it never changed.
  [[nodiscard]] std::uint64_t newest_of(HostIndex host) const { return newest_[host]; }

  /// Forgets all changes before number `position`.
  void forget_before(std::uint64_t position) {
    for (; forgotten_ < position; ++forgotten_) changes_.pop_front();
  }

 private:
  std::deque<HostChange> changes_;
  std::uint64_t forgotten_ = 0;
  std::vector<std::uint64_t> newest_;  // of each host
};

}  // namespace cospot
