#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim_harness/base/text/html_text.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {
namespace {

/// As a page has it: with a proper sign for an interval.
std::string html_of(std::string_view text) {
  static constexpr std::string_view kTyped = "+/-";
  std::string html = html_text(text);
  for (std::size_t at = html.find(kTyped); at != std::string::npos; at = html.find(kTyped, at)) {
    html.replace(at, kTyped.size(), "±");
  }
  return html;
}

using Names = std::span<const std::string>;

/// A text in which names are words: `by fault tolerance`. Where one is a part of another word, it
/// is not meant.
std::string with_words(std::string text, Names names) {
  const auto is_of_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (const std::string& name : names) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + name.size())) {
      const std::size_t end = at + name.size();
      if (at > 0 && is_of_word(text[at - 1])) continue;
      if (end < text.size() && is_of_word(text[end])) continue;
      std::replace(text.begin() + static_cast<std::ptrdiff_t>(at),
                   text.begin() + static_cast<std::ptrdiff_t>(end), '_', ' ');
    }
  }
  return text;
}

/// Indented lines are a block, whose columns stay below each other; a note in brackets is one
/// paragraph; every other line is one of its own.
std::string lines_html(std::string_view text, Names names) {
  std::string html, block;
  const auto end_block = [&] {
    if (!block.empty()) html += "<pre tabindex=\"0\">" + block + "</pre>\n";
    block.clear();
  };
  bool in_note = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view words = line.substr(indent);
    if (in_note || words.starts_with('(')) {
      end_block();
      html += (in_note ? " " : "<p class=\"note\">") + html_of(words);
      in_note = !words.ends_with(')');
      if (!in_note) html += "</p>\n";
    } else if (indent > 0 && !words.empty()) {
      block += (block.empty() ? "" : "\n") + html_of(line.substr(std::min<std::size_t>(indent, 2)));
    } else {
      end_block();
      const bool is_of_settings = words.starts_with("All: ");
      const std::string shown =
          is_of_settings ? with_words(std::string(words), names) : std::string(words);
      if (!words.empty()) html += "<p>" + html_of(shown) + "</p>\n";
    }
  }
  end_block();
  return html + (in_note ? "</p>\n" : "");
}

/// Lines behind a table: what belongs to it, and the other paragraphs to unfold. The last paragraph
/// may be the heading of the next table.
std::string folded_html(std::string_view text, bool has_heading, Names names) {
  const std::size_t first = std::min(text.find("\n\n"), text.size());
  const std::size_t last = std::min(text.rfind("\n\n"), text.size());
  const std::size_t end = has_heading ? last : text.size();
  std::string html = lines_html(text.substr(0, first), names);
  if (first < end) {
    html += fmt::format("<details><summary>More of the summary</summary>\n{}</details>\n",
                        lines_html(text.substr(first, end - first), names));
  }
  return html + lines_html(text.substr(std::max(first, end)), names);
}

std::string answer_html(std::string_view text, Names names) {
  std::string html;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const bool is_detail = line.starts_with(' ');
    const std::string words(is_detail ? line.substr(line.find_first_not_of(' ')) : line);
    html += fmt::format("<p class=\"{}\">{}</p>\n", is_detail ? "answer-detail" : "answer",
                        html_of(with_words(words, names)));
  }
  return html;
}

/// True if a row answers yes in a question column such as "sell?": it is never folded away.
bool is_chosen(const SummaryTable& table, const std::vector<SummaryCell>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (table.columns[i].title.ends_with('?') && row[i].text == "yes") return true;
  }
  return false;
}

std::string table_html(const SummaryTable& table, Names names) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].title.empty()) shown.push_back(i);
  }
  const auto cell = [&](std::size_t column, std::string_view tag, std::string_view text) {
    const bool is_right = table.columns[column].align == TextTable::Align::kRight;
    return fmt::format("<{0}{1}>{2}</{0}>", tag, is_right ? " class=\"number\"" : "",
                       html_of(text));
  };
  const auto html_of_rows = [&](std::span<const std::vector<SummaryCell>> rows, bool only_chosen) {
    std::string some = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
    for (const std::size_t i : shown) {
      some += cell(i, "th", with_words(table.columns[i].title, names));
    }
    some += "</tr></thead>\n<tbody>\n";
    for (const std::vector<SummaryCell>& row : rows) {
      if (only_chosen && !is_chosen(table, row)) continue;
      some += "<tr>";
      for (const std::size_t i : shown) some += cell(i, "td", row[i].text);
      some += "</tr>\n";
    }
    return some + "</tbody></table></div>\n";
  };
  const std::size_t rows = std::min(table.rows.size(), SummaryText::kMostRows);
  std::string html = html_of_rows(std::span(table.rows).first(rows), false);
  if (rows < table.rows.size()) {
    html += fmt::format(
        "<p class=\"note\">The first {} of {} rows; all are among the points below."
        "</p>\n",
        rows, table.rows.size());
  }
  if (rows <= 12) return html;
  const bool has_chosen = std::ranges::any_of(
      table.rows, [&](const std::vector<SummaryCell>& row) { return is_chosen(table, row); });
  return (has_chosen ? html_of_rows(table.rows, true) : "") +
         fmt::format("<details><summary>All {} {}</summary>\n{}</details>\n", table.rows.size(),
                     has_chosen ? "rows" : "combinations", html);
}

/// The titles of a table, which name one without a heading.
std::string titles_of(const SummaryTable& table) {
  std::vector<std::string> titles;
  for (const SummaryColumn& column : table.columns) {
    if (!column.title.empty()) titles.push_back(column.title);
  }
  return fmt::format("{}", fmt::join(titles, ", "));
}

}  // namespace

SummaryText& SummaryText::operator+=(std::string_view lines) {
  if (pieces_.empty() || pieces_.back().kind != Kind::kLines) pieces_.emplace_back();
  pieces_.back().text += lines;
  return *this;
}

void SummaryText::append(const SummaryText& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
}

void SummaryText::add_answer(std::string_view lines) {
  if (!lines.empty()) pieces_.push_back({.kind = Kind::kAnswer, .text = std::string(lines)});
}

void SummaryText::add(const SummaryTable& table, std::string_view indent) {
  pieces_.push_back({.kind = Kind::kTable, .text = std::string(indent), .table = table});
}

std::string SummaryText::plain() const {
  std::string text;
  for (const auto& [kind, lines, table] : pieces_) {
    text += kind == Kind::kTable ? table.text(lines) : lines;
  }
  return text;
}

std::string SummaryText::html(std::span<const std::string> names) const {
  std::string html;
  bool has_table = false;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& [kind, text, table] = pieces_[i];
    if (kind == Kind::kTable) {
      const bool is_apart =
          has_table && (pieces_[i - 1].text == "\n" || pieces_[i - 1].text.ends_with("\n\n"));
      html += is_apart ? fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                                     html_of(titles_of(table)), table_html(table, names))
                       : table_html(table, names);
      has_table = true;
    } else if (kind == Kind::kAnswer) {
      html += answer_html(text, names);
    } else {
      const bool has_heading = i + 1 < pieces_.size() && pieces_[i + 1].kind == Kind::kTable;
      html += has_table ? folded_html(text, has_heading, names) : lines_html(text, names);
    }
  }
  return html;
}

}  // namespace cospot
