#pragma once

#include <cstdint>

namespace cospot {

/// An amount of one resource, in the unit its name carries. 32 bits keep the columns of a host
/// table dense; kMaxResourceAmount keeps every product the weighers form exact in a double.
using ResourceAmount = std::int32_t;

/// The largest amount of one resource a host or a request may have: 2^26 (64 TiB of memory_mb).
/// Two of them multiply to 2^52, so a sum of two products is still an exact double.
inline constexpr ResourceAmount kMaxResourceAmount = ResourceAmount{1} << 26;

/// Amounts of the three resources Nova schedules, always integers: feasibility is exact.
struct ResourceVector {
  ResourceAmount vcpus = 0;
  ResourceAmount memory_mb = 0;
  ResourceAmount disk_gb = 0;

  friend constexpr bool operator==(const ResourceVector&, const ResourceVector&) = default;

  constexpr ResourceVector& operator+=(const ResourceVector& other) {
    vcpus += other.vcpus;
    memory_mb += other.memory_mb;
    disk_gb += other.disk_gb;
    return *this;
  }

  constexpr ResourceVector& operator-=(const ResourceVector& other) {
    vcpus -= other.vcpus;
    memory_mb -= other.memory_mb;
    disk_gb -= other.disk_gb;
    return *this;
  }

  friend constexpr ResourceVector operator+(ResourceVector a, const ResourceVector& b) {
    return a += b;
  }

  friend constexpr ResourceVector operator-(ResourceVector a, const ResourceVector& b) {
    return a -= b;
  }

  /// Tells whether every amount is at most that of `room`.
  [[nodiscard]] constexpr bool fits_in(const ResourceVector& room) const {
    return vcpus <= room.vcpus && memory_mb <= room.memory_mb && disk_gb <= room.disk_gb;
  }
};

}  // namespace cospot
