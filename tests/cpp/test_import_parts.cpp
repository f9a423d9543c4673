#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/imports/import_faults.hpp"
#include "sim_harness/data/imports/json_tables.hpp"
#include "sim_harness/data/imports/numeric_columns.hpp"
#include "sim_harness/data/imports/row_values.hpp"
#include "sim_harness/data/imports/sql_quantity.hpp"
#include "sim_harness/data/imports/timestamps.hpp"

namespace cospot {

TEST_CASE("parse_time: every unit, exactly where a number is whole") {
  CHECK(parse_time("12", TimeUnit::kSeconds) == SimTime(12'000'000));
  CHECK(parse_time("-1.5", TimeUnit::kSeconds) == SimTime(-1'500'000));
  CHECK(parse_time("9007199254740993", TimeUnit::kMicroseconds) == SimTime(9'007'199'254'740'993));
  CHECK(parse_time("1714521600123", TimeUnit::kMilliseconds) == SimTime(1'714'521'600'123'000));
  CHECK(parse_time("0.5", TimeUnit::kDays) == SimTime(43'200'000'000));
  // What stands for "after the trace" in Google's data.
  CHECK(parse_time("9223372036854775807", TimeUnit::kMicroseconds) == kNever);
  for (const char* text : {"", "x", "1x", "nan", "inf", "9223372036854775807"}) {
    CAPTURE(text);
    CHECK(!parse_time(text, TimeUnit::kSeconds));
  }
}

TEST_CASE("TimeZone: dates without an offset, and the hours that clocks skip and repeat") {
  const TimeZone berlin = TimeZone::named("Europe/Berlin", "zone");
  const auto check = [&](const char* local, const char* utc) {
    CAPTURE(local);
    CHECK(parse_date_time(local, berlin) == parse_date_time(utc));
  };
  check("2026-01-15 12:00", "2026-01-15 11:00");
  check("2026-07-15", "2026-07-14 22:00");
  check("2026-07-15 12:00Z", "2026-07-15 12:00");  // its own offset
  check("2026-07-15 12:00-0400", "2026-07-15 16:00");
  // On 29 March clocks go from 02:00 (+01:00) to 03:00, at 01:00 UTC; 02:30 never shows, and counts
  // as +01:00.
  check("2026-03-29 01:59:59", "2026-03-29 00:59:59");
  check("2026-03-29 02:30", "2026-03-29 01:30");
  check("2026-03-29 03:00", "2026-03-29 01:00");
  // On 25 October they go from 03:00 (+02:00) back to 02:00, at 01:00 UTC; 02:30 shows twice, and
  // counts as the first.
  check("2026-10-25 02:30", "2026-10-25 00:30");
  check("2026-10-25 02:59:59", "2026-10-25 00:59:59");
  check("2026-10-25 03:00", "2026-10-25 02:00");
  check("2080-07-15 12:00", "2080-07-15 10:00");  // by the rule that the database ends with
  // Half an hour, on the other side of the world: 2026-04-05 02:00 +11:00 is 01:30 +10:30.
  const TimeZone lord_howe = TimeZone::named("Australia/Lord_Howe", "zone");
  CHECK(parse_date_time("2026-04-05 01:45", lord_howe) == parse_date_time("2026-04-04 14:45"));
  CHECK(parse_date_time("2026-04-05 02:00", lord_howe) == parse_date_time("2026-04-04 15:30"));
  CHECK(TimeZone::named("UTC", "zone") == TimeZone());
  for (const char* name : {"", "Europe/Berln", "Europe", "/etc/passwd", "../zoneinfo/UTC",
                           "tzdata.zi", "Europe/Berlin "}) {
    CAPTURE(name);
    CHECK(error_text<ConfigError>([&] {
            (void)TimeZone::named(name, "zone");
          }).starts_with(std::string("zone: found '") + name + "', expected a time zone"));
  }
}

TEST_CASE("parse_date_time: dates, clocks, fractions and offsets") {
  // date -u -d 2024-02-29 +%s is 1709164800.
  constexpr std::int64_t kDayStart = 1'709'164'800'000'000;
  const auto check = [](const char* text, std::int64_t seconds, std::int64_t microseconds) {
    CAPTURE(text);
    CHECK(parse_date_time(text) == SimTime(kDayStart + seconds * 1'000'000 + microseconds));
  };
  check("2024-02-29", 0, 0);
  check("2024-02-29T01:02:03Z", 3723, 0);
  check("2024-02-29 01:02", 3720, 0);
  check("2024-02-29 01:02:03.25 UTC", 3723, 250'000);
  check("2024-02-29T01:02:03.1234567", 3723, 123'456);
  check("2024-02-29T01:02:03+01:00", 123, 0);
  check("2024-02-29T00:00:00-0530", 19'800, 0);
  check("2024-02-28T23:59:60Z", 0, 0);
  check("2024/02/29 01:02", 3720, 0);
  check("29.02.2024", 0, 0);
  check("29.2.2024 01:02:03 +0100", 123, 0);
  CHECK(parse_date_time("1969-12-31T23:59:59Z") == SimTime(-1'000'000));
  for (const char* text :
       {"", "2024", "2023-02-29", "2024-13-01", "2024-02-29T24:00:00", "2024-02-29T01",
        "2024-02-29T01:02:03.", "2024-02-29T01:02:03+x", "2024-02-29 01:02:03 CET", "2024-02-29x",
        "2024-02/29", "2/29/2024", "29/02/2024", "29.13.2024", "2024-02-29 "}) {
    CAPTURE(text);
    CHECK(!parse_date_time(text));
  }
  CHECK(time_text(SimTime(kDayStart + 250'000), TimeUnit::kIso) == "2024-02-29T00:00:00.250000Z");
  CHECK(time_text(SimTime(1'500'000), TimeUnit::kSeconds) == "1.5 s");
}

TEST_CASE("parse_quantity: the suffixes of Kubernetes") {
  CHECK(parse_quantity("500m") == doctest::Approx(0.5));
  CHECK(parse_quantity("2Gi") == 2147483648.0);
  CHECK(parse_quantity("3Ki") == 3072.0);
  CHECK(parse_quantity("1.5") == 1.5);
  CHECK(parse_quantity("3e3") == 3000.0);
  CHECK(parse_quantity("12E") == 12e18);
  CHECK(parse_quantity("100k") == 1e5);
  CHECK(parse_quantity("16 GiB") == 16 * 1073741824.0);  // as people write it
  CHECK(parse_quantity(" 16GB ") == 16e9);
  for (const char* text : {"", "m", "B", "2gi", "1 2 Gi", "half", "nan", "inf", "1ee3"}) {
    CAPTURE(text);
    CHECK(!parse_quantity(text));
  }
}

TEST_CASE("RowExpressions: values of rows, columns with any name, faults of single rows") {
  const std::vector<std::string> columns{"a", "b c", "d.e"};
  RowExpressions expressions(columns);
  const std::size_t sum = expressions.add("--map", "a + \"d.e\" * 2");
  const std::size_t name = expressions.add("--map", "b c");
  const std::size_t amount = expressions.add("--map", "quantity(\"b c\")");
  expressions.evaluate(std::array<std::string_view, 3>{"1", "500m", "2.5"});
  CHECK(expressions.fault().empty());
  CHECK(expressions.value(sum) == RowValue(6.0));
  CHECK(expressions.value(name) == RowValue(std::string("500m")));
  CHECK(expressions.value(amount) == RowValue(0.5));
  expressions.evaluate(std::array<std::string_view, 3>{"1", "x", ""});
  CHECK(expressions.fault() == "'x' is no quantity, expected one such as 500m, 2Gi or 16 GiB");
  expressions.evaluate(std::array<std::string_view, 3>{"007", "", "1"});
  CHECK(expressions.fault().empty());
  CHECK(expressions.value(sum) == RowValue(std::int64_t{9}));
  CHECK(expressions.value(amount) == RowValue());
  CHECK(!is_true(expressions.value(amount)));
  CHECK(is_true(expressions.value(sum)));
}

TEST_CASE("RowExpressions: nothing but an expression over the columns is taken") {
  const std::vector<std::string> columns{"a", "b"};
  for (const char* text : {"c", "a; drop table line", "a) from line; delete from line; select (1",
                           "", "load_extension('x')", "(select sql from sqlite_master)"}) {
    CAPTURE(text);
    RowExpressions expressions(columns);
    const std::string error =
        error_text<ConfigError>([&] { (void)expressions.add("--only", text); });
    CHECK(error.find("--only '") == 0);
    CHECK(error.find("; the columns are a, b") != std::string::npos);
  }
  // A table of one column was read with the wrong separator.
  RowExpressions wrong(std::vector<std::string>{"vm;cores;ram"});
  CHECK(error_text<ConfigError>([&] { (void)wrong.add("--map vcpus", "cores"); })
            .ends_with("; the columns are vm;cores;ram, which is one column; expected the "
                       "separator ';'"));
}

TEST_CASE("column_uses: what an expression calculates with, or compares with numbers") {
  const std::vector<std::string> columns{"a", "B", "c d"};
  using Found = std::vector<std::size_t>;
  const auto found = [&](std::string_view text) {
    Found positions;
    for (const NumericColumn& each : column_uses(text, columns).numbers) {
      positions.push_back(each.column);
    }
    return positions;
  };
  for (const char* text :
       {"a * 2", "2.5*a", "-a", "\"A\" + 1", "a < 5", "5 >= a", "a = -1", "a between 4 and 8",
        "a not in (1, 2)", "coalesce(a, 0) / 2", "max(nullif(a, 0), 1) * 2", "(a) * 2", "round(a)",
        "case when a > 5 then 'x' else 'y' end", "a is null or a = 3", "a/*'x'*/*2",
        "2 * coalesce(nullif(a, 0), 'none')", "'b' || (a * 2)", "nullif(a, 'none') * 2"}) {
    CAPTURE(text);
    CHECK(found(text) == Found{0});
  }
  for (const char* text : {"a",
                           "coalesce(a, 'x')",
                           "a = 'x'",
                           "'x' <> a",
                           "a in ('x', 'y')",
                           "a = 3 or a = 'x'",
                           "a || '-' || 1",
                           "a like '5%'",
                           "cast(a as real) * 2",
                           "replace(a, 'GiB', '') * 2",
                           "case when a = 'none' then 0 else a * 2 end",
                           "quantity(a) * 2",
                           "coalesce(nullif('none', a), 0) * 2",
                           "case when nullif(a, 'none') is null then 0 else a * 2 end",
                           "a is null",
                           "max(a, 1)",
                           "case a when 1 then 2 end",
                           "'a * 2'",
                           "length(a) > 5",
                           "json_extract(a, '$.b') > 5",
                           "a -- * 2",
                           "a collate nocase = 5"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
  CHECK(found("b + \"c d\" * a") == Found{0, 1, 2});
  CHECK(found("[c d] > 5 and `b` < 3 and a = 'x'") == Found{1, 2});
  // What is no SQL is refused elsewhere.
  for (const char* text : {"", "(", "a *", "* a", ")(", "max(a", "'x", "a in (", "->"}) {
    CAPTURE(text);
    CHECK_NOTHROW((void)found(text));
  }
}

TEST_CASE("column_uses: the texts of which nullif makes NULL, and no others") {
  const std::vector<std::string> columns{"a"};
  const auto texts = [&](std::string_view text) {
    const std::vector<NumericColumn> found = column_uses(text, columns).numbers;
    REQUIRE(found.size() == 1);
    return found.front().texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(texts("a * 2").empty());
  CHECK(texts("nullif(a, 'none') * 2") == Texts{"none"});
  CHECK(texts("coalesce(nullif(nullif(a, 'none'), 'it''s'), 0) * 2") == Texts{"none", "it's"});
  CHECK(texts("nullif(a, 'none') * 2 + a").empty());  // the second one is not handled
  CHECK(texts("a + nullif(a, 'none') * 2").empty());
  CHECK(texts("nullif(a, 0) * 2").empty());
  const NumericColumn number = column_uses("nullif(a, 'none') * 2", columns).numbers.front();
  for (const char* field : {"", "1.5", "none"}) CHECK(number.takes(field));
  for (const char* field : {"None", "unknown", "5 days"}) CHECK(!number.takes(field));
  CHECK(number.expected() == "a number, nothing, or 'none'");
}

TEST_CASE("RowExpressions: a column is a number where it is compared with one, else its text") {
  // The column end has the name of a word of SQL.
  const std::vector<std::string> columns{"a", "b", "end"};
  const auto value = [&](std::string_view text, std::string_view a, std::string_view b) {
    RowExpressions expressions(columns);
    const std::size_t only = expressions.add("--map", text);
    expressions.evaluate(std::array<std::string_view, 3>{a, b, "9"});
    CHECK(expressions.fault().empty());
    return expressions.value(only);
  };
  for (const char* id : {"007", "1e3", "12345678901234567890", "1.0"}) {
    CAPTURE(id);
    for (const char* text :
         {"a", "coalesce(a, 'none')", "case when b = 'x' then a else 'y' end", "nullif(a, 'none')",
          "iif(b = 'x', a, 'y')", "ifnull(a, 0)", "a || ''"}) {
      CAPTURE(text);
      CHECK(value(text, id, "x") == RowValue(std::string(id)));
    }
  }
  const auto holds = [&](std::string_view text, std::string_view a, std::string_view b) {
    CAPTURE(text);
    return is_true(value(text, a, b));
  };
  // Texts are equal sign by sign, columns like texts in quotation marks.
  for (const char* text : {"a = '7'", "a in ('7', '8')", "'7' == a", "a between '7' and '7'",
                           "a is '7'", "a = b", "coalesce(a, 'x') = b", "not a <> b"}) {
    CHECK(holds(text, "7", "7"));
    CHECK(!holds(text, "07", "7"));
    CHECK(!holds(text, "7.0", "7"));
  }
  // Numbers are equal however they are written.
  for (const char* text :
       {"a = 7", "a in (7, 8)", "7 = a", "a is 7", "not a is not 7", "case a when 7 then 1 end",
        "case coalesce(a, b) when 7 then 1 end", "nullif(a, 7) is null", "a + 0 = b",
        "coalesce(a, 0) = coalesce(b, 0)", "(case when b = 'z' then 0 else a end) = 7",
        "case when b > 0 then a else 0 end = 7", "iif(b > 0, a, 0) = 7", "abs(a) = 7"}) {
    CHECK(holds(text, "7", "7"));
    CHECK(holds(text, "07", "7"));
    CHECK(holds(text, "7.0", "7"));
    CHECK(!holds(text, "9", "7"));
  }
  // Order is that of numbers: as texts, 10 comes before 9.
  for (const char* text : {"a > 9", "a > b", "b < a", "max(a, b) = 10", "min(a, b) = 9",
                           "a > \"end\"", "coalesce(a, 0) >= coalesce(b, 0)", "a between b and 11",
                           "case when a > b then 1 else 0 end", "10 between b and a",
                           "case when 1 then a else 0 end > 9"}) {
    CHECK(holds(text, "10", "9"));
    CHECK(!holds(text, "8", "9"));
  }
  CHECK(holds("a > b", "2024-05-02", "2024-05-01"));  // what is no number stays a text there too
}

TEST_CASE("RowExpressions: texts for no value are NULL, unless an expression names them") {
  const std::vector<std::string> columns{"a", "b"};
  for (const char* text : {"never", "inf", "NULL", "null", "\\N", "None", "none", "NaT", "-"}) {
    CAPTURE(text);
    CHECK(is_null_text(text));
    RowExpressions expressions(columns, true);
    const std::size_t is_null = expressions.add("--only", "a is null");
    const std::size_t is_text = expressions.add("--only", fmt::format("b = '{}'", text));
    expressions.evaluate(std::array<std::string_view, 2>{text, text});
    CHECK(is_true(expressions.value(is_null)));
    CHECK(is_true(expressions.value(is_text)));
    CHECK(expressions.row()[0].empty());
    CHECK(expressions.row()[1] == text);
    RowExpressions as_they_are(columns);
    const std::size_t is_given = as_they_are.add("--only", "a is not null");
    as_they_are.evaluate(std::array<std::string_view, 2>{text, text});
    CHECK(is_true(as_they_are.value(is_given)));
  }
  for (const char* text : {"", "n", "Null", "0", "nothing", "--"}) CHECK(!is_null_text(text));
}

TEST_CASE("RowExpressions: columns that differ in case only are refused where one is used") {
  RowExpressions expressions(std::vector<std::string>{"id", "Owner", "owner"});
  (void)expressions.add("--map", "id || 'x'");
  for (const char* text : {"owner", "Owner", "coalesce(OWNER, 'x')"}) {
    CAPTURE(text);
    const std::string error =
        error_text<WorkloadError>([&] { (void)expressions.add("--map tenant_id", text); });
    CHECK(error.starts_with("--map tenant_id: the columns '"));
    CHECK(error.find("differ in case only") != std::string::npos);
  }
}

TEST_CASE("is_sql_number: as SQLite reads a field") {
  for (const char* text : {"0", "-1.5", "+2", "1e3", " 7 ", ".5"}) {
    CAPTURE(text);
    CHECK(is_sql_number(text));
  }
  for (const char* text :
       {"", " ", "x", "1x", "1,5", "16GiB", "nan", "inf", "+-1", "0x10", "1 2"}) {
    CAPTURE(text);
    CHECK(!is_sql_number(text));
  }
}

TEST_CASE("ImportFaults: the first lines of each kind, and how many of each kind") {
  ImportFaults faults;
  for (int i = 0; i < 25; ++i) faults.add("f:1", "kind one", {"found x", "y"});
  faults.add("f:2", "kind two", {"found z", ""});
  CHECK(faults.count() == 26);
  const std::string text = faults.text(30);
  CHECK(text.find("26 of 30 rows cannot be used") == 0);
  CHECK(text.find("\n  f:1: found x, expected y") != std::string::npos);
  CHECK(text.find("\n  f:2: found z") != std::string::npos);  // a rare kind has its line too
  CHECK(text.find("and 20 more") != std::string::npos);       // 26 faults, 5 + 1 lines
  CHECK(text.find("       25  kind one\n          1  kind two") != std::string::npos);
  CHECK(faults.kinds_text() == "25 kind one, 1 kind two");
}

TEST_CASE("json_path: dots go down") {
  CHECK(json_path("a") == "$.\"a\"");
  CHECK(json_path("a.b c") == "$.\"a\".\"b c\"");
}

}  // namespace cospot
