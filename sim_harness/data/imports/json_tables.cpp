#include "sim_harness/data/imports/json_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/timestamps.hpp"

namespace cospot {
namespace {

constexpr std::size_t kPeekBytes = std::size_t{1} << 16;

/// The first bytes of a file, unpacked.
std::string peek(const std::filesystem::path& file) {
  std::string bytes(kPeekBytes, '\0');
  gzFile opened = ::gzopen(file.c_str(), "rbe");
  if (opened == nullptr) return {};
  const int got = ::gzread(opened, bytes.data(), static_cast<unsigned>(bytes.size()));
  ::gzclose_r(opened);
  bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
  bytes.erase(0, bytes.size() - without_byte_order_mark(bytes).size());
  return bytes;
}

std::string sql_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

/// Reads the columns off one object.
class ObjectReader {
 public:
  ObjectReader(SqliteConnection& connection, const std::vector<std::string>& columns)
      : connection_(&connection) {
    std::vector<std::string> values;
    for (const std::string& column : columns) {
      values.push_back(fmt::format("json_extract(?1,{})", sql_text(json_path(column))));
    }
    // As many values as SQLite allows in one row are far more than any list has columns.
    sql_ = fmt::format("SELECT {}", fmt::join(values, ","));
    texts_.resize(columns.size());
  }

  /// Fills `fields`; returns what is wrong, or nothing.
  [[nodiscard]] std::string read(const std::string& object, std::vector<std::string_view>& fields) {
    if (!statement_) statement_.emplace(*connection_, sql_);
    try {
      statement_->bind(object);
      if (!statement_->step()) return "there is no value";
      for (std::string& text : texts_) text = statement_->read_text();
      (void)statement_->step();
    } catch (const DatabaseError&) {
      statement_.reset();
      return "is not valid JSON";
    }
    fields.assign(texts_.begin(), texts_.end());
    return {};
  }

 private:
  SqliteConnection* connection_;
  std::string sql_;
  std::optional<SqliteStatement> statement_;
  std::vector<std::string> texts_;
};

/// The members of an object that hold a value, those of its objects by a.b.
std::vector<std::string> members_of(SqliteConnection& connection, const std::string& object) {
  SqliteStatement tree(
      connection,
      "SELECT replace(replace(substr(fullkey, 3), '\"', ''), '$.', '') FROM "
      "json_tree(?1) WHERE type NOT IN ('object', 'array') AND path NOT LIKE '%[%'");
  tree.bind(object);
  std::vector<std::string> members;
  while (tree.step()) {
    std::string member = tree.read_text();
    if (std::ranges::find(members, member) == members.end()) members.push_back(std::move(member));
  }
  return members;
}

void add_new(std::vector<std::string>& columns, std::vector<std::string> members) {
  for (std::string& member : members) {
    if (std::ranges::find(columns, member) == columns.end()) columns.push_back(std::move(member));
  }
}

/// The number of objects read to learn the columns of a file that nobody described.
constexpr int kObjectsForColumns = 1000;

/// An object a line.
class JsonLines final : public ImportTable {
 public:
  JsonLines(const std::filesystem::path& file, const TableShape& shape)
      : file_(file.string()), connection_(SqliteConnection::in_memory(file_)), reader_(file) {
    has_null_texts_ = true;
    columns_ = shape.json_columns;
    if (columns_.empty()) find_columns(file);
    objects_.emplace(connection_, columns_);
  }

  [[nodiscard]] bool next() override {
    std::string_view line;
    do {
      if (!reader_.next_bytes(line)) return false;
    } while (line.empty());
    fault_ = find_non_text(line) == std::string_view::npos
                 ? objects_->read(std::string(line), fields_)
                 : "the line is not UTF-8 text";
    return true;
  }
  [[nodiscard]] std::string place() const override {
    return fmt::format("{}:{}", file_, reader_.line_number());
  }

 private:
  void find_columns(const std::filesystem::path& file) {
    LineReader lines(file);
    std::string_view line;
    for (int i = 0; i < kObjectsForColumns && lines.next(line); ++i) {
      if (line.empty()) continue;
      try {
        add_new(columns_, members_of(connection_, std::string(line)));
      } catch (const DatabaseError&) {
        // The row says so when it is read.
      }
    }
  }

  std::string file_;
  SqliteConnection connection_;
  LineReader reader_;
  std::optional<ObjectReader> objects_;
};

/// A list of objects in a document.
class JsonList final : public ImportTable {
 public:
  JsonList(const std::filesystem::path& file, const TableShape& shape)
      : file_(file.string()), document_(file) {
    has_null_texts_ = true;
    std::vector<std::string> paths = shape.json_paths;
    if (paths.empty()) paths.emplace_back("$");
    for (const std::string& path : paths) {
      if (read_list(path)) break;
    }
    if (objects_.empty()) {
      document_.fail(fmt::format("there are no records, expected a list of objects at {}",
                                 fmt::join(paths, " or ")));
    }
    for (const std::string& report : shape.json_reports) read_span(report);
    for (const std::string& page : shape.json_pages) read_link(page);
    columns_ = shape.json_columns;
    if (columns_.empty()) {
      for (std::size_t i = 0; i < objects_.size() && i < kObjectsForColumns; ++i) {
        add_new(columns_, members_of(document_.connection(), objects_[i]));
      }
    }
    reader_.emplace(document_.connection(), columns_);
  }

  [[nodiscard]] bool next() override {
    if (next_ == objects_.size()) return false;
    fault_ = reader_->read(objects_[next_++], fields_);
    return true;
  }
  [[nodiscard]] std::string place() const override {
    return fmt::format("{}: item {}", file_, next_);
  }
  [[nodiscard]] std::optional<Observation> observation() const override { return observation_; }
  [[nodiscard]] std::string next_page() const override { return next_page_; }

 private:
  /// A list of links, of which one may be the next page.
  void read_link(const std::string& member) {
    SqliteStatement links =
        document_.select(fmt::format("SELECT 1 FROM json_each(?, {}) WHERE type = 'object' AND "
                                     "json_extract(value, '$.rel') = 'next'",
                                     sql_text("$." + member)));
    if (links.step()) next_page_ = member;
  }

  /// From `start` to `stop` of a report.
  void read_span(const std::string& report) {
    SqliteStatement span = document_.select(fmt::format(
        "SELECT json_extract(document, {0}), json_extract(document, {1}) FROM (SELECT ? "
        "AS document)",
        sql_text(report + ".start"), sql_text(report + ".stop")));
    if (!span.step()) return;
    const std::optional<SimTime> first = parse_date_time(span.read_text());
    const std::optional<SimTime> last = parse_date_time(span.read_text());
    if (first && last && *first < *last) {
      observation_ = {.first = *first, .last = *last, .begins = "the start of the report"};
    }
  }

  /// `$.a[*].b`: the lists b of all in the list a, one after the other.
  [[nodiscard]] bool read_list(const std::string& path) {
    const std::size_t star = path.find("[*]");
    const std::string sql =
        star == std::string::npos
            ? fmt::format("SELECT value FROM json_each(?, {}) WHERE type = 'object'",
                          sql_text(path))
            : fmt::format(
                  "SELECT inner.value FROM json_each(?, {}) AS outer, "
                  "json_each(iif(outer.type = 'object', outer.value, '{{}}'), {}) AS inner "
                  "WHERE inner.type = 'object'",
                  sql_text(path.substr(0, star)), sql_text("$" + path.substr(star + 3)));
    // For an object json_each gives its members.
    SqliteStatement is_list = document_.select(
        fmt::format("SELECT json_type(?, {}) = 'array'", sql_text(path.substr(0, star))));
    if (!is_list.step() || is_list.read_integer() != 1) return false;
    SqliteStatement items = document_.select(sql);
    while (items.step()) objects_.push_back(items.read_text());
    return !objects_.empty();
  }

  std::string file_;
  JsonFile document_;
  std::vector<std::string> objects_;
  std::optional<Observation> observation_;
  std::string next_page_;
  std::size_t next_ = 0;
  std::optional<ObjectReader> reader_;
};

/// Tells whether the first line is a whole object, and not the document that has the list.
bool has_objects_in_lines(const std::string& start, const TableShape& shape) {
  const std::string first = start.substr(0, start.find('\n'));
  if (!first.starts_with('{')) return false;
  SqliteConnection connection = SqliteConnection::in_memory("first line");
  SqliteStatement valid(connection, "SELECT json_valid(?)");
  valid.bind(first);
  if (!valid.step() || valid.read_integer() != 1) return false;
  return std::ranges::none_of(shape.json_paths, [&](const std::string& path) {
    SqliteStatement list(connection, "SELECT json_type(?1, ?2) = 'array'");
    list.bind(first).bind(path.substr(0, path.find("[*]")));
    return list.step() && list.read_integer() == 1;
  });
}

}  // namespace

bool starts_like_json(const std::filesystem::path& file) {
  const std::string start = peek(file);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (start[first] == '{' || start[first] == '[');
}

std::unique_ptr<ImportTable> open_json(const std::filesystem::path& file, const TableShape& shape) {
  if (has_objects_in_lines(peek(file), shape)) return std::make_unique<JsonLines>(file, shape);
  return std::make_unique<JsonList>(file, shape);
}

std::string json_path(std::string_view column) {
  std::string path = "$";
  for (;;) {
    const std::size_t dot = column.find('.');
    path += fmt::format(".\"{}\"", column.substr(0, dot));
    if (dot == std::string_view::npos) return path;
    column.remove_prefix(dot + 1);
  }
}

}  // namespace cospot
