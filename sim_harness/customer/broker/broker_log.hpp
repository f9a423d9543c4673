#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/customer/broker/broker_simulation.hpp"

namespace cospot {

/// Writes all events of a broker's run as CSV (docs/broker.md), gzip-compressed if the name ends in
/// `.gz`. The sum of `amount_usd` is exactly the run's cost.
///
/// Errors: InputError when the file cannot be written.
class BrokerLog final : public BrokerObserver {
 public:
  /// `markets` are those of the run and must outlive the log.
  BrokerLog(const std::filesystem::path& file, const MarketSet& markets);

  void happened(const Event& event) override;

  /// Ends the log and gives the file its final name.
  void finish();

 private:
  const MarketSet* markets_;
  StoredStream stream_;
  std::string buffer_;
};

}  // namespace cospot
