#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// Remembers of recent searches for the lowest host of a plateau the row that was found: the next
/// one for the same looks at rows before it only where one has changed since, and goes on from it.
template <class Key>
class FirstRows {
 public:
  /// Begins anew after so many changes.
  explicit FirstRows(std::int32_t most_changes = std::numeric_limits<std::int32_t>::max())
      : most_changes_(most_changes) {}

  /// Takes note of a row's new key or room; nothing is kept before the first search.
  void changed(HostIndex row) {
    if (changed_.empty()) return;
    if (now_ == most_changes_) forget();
    changed_[row / kRowsOfChange] = ++now_;
  }

  /// As lowest_host() from row 0 on, of columns whose rows are hosts.
  [[nodiscard]] HostIndex lowest(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first,
                                 Key last) {
    if (changed_.empty()) start(hosts.rows);
    Search& search = searches_[place_of(query, first)];
    if (!search.is_for(query, first, last)) {
      search = {.query = query, .first = first, .last = last};
    }
    HostIndex found = kNoHost;
    // Most rows before it may have changed: one pass is quicker.
    if (static_cast<HostIndex>(now_ - search.at) > search.row / kRowsOfChange) {
      search.row = 0;
    } else {
      found = lowest_changed_host(hosts, query, first, last,
                                  {.changed = changed_.data(), .since = search.at}, search.row);
    }
    if (found == kNoHost) found = lowest_host(hosts, query, first, last, search.row);
    search.row = std::min(found, static_cast<HostIndex>(hosts.rows));
    search.at = now_;
    return found;
  }

 private:
  static constexpr std::size_t kSearches = 256;

  struct Search {
    RoomQuery query;
    Key first = std::numeric_limits<Key>::max();  ///< no search has such a range
    Key last = std::numeric_limits<Key>::lowest();
    HostIndex row = 0;    ///< none before it was found
    std::int32_t at = 0;  ///< when that was

    [[nodiscard]] bool is_for(const RoomQuery& other, Key first_key, Key last_key) const {
      return query.need == other.need && query.fit == other.fit &&
             query.with_disk == other.with_disk && first == first_key && last == last_key;
    }
  };

  /// Searches that share a place take it from each other. A request has a plateau at either end.
  [[nodiscard]] static std::size_t place_of(const RoomQuery& query, Key first) {
    const bool is_lower = first == next_key_up(std::numeric_limits<Key>::lowest());
    std::uint64_t hash = static_cast<std::uint64_t>(query.fit);
    for (const ResourceAmount amount : {query.need.vcpus, query.need.memory_mb}) {
      hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0x9e3779b97f4a7c15U;
    }
    return (hash >> 57) * 2 + (is_lower ? 1 : 0);
  }

  void start(std::size_t rows) {
    changed_.resize((rows / kRowsOfChange / kRowPadding + 1) * kRowPadding);
    searches_.resize(kSearches);
  }
  void forget() {
    now_ = 0;
    std::ranges::fill(changed_, 0);
    std::ranges::fill(searches_, Search{});
  }

  std::int32_t most_changes_;
  std::int32_t now_ = 0;               // changes so far
  std::vector<std::int32_t> changed_;  // of each kRowsOfChange rows: when one of them did last
  std::vector<Search> searches_;
};

}  // namespace cospot
