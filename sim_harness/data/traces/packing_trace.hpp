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

/// The shares of a machine type that a VM type takes, from the table `vmType`.
struct TypeShare {
  std::int64_t vm_type = 0;
  std::int64_t machine_type = 0;
  double cores = 0;   ///< fraction of the machine's, in (0, 1]
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
/// are known only as fractions of machine types. Rows are streamed, never held in memory together.
///
/// Errors: InputError with the place of the fault and what was expected.
class PackingTrace {
 public:
  virtual ~PackingTrace() = default;

  /// All rows of the table `vmType`, by VM type, then machine type; pairs are unique.
  [[nodiscard]] virtual std::vector<TypeShare> read_shares() = 0;

  /// The number of requests per VM type; at least one in total.
  [[nodiscard]] virtual std::map<std::int64_t, std::uint64_t> count_requests() = 0;

  /// Calls `take` for every request, in order of time (SQLite) or of the file (CSV).
  virtual void read_requests(const std::function<void(const TraceRequest&)>& take) = 0;
};

/// Opens an SQLite file or, if `types` is given, CSV files of the tables `vm` and `vmType`; all
/// plain or gzip.
[[nodiscard]] std::unique_ptr<PackingTrace> open_packing_trace(const std::filesystem::path& trace,
                                                               const std::filesystem::path& types);

}  // namespace cospot
