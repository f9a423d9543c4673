#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// A VM type takes these shares of a machine type, as the table `vmType` says.
struct TypeShare {
  std::int64_t vm_type = 0;
  std::int64_t machine_type = 0;
  double cores = 0;   ///< fraction of the machine's, more than 0, at most 1
  double memory = 0;  ///< the same
};

/// One row of the table `vm`.
struct TraceRequest {
  std::int64_t id = 0;
  std::int64_t tenant = 0;
  std::int64_t vm_type = 0;
  InstanceClass instance_class = InstanceClass::kVm;
  SimTime start{0};
  SimTime end = kNever;
};

/// A trace in the format of the Azure trace for packing (2020): requests of VM types whose sizes
/// are known only as fractions of machine types. Rows are read one after the other, never held
/// together.
///
/// Errors: InputError that says where the fault is and what was expected.
class PackingTrace {
 public:
  virtual ~PackingTrace() = default;

  /// All rows of the table `vmType`, by VM type, then machine type; no pair comes twice.
  [[nodiscard]] virtual std::vector<TypeShare> read_shares() = 0;

  /// How often each VM type is requested; at least one is.
  [[nodiscard]] virtual std::map<std::int64_t, std::uint64_t> count_requests() = 0;

  /// Calls `take` for every request, in order of time (SQLite) or of the file (CSV).
  virtual void read_requests(const std::function<void(const TraceRequest&)>& take) = 0;
};

/// Opens an SQLite file, or, when `types` is given, a CSV file of the table `vm` with the table
/// `vmType` in a CSV file of its own; both plain or gzip.
[[nodiscard]] std::unique_ptr<PackingTrace> open_packing_trace(const std::filesystem::path& trace,
                                                               const std::filesystem::path& types);

}  // namespace cospot
