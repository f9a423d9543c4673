#include "core/ranking/host_buckets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace cospot {
namespace {

constexpr ResourceAmount kNoRoom = -1;

ResourceVector larger(const ResourceVector& a, const ResourceVector& b) {
  return {std::max(a.vcpus, b.vcpus), std::max(a.memory_mb, b.memory_mb),
          std::max(a.disk_gb, b.disk_gb)};
}

}  // namespace

template <class Key, class ByHost>
HostBuckets<Key, ByHost>::HostBuckets(const HostTable& hosts, ByHost by_host)
    : by_host_(std::move(by_host)),
      with_disk_(hosts.largest_total().disk_gb > 0),
      place_of_(hosts.size()) {
  static_assert(kBucketRows % kRowPadding == 0);
  order_.push_back({.bucket = new_bucket(),
                    .bound = {std::numeric_limits<Key>::lowest(), 0},
                    .free_ignoring_spots = {kNoRoom, kNoRoom, kNoRoom},
                    .free = {kNoRoom, kNoRoom, kNoRoom},
                    .lowest_host = kNoHost});
}

template <class Key, class ByHost>
std::uint32_t HostBuckets<Key, ByHost>::new_bucket() {
  if (!free_buckets_.empty()) {
    const std::uint32_t bucket = free_buckets_.back();
    free_buckets_.pop_back();
    return bucket;
  }
  const auto bucket = static_cast<std::uint32_t>(position_.size());
  const std::size_t rows = (position_.size() + 1) * kBucketRows;
  for (int resource = 0; resource < (with_disk_ ? 3 : 2); ++resource) {
    free_ignoring_spots_[resource].resize(rows, kNoRoom);
    free_[resource].resize(rows, kNoRoom);
  }
  key_.resize(rows);
  host_.resize(rows);
  position_.push_back(0);
  return bucket;
}

template <class Key, class ByHost>
RoomColumns<Key> HostBuckets<Key, ByHost>::columns(const BucketSummary& summary) const {
  const std::size_t first = summary.bucket * kBucketRows;
  RoomColumns<Key> columns;
  for (int resource = 0; resource < (with_disk_ ? 3 : 2); ++resource) {
    columns.free_ignoring_spots[resource] = free_ignoring_spots_[resource].data() + first;
    columns.free[resource] = free_[resource].data() + first;
  }
  columns.key = key_.data() + first;
  columns.host = host_.data() + first;
  columns.rows = summary.rows;
  return columns;
}

template <class Key, class ByHost>
bool HostBuckets<Key, ByHost>::may_fit(const BucketSummary& summary, const RoomQuery& query) const {
  const ResourceVector& room =
      query.fit == Fit::kBesideAll ? summary.free : summary.free_ignoring_spots;
  return query.need.vcpus <= room.vcpus && query.need.memory_mb <= room.memory_mb &&
         (!query.with_disk || query.need.disk_gb <= room.disk_gb);
}

/// The position of the bucket in whose range a pair lies.
template <class Key, class ByHost>
std::size_t HostBuckets<Key, ByHost>::position_for(Key key, HostIndex host) const {
  const auto above = std::partition_point(
      order_.begin() + 1, order_.end(),
      [&](const BucketSummary& summary) { return !summary.bound.is_above(key, host); });
  return static_cast<std::size_t>(above - order_.begin()) - 1;
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::store(std::size_t slot, HostIndex host, const Entry& entry) {
  free_ignoring_spots_[0][slot] = entry.free_ignoring_spots.vcpus;
  free_ignoring_spots_[1][slot] = entry.free_ignoring_spots.memory_mb;
  free_[0][slot] = entry.free.vcpus;
  free_[1][slot] = entry.free.memory_mb;
  if (with_disk_) {
    free_ignoring_spots_[2][slot] = entry.free_ignoring_spots.disk_gb;
    free_[2][slot] = entry.free.disk_gb;
  }
  key_[slot] = entry.key;
  host_[slot] = host;
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::copy_row(std::size_t from, std::size_t to) {
  for (int resource = 0; resource < (with_disk_ ? 3 : 2); ++resource) {
    free_ignoring_spots_[resource][to] = free_ignoring_spots_[resource][from];
    free_[resource][to] = free_[resource][from];
  }
  key_[to] = key_[from];
  host_[to] = host_[from];
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::clear_row(std::size_t slot) {
  for (int resource = 0; resource < (with_disk_ ? 3 : 2); ++resource) {
    free_ignoring_spots_[resource][slot] = kNoRoom;
    free_[resource][slot] = kNoRoom;
  }
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::put(HostIndex host, Key key, HostRow row) {
  const Entry entry{key, row.free(Sees::kVms), row.free(Sees::kVmsAndSpots)};
  const Place place = place_of_[host];
  const std::size_t target = position_for(key, host);
  if (place.bucket == order_[target].bucket) {
    replace_row(target, place.row, host, entry);
  } else if (place.bucket == kNoBucket) {
    append(target, host, entry);
  } else {
    remove(host);
    append(position_for(key, host), host, entry);
  }
  by_host_.put(host, key, row);
}

/// Stores what is new of a host that stays in its bucket.
template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::replace_row(std::size_t position, std::uint32_t row, HostIndex host,
                                           const Entry& entry) {
  BucketSummary& summary = order_[position];
  const std::size_t slot = summary.bucket * kBucketRows + row;
  const bool held_a_maximum = holds_a_maximum(summary, slot);
  store(slot, host, entry);
  if (held_a_maximum) {
    refresh_summary(position);
  } else {
    summary.free_ignoring_spots = larger(summary.free_ignoring_spots, entry.free_ignoring_spots);
    summary.free = larger(summary.free, entry.free);
  }
}

/// Tells whether the summary may change when the row at `slot` goes.
template <class Key, class ByHost>
bool HostBuckets<Key, ByHost>::holds_a_maximum(const BucketSummary& summary,
                                               std::size_t slot) const {
  return free_ignoring_spots_[0][slot] == summary.free_ignoring_spots.vcpus ||
         free_ignoring_spots_[1][slot] == summary.free_ignoring_spots.memory_mb ||
         free_[0][slot] == summary.free.vcpus || free_[1][slot] == summary.free.memory_mb ||
         (with_disk_ && (free_ignoring_spots_[2][slot] == summary.free_ignoring_spots.disk_gb ||
                         free_[2][slot] == summary.free.disk_gb));
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::append(std::size_t position, HostIndex host, const Entry& entry) {
  if (order_[position].rows == kBucketRows) {
    split(position);
    position = position_for(entry.key, host);
  }
  BucketSummary& summary = order_[position];
  store(summary.bucket * kBucketRows + summary.rows, host, entry);
  place_of_[host] = {summary.bucket, summary.rows};
  ++summary.rows;
  ++size_;
  summary.free_ignoring_spots = larger(summary.free_ignoring_spots, entry.free_ignoring_spots);
  summary.free = larger(summary.free, entry.free);
  summary.lowest_host = std::min(summary.lowest_host, host);
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::remove(HostIndex host) {
  const Place place = place_of_[host];
  place_of_[host] = {};
  by_host_.remove(host);
  --size_;
  const std::size_t position = position_[place.bucket];
  const bool summary_changes =
      holds_a_maximum(order_[position], place.bucket * kBucketRows + place.row) ||
      order_[position].lowest_host == host;
  erase_row(position, place.row);
  if (summary_changes) refresh_summary(position);
  merge_if_small(position);
}

/// Fills the gap with the bucket's last row.
template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::erase_row(std::size_t position, std::uint32_t row) {
  BucketSummary& summary = order_[position];
  const std::size_t first = summary.bucket * kBucketRows;
  const std::uint32_t last = --summary.rows;
  if (row != last) {
    copy_row(first + last, first + row);
    place_of_[host_[first + row]].row = row;
  }
  clear_row(first + last);
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::refresh_summary(std::size_t position) {
  BucketSummary& summary = order_[position];
  const std::size_t first = summary.bucket * kBucketRows;
  ResourceVector vms{kNoRoom, kNoRoom, kNoRoom};
  ResourceVector all{kNoRoom, kNoRoom, kNoRoom};
  HostIndex lowest_host = kNoHost;
  for (std::size_t slot = first; slot < first + summary.rows; ++slot) {
    vms.vcpus = std::max(vms.vcpus, free_ignoring_spots_[0][slot]);
    vms.memory_mb = std::max(vms.memory_mb, free_ignoring_spots_[1][slot]);
    all.vcpus = std::max(all.vcpus, free_[0][slot]);
    all.memory_mb = std::max(all.memory_mb, free_[1][slot]);
    lowest_host = std::min(lowest_host, host_[slot]);
  }
  if (with_disk_) {
    for (std::size_t slot = first; slot < first + summary.rows; ++slot) {
      vms.disk_gb = std::max(vms.disk_gb, free_ignoring_spots_[2][slot]);
      all.disk_gb = std::max(all.disk_gb, free_[2][slot]);
    }
  }
  summary.free_ignoring_spots = vms;
  summary.free = all;
  summary.lowest_host = lowest_host;
}

/// Moves the upper half of a full bucket, by (key, host), to a new one behind it.
template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::split(std::size_t position) {
  const std::uint32_t old_bucket = order_[position].bucket;
  const std::uint32_t upper_bucket = new_bucket();
  const std::size_t first = old_bucket * kBucketRows;
  std::vector<std::size_t> slots(kBucketRows);
  std::iota(slots.begin(), slots.end(), first);
  const auto middle = slots.begin() + static_cast<std::ptrdiff_t>(kBucketRows / 2);
  std::nth_element(slots.begin(), middle, slots.end(), [&](std::size_t a, std::size_t b) {
    return key_[a] < key_[b] || (key_[a] == key_[b] && host_[a] < host_[b]);
  });
  BucketSummary upper;
  upper.bucket = upper_bucket;
  upper.bound = {key_[*middle], host_[*middle]};
  for (auto slot = middle; slot != slots.end(); ++slot) {
    copy_row(*slot, upper_bucket * kBucketRows + upper.rows);
    place_of_[host_[*slot]] = {upper_bucket, upper.rows};
    ++upper.rows;
  }
  // From the back, so that the row which fills a gap is never one that still has to go.
  std::sort(middle, slots.end(), std::greater<>());
  for (auto slot = middle; slot != slots.end(); ++slot) {
    erase_row(position, static_cast<std::uint32_t>(*slot - first));
  }
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(position) + 1, upper);
  renumber_from(position);
  refresh_summary(position);
  refresh_summary(position + 1);
}

/// Joins a bucket that has become small with the one before it, so that there are never many.
template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::merge_if_small(std::size_t position) {
  if (order_.size() == 1 || order_[position].rows >= kBucketRows / 8) return;
  if (position == 0) position = 1;
  BucketSummary& lower = order_[position - 1];
  const BucketSummary upper = order_[position];
  if (lower.rows + upper.rows > kBucketRows / 2) return;
  const std::size_t from = upper.bucket * kBucketRows;
  for (std::uint32_t row = 0; row < upper.rows; ++row) {
    copy_row(from + row, lower.bucket * kBucketRows + lower.rows);
    place_of_[host_[from + row]] = {lower.bucket, lower.rows};
    ++lower.rows;
    clear_row(from + row);
  }
  free_buckets_.push_back(upper.bucket);
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(position));
  renumber_from(position - 1);
  refresh_summary(position - 1);
}

template <class Key, class ByHost>
void HostBuckets<Key, ByHost>::renumber_from(std::size_t position) {
  for (std::size_t i = position; i < order_.size(); ++i) {
    position_[order_[i].bucket] = static_cast<std::uint32_t>(i);
  }
}

template <class Key, class ByHost>
NearestHosts<Key> HostBuckets<Key, ByHost>::nearest(const RoomQuery& query, Key below_this,
                                                    Key above_this) const {
  constexpr Key kNoneBelow = std::numeric_limits<Key>::lowest();
  constexpr Key kNoneAbove = std::numeric_limits<Key>::max();
  NearestHosts<Key> found;
  if (below_this != kNoneBelow) {
    std::size_t position = position_for(below_this, 0) + 1;
    while (position-- > 0 && found.below.host == kNoHost) {
      if (!may_fit(order_[position], query)) continue;
      found.below = nearest_hosts(columns(order_[position]), query, below_this, kNoneAbove).below;
    }
  }
  if (above_this != kNoneAbove) {
    std::size_t position = position_for(above_this, kNoHost);
    for (; position < order_.size() && found.above.host == kNoHost; ++position) {
      if (!may_fit(order_[position], query)) continue;
      found.above = nearest_hosts(columns(order_[position]), query, kNoneBelow, above_this).above;
    }
  }
  for (KeyedHost<Key>* side : {&found.below, &found.above}) {
    if (side->host != kNoHost) side->host = lowest(query, side->key, side->key, 0);
  }
  return found;
}

template <class Key, class ByHost>
HostIndex HostBuckets<Key, ByHost>::lowest(const RoomQuery& query, Key first, Key last,
                                           HostIndex from) const {
  const std::size_t end = position_for(last, kNoHost) + 1;
  HostIndex found = kNoHost;
  std::size_t opened = 0;
  for (std::size_t position = position_for(first, 0); position < end; ++position) {
    const BucketSummary& summary = order_[position];
    if (summary.lowest_host >= found || !may_fit(summary, query)) continue;
    if (++opened > kFewBuckets) return by_host_.lowest(query, first, last, from);
    found = std::min(found, lowest_host(columns(summary), query, first, last, from));
  }
  return found;
}

template <class Key, class ByHost>
std::size_t HostBuckets<Key, ByHost>::count(const RoomQuery& query, CountedRange<Key> range) const {
  const std::size_t end = position_for(range.last, kNoHost) + 1;
  const std::size_t enough = range.enough;
  std::size_t counted = 0;
  for (std::size_t position = position_for(range.first, 0); position < end && counted < enough;
       ++position) {
    if (!may_fit(order_[position], query)) continue;
    range.enough = enough - counted;
    counted += count_hosts(columns(order_[position]), query, range);
  }
  return counted;
}

template class HostBuckets<std::int32_t>;
template class HostBuckets<double>;
template class HostBuckets<std::int32_t, CompactHosts<std::int32_t>>;
template class HostBuckets<double, CompactHosts<double>>;

}  // namespace cospot
