#include "sim_harness/base/text/date_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>

#include "core/errors.hpp"

namespace cospot {
namespace {

/// Reads the text of a date and time from the left.
class DateText {
 public:
  explicit DateText(std::string_view text) : rest_(text) {}

  /// Takes a number of exactly `digits` digits off.
  bool number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return false;
      value = 10 * value + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  bool one_of(std::string_view signs) {
    if (rest_.empty() || signs.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// `.25` or `,25`: microseconds; digits after the sixth are cut off.
bool read_fraction(DateText& text, std::int64_t& microseconds) {
  if (!text.one_of(".,")) return true;
  int digit = 0;
  if (!text.number(1, digit)) return false;
  std::int64_t unit = 100'000;
  do {
    microseconds += digit * unit;
    unit /= 10;
  } while (text.number(1, digit));
  return true;
}

bool read_clock(DateText& text, std::int64_t& microseconds) {
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  if (!text.number(2, hours) || !text.one_of(":") || !text.number(2, minutes)) return false;
  if (text.one_of(":") && !text.number(2, seconds)) return false;
  // A leap second counts as the second after it.
  if (hours > 23 || minutes > 59 || seconds > 60) return false;
  microseconds = (hours * 3600LL + minutes * 60LL + seconds) * 1'000'000;
  return read_fraction(text, microseconds);
}

/// `2024-05-01`, `2024/05/01`, `01.05.2024` or `1.5.2024`. Dates with slashes that begin with a day
/// or a month are none: which of the two it is, nobody can tell.
bool read_date(DateText& text, std::chrono::year_month_day& date) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (text.number(4, year)) {
    const char sign = text.front();
    if (!text.one_of("-/") || !text.number(2, month)) return false;
    if (text.front() != sign || !text.one_of("-/") || !text.number(2, day)) return false;
  } else {
    if (!(text.number(2, day) || text.number(1, day)) || !text.one_of(".")) return false;
    if (!(text.number(2, month) || text.number(1, month)) || !text.one_of(".")) return false;
    if (!text.number(4, year)) return false;
  }
  date = {std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
          std::chrono::day(static_cast<unsigned>(day))};
  return date.ok();
}

/// `Z`, ` UTC`, `+02:00`, `+0200`, ` +0200` or `+02`: what to take off.
bool read_offset(DateText& text, std::int64_t& microseconds) {
  microseconds = 0;
  if (text.one_of("Zz")) return true;
  if (text.one_of(" ") && text.one_of("U")) return text.one_of("T") && text.one_of("C");
  const bool is_negative = text.front() == '-';
  int hours = 0;
  int minutes = 0;
  if (!text.one_of("+-") || !text.number(2, hours)) return false;
  const bool has_minutes = text.one_of(":") || !text.empty();
  if (has_minutes && !text.number(2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  microseconds = (hours * 3600LL + minutes * 60LL) * 1'000'000 * (is_negative ? -1 : 1);
  return true;
}

/// Makes the C library use a zone, and what it used before again. One at a time: the zone is that
/// of the process.
class ZoneInUse {
 public:
  explicit ZoneInUse(const std::string& name) : only_one_(of_process()) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    use(":" + name);
  }
  ZoneInUse(const ZoneInUse&) = delete;
  ZoneInUse& operator=(const ZoneInUse&) = delete;
  ~ZoneInUse() {
    if (before_) {
      use(*before_);
    } else {
      unsetenv("TZ");
      tzset();
    }
  }

  [[nodiscard]] static std::int64_t offset_s(std::int64_t second) {
    const std::time_t at = second;
    std::tm shown{};
    localtime_r(&at, &shown);
    return shown.tm_gmtoff;
  }

 private:
  static void use(const std::string& zone) {
    setenv("TZ", zone.c_str(), 1);
    tzset();
  }
  static std::mutex& of_process() {
    static std::mutex mutex;
    return mutex;
  }
  std::scoped_lock<std::mutex> only_one_;
  std::optional<std::string> before_;
};

/// The C library takes a zone that it cannot find for UTC, so look first.
void require_zone(const std::string& name, std::string_view where) {
  const char* stated = std::getenv("TZDIR");
  const std::filesystem::path folder = stated != nullptr ? stated : "/usr/share/zoneinfo";
  constexpr std::string_view kSigns =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  const bool is_name =
      !name.empty() && name.front() != '/' && name.find_first_not_of(kSigns) == std::string::npos;
  std::array<char, 4> magic{};
  std::error_code unreadable;
  if (is_name && std::filesystem::is_regular_file(folder / name, unreadable)) {
    std::ifstream(folder / name, std::ios::binary).read(magic.data(), magic.size());
  }
  if (std::string_view(magic.data(), magic.size()) == "TZif") return;
  throw ConfigError(
      fmt::format("{}: found '{}', expected a time zone of {}, such as Europe/Berlin or UTC{}",
                  where, name, folder.string(),
                  std::filesystem::is_directory(folder, unreadable)
                      ? ""
                      : "; that folder does not exist, the package tzdata has it"));
}

}  // namespace

TimeZone TimeZone::named(const std::string& name, std::string_view where) {
  TimeZone zone;
  if (name == zone.name_) return zone;
  require_zone(name, where);
  constexpr std::int64_t kDaySeconds = 86'400;
  constexpr std::int64_t kYear2100 = 4'102'444'800;
  const ZoneInUse in_use(name);
  zone.name_ = name;
  std::int64_t offset = ZoneInUse::offset_s(0);
  zone.first_offset_ = std::chrono::seconds(offset);
  // No zone changes its offset twice in a day.
  for (std::int64_t day = 0; day < kYear2100; day += kDaySeconds) {
    std::int64_t before = day;
    std::int64_t after = day + kDaySeconds;
    const std::int64_t next = ZoneInUse::offset_s(after);
    if (next == offset) continue;
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (ZoneInUse::offset_s(middle) == offset ? before : after) = middle;
    }
    // Until then clocks show times that the new offset would not give, or gives a second time.
    zone.changes_.push_back(
        {std::chrono::seconds(after + std::max(offset, next)), std::chrono::seconds(next)});
    offset = next;
  }
  return zone;
}

SimTime TimeZone::utc(SimTime local) const {
  const auto later = std::ranges::upper_bound(changes_, local, {}, &Change::from);
  return local - (later == changes_.begin() ? first_offset_ : std::prev(later)->offset);
}

std::optional<SimTime> parse_date_time(std::string_view input, const TimeZone& zone) {
  DateText text(input);
  std::chrono::year_month_day date{};
  if (!read_date(text, date)) return std::nullopt;
  std::int64_t clock = 0;
  std::int64_t offset = 0;
  if (text.one_of("Tt ") && !read_clock(text, clock)) return std::nullopt;
  const SimTime shown = SimTime(std::chrono::sys_days(date).time_since_epoch()) + SimTime(clock);
  if (text.empty()) return zone.utc(shown);
  if (!read_offset(text, offset) || !text.empty()) return std::nullopt;
  return shown - SimTime(offset);
}

}  // namespace cospot
