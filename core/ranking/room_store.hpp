#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// Free amounts in columns that the room kernels search. A row without a host has no room.
class RoomStore {
 public:
  explicit RoomStore(bool with_disk) : num_columns_(with_disk ? 6 : 4) {}

  [[nodiscard]] std::size_t size() const { return columns_[0].size(); }
  void resize(std::size_t rows) {
    for (Column& column : used()) column.resize(rows, kNoRoom);
  }

  void set(std::size_t row, const ResourceVector& free_ignoring_spots, const ResourceVector& free) {
    columns_[0][row] = free_ignoring_spots.vcpus;
    columns_[1][row] = free_ignoring_spots.memory_mb;
    columns_[2][row] = free.vcpus;
    columns_[3][row] = free.memory_mb;
    if (num_columns_ == 4) return;
    columns_[4][row] = free_ignoring_spots.disk_gb;
    columns_[5][row] = free.disk_gb;
  }
  void clear(std::size_t row) {
    for (Column& column : used()) column[row] = kNoRoom;
  }
  void copy(std::size_t from, std::size_t to) {
    for (Column& column : used()) column[to] = column[from];
  }
  /// Makes no amount less than these.
  void raise(std::size_t row, const ResourceVector& free_ignoring_spots,
             const ResourceVector& free) {
    const auto larger = [row](const Column& column, ResourceAmount amount) {
      return std::max(column[row], amount);
    };
    set(row,
        {larger(columns_[0], free_ignoring_spots.vcpus),
         larger(columns_[1], free_ignoring_spots.memory_mb),
         with_disk() ? larger(columns_[4], free_ignoring_spots.disk_gb) : 0},
        {larger(columns_[2], free.vcpus), larger(columns_[3], free.memory_mb),
         with_disk() ? larger(columns_[5], free.disk_gb) : 0});
  }
  /// Moves the rows from `row` up to `end` one further.
  void make_gap(std::size_t row, std::size_t end) {
    for (Column& column : used()) {
      std::copy_backward(column.begin() + static_cast<std::ptrdiff_t>(row),
                         column.begin() + static_cast<std::ptrdiff_t>(end),
                         column.begin() + static_cast<std::ptrdiff_t>(end) + 1);
    }
    clear(row);
  }
  /// Moves the rows behind `row` up to `end` one back.
  void close_gap(std::size_t row, std::size_t end) {
    for (Column& column : used()) {
      std::copy(column.begin() + static_cast<std::ptrdiff_t>(row) + 1,
                column.begin() + static_cast<std::ptrdiff_t>(end),
                column.begin() + static_cast<std::ptrdiff_t>(row));
    }
    clear(end - 1);
  }

  [[nodiscard]] bool with_disk() const { return num_columns_ == 6; }

  /// The columns from a row on, with keys that lie elsewhere.
  template <class Key>
  [[nodiscard]] RoomColumns<Key> columns(std::size_t first, std::size_t rows,
                                         const Key* key) const {
    const auto from = [&](std::size_t column) {
      return column < num_columns_ ? columns_[column].data() + first : nullptr;
    };
    return {.free_ignoring_spots = {from(0), from(1), from(4)},
            .free = {from(2), from(3), from(5)},
            .key = key,
            .rows = rows};
  }

 private:
  using Column = std::vector<ResourceAmount>;
  static constexpr ResourceAmount kNoRoom = -1;

  [[nodiscard]] std::span<Column> used() { return {columns_, num_columns_}; }

  std::size_t num_columns_;
  Column columns_[6];  // vcpus and memory_mb beside VMs and beside all, then disk_gb
};

}  // namespace cospot
