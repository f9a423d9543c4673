#pragma once

#include "sim_harness/data/traces/packing_trace.hpp"

namespace cospot {

/// The tables `vm` and `vmType` as CSV files with a header line, plain or gzip, read line by line.
class CsvTrace final : public PackingTrace {
 public:
  CsvTrace(std::filesystem::path requests, std::filesystem::path types);

  [[nodiscard]] std::vector<TypeShare> read_shares() override;
  [[nodiscard]] std::map<std::int64_t, std::uint64_t> count_requests() override;
  void read_requests(const std::function<void(const TraceRequest&)>& take) override;

 private:
  std::filesystem::path requests_;
  std::filesystem::path types_;
};

}  // namespace cospot
