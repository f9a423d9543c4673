#include "sim_harness/data/imports/request_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/sql_quantity.hpp"

namespace cospot {
namespace {

constexpr std::uint64_t kMostAlike = 1'000'000;

const ImportTargetInfo& info_of(ImportTarget target) {
  return kImportTargetInfos[static_cast<std::size_t>(target)];
}

struct ValueText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
};

/// A name that a workload file can hold: its fields are not quoted.
std::string as_name(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; }, '_');
  return text;
}

}  // namespace

RequestReader::RequestReader(const ImportPlan& plan, const ImportTable& table,
                             PlacementFieldsReader& placements)
    : plan_(&plan),
      columns_(&table.columns()),
      placements_(&placements),
      expressions_(*columns_, table.has_null_texts()) {
  for (const ImportTargetInfo& info : kImportTargetInfos) {
    const auto target = static_cast<std::size_t>(info.target);
    sources_[target] = find(plan.map[target], info.is_required);
  }
  spot_if_ = find(plan.spot_if, true);
  only_ = find(plan.only, false);
  start_when_ = find(plan.start_when, false);
  end_when_ = find(plan.end_when, false);
  resize_when_ = find(plan.resize_when, false);
  std::string reason;
  for (const std::string& candidate : plan.over_if.candidates) {
    if (auto source = use(plan.over_if, candidate, reason)) over_if_.push_back(*source);
  }
}

std::optional<RequestReader::Source> RequestReader::use(const PlannedExpression& planned,
                                                        const std::string& candidate,
                                                        std::string& reason) {
  const auto same = std::ranges::find(*columns_, candidate);
  if (same != columns_->end()) {
    const auto column = static_cast<std::size_t>(same - columns_->begin());
    expressions_.require_single(planned.option, column);
    return Source{.column = column, .option = planned.option};
  }
  try {
    return Source{.expression = expressions_.add(planned.option, candidate),
                  .option = planned.option};
  } catch (const ConfigError& error) {
    if (reason.empty()) reason = error.what();
    return std::nullopt;
  }
}

RequestReader::Source RequestReader::find(const PlannedExpression& planned, bool is_required) {
  std::string reason;
  for (const std::string& candidate : planned.candidates) {
    if (const auto source = use(planned, candidate, reason)) return *source;
  }
  // A rule of a format without a column in this file is left aside; what the user asks for is not.
  if (!is_required && !planned.is_stated) return {};
  if (!planned.is_stated && planned.option == "--map " + planned.candidates.front()) {
    throw ConfigError(fmt::format("{}=COLUMN is missing; the columns are {}", planned.option,
                                  fmt::join(*columns_, ", ")));
  }
  throw ConfigError(planned.hint.empty() ? reason : fmt::format("{}; {}", reason, planned.hint));
}

bool RequestReader::has_numbers(const Source& source) {
  if (!source.expression) return true;
  const std::optional<NumberFault> wrong = expressions_.number_fault(*source.expression);
  if (!wrong) return true;
  fault_ = wrong->fault;
  kind_ = fmt::format("{} is not a number", wrong->column);
  return false;
}

std::optional<bool> RequestReader::holds(const Source& source) {
  if (!has_numbers(source)) return std::nullopt;
  const std::string text = text_of(source);
  if (text.empty()) return false;
  if (source.expression && is_true(expressions_.value(*source.expression))) return true;
  if (const std::optional<double> number = parse_number(text)) return *number != 0;
  fault_ = {fmt::format("{} gives {}", source.option, quoted_excerpt(text)),
            "0, 1 or a condition, such as tier = 'batch'"};
  kind_ = fmt::format("{} gives a text", source.option);
  return std::nullopt;
}

std::string RequestReader::text_of(const Source& source) const {
  if (source.column) return std::string(expressions_.row()[*source.column]);
  if (!source.expression) return {};
  return std::visit(ValueText{}, expressions_.value(*source.expression));
}

bool RequestReader::refuse(ImportTarget target, std::string_view expected) {
  const std::string text = text_of(source(target));
  const std::string_view name = info_of(target).name;
  fault_ = {text.empty() ? fmt::format("{} is empty", name)
                         : fmt::format("{} is {}", name, quoted_excerpt(text)),
            std::string(expected)};
  kind_ = fmt::format("{} is not {}", name, expected);
  return false;
}

RowRole RequestReader::read(const ImportTable& table) {
  ++rows_;
  if (!table.fault().empty()) {
    fault_ = {table.fault(), ""};
    kind_ = table.fault_kind();
    return RowRole::kFault;
  }
  expressions_.evaluate(table.fields());
  if (!expressions_.fault().empty()) {
    fault_ = {expressions_.fault(), ""};
    kind_ = "rows of which an expression cannot be evaluated";
    return RowRole::kFault;
  }
  if (only_.is_given()) {
    const std::optional<bool> counts = holds(only_);
    if (!counts) return RowRole::kFault;
    if (!*counts) return RowRole::kLeftOut;
  }
  if (plan_->has_events()) return read_event();
  if (is_over()) return RowRole::kOver;
  return read_request() ? RowRole::kRequest : RowRole::kFault;
}

bool RequestReader::is_over() {
  const std::string end = text_of(source(ImportTarget::kEnd));
  if (!end.empty() && !is_null_text(end)) return false;
  return std::ranges::any_of(over_if_,
                             [this](const Source& each) { return holds(each).value_or(false); });
}

RowRole RequestReader::read_event() {
  const std::optional<bool> starts = holds(start_when_);
  if (!starts) return RowRole::kFault;
  if (*starts) return read_request() ? RowRole::kStart : RowRole::kFault;
  if (!end_when_.is_given()) return RowRole::kLeftOut;
  const std::optional<bool> ends = holds(end_when_);
  if (ends && !*ends) {
    return holds(resize_when_).value_or(false) ? RowRole::kResize : RowRole::kLeftOut;
  }
  return ends && read_names() && read_start() ? RowRole::kEnd : RowRole::kFault;
}

bool RequestReader::read_request() {
  const std::optional<bool> is_spot = holds(spot_if_);
  if (!is_spot) return false;
  request_.instance_class = *is_spot ? InstanceClass::kSpot : InstanceClass::kVm;
  request_.resources = {};
  request_.end = kNever;
  count_ = 1;
  return read_names() && read_amount(ImportTarget::kVcpus, 1, request_.resources.vcpus) &&
         read_amount(ImportTarget::kMemoryMb, 0, request_.resources.memory_mb) &&
         read_amount(ImportTarget::kDiskGb, 0, request_.resources.disk_gb) && read_start() &&
         read_end() && read_count() && read_placement();
}

bool RequestReader::read_names() {
  const Source& id = source(ImportTarget::kId);
  const Source& tenant = source(ImportTarget::kTenant);
  request_.id = id.is_given() ? as_name(text_of(id)) : fmt::format("row-{}", rows_);
  request_.tenant = tenant.is_given() ? as_name(text_of(tenant)) : "all";
  if (request_.id.empty()) return refuse(ImportTarget::kId, "a name");
  if (request_.tenant.empty()) request_.tenant = "unknown";
  return true;
}

bool RequestReader::read_amount(ImportTarget target, ResourceAmount least, ResourceAmount& amount) {
  if (!source(target).is_given()) return true;
  if (!has_numbers(source(target))) return false;
  const std::optional<double> number = parse_number(text_of(source(target)));
  // A request needs room for all that it asks for, so parts of a unit count as one; but not the
  // last bit of a product such as 0.1 * 10000.
  constexpr double kRounding = 1 - 1e-12;
  const double whole = number ? std::ceil(*number * kRounding) : -1;
  const bool is_positive = number && (least == 0 ? *number >= 0 : *number > 0);
  // Written so that NaN fails it.
  if (!is_positive || !(whole <= kMaxResourceAmount)) {
    refuse(target, fmt::format("a number {} 0, at most {}", least == 0 ? "from" : "more than",
                               kMaxResourceAmount));
    if (!number && parse_quantity(text_of(source(target)))) {
      fault_.expected += target == ImportTarget::kMemoryMb
                             ? "; quantity(COLUMN) / 1048576 makes MiB of it"
                             : "; quantity(COLUMN) makes a number of it";
    }
    return false;
  }
  amount = static_cast<ResourceAmount>(whole);
  return true;
}

bool RequestReader::read_start() {
  const Source& from = source(ImportTarget::kStart);
  if (!has_numbers(from)) return false;
  const std::optional<SimTime> start = parse_time(text_of(from), plan_->unit, plan_->zone);
  if (!start || *start == kNever) return refuse(ImportTarget::kStart, time_expected(plan_->unit));
  request_.start = *start;
  return true;
}

bool RequestReader::read_end() {
  const Source& from = source(ImportTarget::kEnd);
  if (!has_numbers(from)) return false;
  const std::string text = text_of(from);
  request_.end = kNever;
  if (text.empty() || is_null_text(text)) return true;
  const std::optional<SimTime> read = plan_->end_is_duration
                                          ? parse_duration(text, plan_->unit)
                                          : parse_time(text, plan_->unit, plan_->zone);
  if (!read) {
    return refuse(ImportTarget::kEnd, plan_->end_is_duration && plan_->unit == TimeUnit::kIso
                                          ? "a number of seconds, or nothing when it never ended"
                                          : fmt::format("{}, or nothing when it never ended",
                                                        time_expected(plan_->unit)));
  }
  if (*read == kNever) return true;
  if (plan_->end_is_duration && *read < SimTime(0)) {
    return refuse(ImportTarget::kEnd, "a duration from 0");
  }
  request_.end = plan_->end_is_duration ? request_.start + *read : *read;
  if (request_.end < request_.start) return refuse(ImportTarget::kEnd, "a time from start_s on");
  return true;
}

bool RequestReader::read_count() {
  const Source& from = source(ImportTarget::kCount);
  if (!from.is_given()) return true;
  if (!has_numbers(from)) return false;
  const std::optional<double> number = parse_number(text_of(from));
  const bool is_fit = number && *number >= 1 && *number <= static_cast<double>(kMostAlike) &&
                      *number == std::floor(*number);
  if (!is_fit) return refuse(ImportTarget::kCount, "a whole number from 1 to 1000000");
  count_ = static_cast<std::uint64_t>(*number);
  return true;
}

bool RequestReader::read_placement() {
  request_.placement = 0;
  if (!plan_->has_placements()) return true;
  constexpr std::array<std::pair<ImportTarget, WorkloadColumn>, 5> kTargetColumns{
      {{ImportTarget::kZone, WorkloadColumn::kZone},
       {ImportTarget::kExtraSpecs, WorkloadColumn::kExtraSpecs},
       {ImportTarget::kGroup, WorkloadColumn::kGroup},
       {ImportTarget::kGroupPolicy, WorkloadColumn::kGroupPolicy},
       {ImportTarget::kMaxServerPerHost, WorkloadColumn::kMaxServerPerHost}}};
  std::array<std::string, kTargetColumns.size()> texts;
  WorkloadFields fields;
  for (std::size_t i = 0; i < kTargetColumns.size(); ++i) {
    if (!has_numbers(source(kTargetColumns[i].first))) return false;
    texts[i] = as_name(text_of(source(kTargetColumns[i].first)));
    fields[static_cast<std::size_t>(kTargetColumns[i].second)] = texts[i];
  }
  // One expression names the policy of all groups; a request in none has none.
  if (texts[2].empty()) {
    fields[static_cast<std::size_t>(WorkloadColumn::kGroupPolicy)] = {};
    fields[static_cast<std::size_t>(WorkloadColumn::kMaxServerPerHost)] = {};
  }
  const std::string fault = placements_->read(fields, request_);
  if (fault.empty()) return true;
  fault_ = {fault, ""};
  kind_ = "zones, extra specs and groups that cannot be asked for";
  return false;
}

}  // namespace cospot
