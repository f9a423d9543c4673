#include "sim_harness/customer/broker/broker_log.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

#include "sim_harness/base/tables/separated_fields.hpp"

namespace cospot {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

/// `-0.026000`: exact.
std::string usd_text(MicroUsd amount) {
  return fmt::format("{}{}.{:06d}", amount < 0 ? "-" : "", std::abs(amount / kUsd),
                     std::abs(amount % kUsd));
}

}  // namespace

BrokerLog::BrokerLog(const std::filesystem::path& file, const MarketSet& markets)
    : markets_(&markets), stream_(file) {
  buffer_ = "time_s,event,lease,market,job,bid_usd,amount_usd\n";
}

void BrokerLog::happened(const Event& event) {
  const auto out = std::back_inserter(buffer_);
  fmt::format_to(out, "{},{},", event.time, event.what);
  if (event.lease >= 0) fmt::format_to(out, "{}", event.lease);
  buffer_ += ',';
  if (event.market != kNoMarket) {
    buffer_ += csv_field(markets_->markets[event.market].name);
  }
  buffer_ += ',';
  if (event.job >= 0) fmt::format_to(out, "{}", event.job);
  buffer_ += ',';
  if (event.bid > 0 && event.bid < kNoCapacityPrice) buffer_ += usd_text(event.bid);
  buffer_ += ',';
  if (event.amount != 0) buffer_ += usd_text(event.amount);
  buffer_ += '\n';
  if (buffer_.size() < kBufferBytes) return;
  stream_.write(buffer_);
  buffer_.clear();
}

void BrokerLog::finish() {
  stream_.write(buffer_);
  stream_.commit();
}

}  // namespace cospot
