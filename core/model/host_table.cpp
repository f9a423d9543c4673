#include "core/model/host_table.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

void check_amount(const HostSpec& host, const char* what, ResourceAmount amount,
                  ResourceAmount least) {
  if (amount >= least && amount <= kMaxResourceAmount) return;
  throw ConfigError("host '" + host.name + "': " + what + " is " + std::to_string(amount) +
                    ", expected " + std::to_string(least) + " to " +
                    std::to_string(kMaxResourceAmount));
}

void check_total(const HostSpec& host) {
  check_amount(host, "vcpus", host.total.vcpus, 1);
  check_amount(host, "memory_mb", host.total.memory_mb, 1);
  check_amount(host, "disk_gb", host.total.disk_gb, 0);
}

void check_place(const HostSpec& host, std::size_t places) {
  if (host.place < places) return;
  throw ConfigError("host '" + host.name + "': its place is " + std::to_string(host.place) +
                    ", expected one of " + std::to_string(places));
}

void put(std::array<std::vector<ResourceAmount>, 3>& columns, HostIndex host,
         const ResourceVector& amounts) {
  columns[0][host] = amounts.vcpus;
  columns[1][host] = amounts.memory_mb;
  columns[2][host] = amounts.disk_gb;
}

void push(std::array<std::vector<ResourceAmount>, 3>& columns, const ResourceVector& amounts) {
  columns[0].push_back(amounts.vcpus);
  columns[1].push_back(amounts.memory_mb);
  columns[2].push_back(amounts.disk_gb);
}

}  // namespace

HostTable::HostTable(const std::vector<HostSpec>& hosts, std::shared_ptr<const HostPlaces> places) {
  if (places != nullptr) places_ = std::move(places);
  for (const HostSpec& host : hosts) append(host);
  pad();
}

const std::shared_ptr<const HostPlaces>& HostTable::one_place() {
  static const auto places = std::make_shared<const HostPlaces>(1);
  return places;
}

HostTable::~HostTable() {
  const std::shared_ptr<Estate> estate = std::move(own_.estate);
  // A moved vector keeps its memory, and so every address in it.
  if (estate.use_count() > 1) estate->table = std::make_unique<HostTable>(std::move(*this));
}

std::shared_ptr<const void> HostTable::keep_columns() const {
  if (own_.estate == nullptr) own_.estate = std::make_shared<Estate>();
  return own_.estate;
}

HostTable HostTable::uniform(std::size_t count, const ResourceVector& total) {
  HostTable table;
  for (std::size_t i = 0; i < count; ++i) {
    table.append({.name = "host-" + std::to_string(i), .total = total});
  }
  table.pad();
  return table;
}

void HostTable::append(const HostSpec& host) {
  check_total(host);
  check_place(host, places_->size());
  names_.push_back(host.name);
  push(total_, host.total);
  push(free_ignoring_spots_, host.total - host.vm_used);
  push(free_, host.total - host.vm_used - host.spot_used);
  num_vms_.push_back(host.num_vms);
  num_spots_.push_back(host.num_spots);
  num_io_ops_.push_back(host.num_io_ops);
  generation_.push_back(0);
  place_.push_back(host.place);
  const ResourceVector first{total_[0][0], total_[1][0], total_[2][0]};
  uniform_ = uniform_ && host.total == first;
  include_total(host.total);
}

void HostTable::include_total(const ResourceVector& total) {
  largest_total_.vcpus = std::max(largest_total_.vcpus, total.vcpus);
  largest_total_.memory_mb = std::max(largest_total_.memory_mb, total.memory_mb);
  largest_total_.disk_gb = std::max(largest_total_.disk_gb, total.disk_gb);
}

bool HostTable::fits_an_empty_host(const ResourceVector& amounts) const {
  if (is_uniform() || !amounts.fits_in(largest_total_)) return amounts.fits_in(largest_total_);
  for (HostIndex host = 0; host < size(); ++host) {
    if (amounts.fits_in({total_[0][host], total_[1][host], total_[2][host]})) return true;
  }
  return false;
}

void HostTable::replace(HostIndex host, const HostSpec& spec) {
  check_total(spec);
  check_place(spec, places_->size());
  const ResourceVector before{total_[0][host], total_[1][host], total_[2][host]};
  // Both may only become more cautious: a table that looks less uniform than it is, or a total
  // larger than any that is left, costs speed and no result.
  uniform_ = uniform_ && (size() == 1 || spec.total == before);
  include_total(spec.total);
  names_[host] = spec.name;
  put(total_, host, spec.total);
  put(free_ignoring_spots_, host, spec.total - spec.vm_used);
  put(free_, host, spec.total - spec.vm_used - spec.spot_used);
  num_vms_[host] = spec.num_vms;
  num_spots_[host] = spec.num_spots;
  num_io_ops_[host] = spec.num_io_ops;
  place_[host] = spec.place;
  ++generation_[host];
}

void HostTable::pad() {
  constexpr ResourceAmount kNeverHadRoom = -1;
  const std::size_t rows = (size() + kRowPadding - 1) / kRowPadding * kRowPadding;
  for (Columns* room : {&free_ignoring_spots_, &free_}) {
    for (std::vector<ResourceAmount>& column : *room) column.resize(rows, kNeverHadRoom);
  }
}

HostView HostTable::view() const {
  const auto column = [this](const std::vector<ResourceAmount>& amounts) {
    return std::span<const ResourceAmount>(amounts.data(), size());
  };
  return {.vcpus_total = column(total_[0]),
          .memory_mb_total = column(total_[1]),
          .disk_gb_total = column(total_[2]),
          .vcpus_free_ignoring_spots = column(free_ignoring_spots_[0]),
          .memory_mb_free_ignoring_spots = column(free_ignoring_spots_[1]),
          .disk_gb_free_ignoring_spots = column(free_ignoring_spots_[2]),
          .vcpus_free = column(free_[0]),
          .memory_mb_free = column(free_[1]),
          .disk_gb_free = column(free_[2]),
          .num_vms = num_vms_,
          .num_spots = num_spots_,
          .num_io_ops = num_io_ops_,
          .generation = generation_,
          .name = names_,
          .place = place_,
          .places = *places_,
          .table = this,
          .spots = lent_.spots};
}

}  // namespace cospot
