#include "sim_harness/data/usage/forecast_file.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "core/digest.hpp"
#include "sim_harness/base/tables/table_reader.hpp"

namespace cospot {
namespace {

constexpr std::string_view kHeader = "key,method,model,note,step,point,sigma";

enum ForecastColumn : std::size_t { kKey, kMethod, kModel, kNote, kStep, kPoint, kSigma };
constexpr std::array<TableColumn, 7> kForecastColumns{
    {{"key"}, {"method"}, {"model"}, {"note"}, {"step"}, {"point"}, {"sigma"}}};
constexpr TableFormat kForecastFormat{
    .columns = kForecastColumns, .rows = "forecasts", .may_be_empty = true};

std::string values_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{}", text.empty() ? "" : " ", value);
  return text;
}

}  // namespace

std::string ForecastTask::key() const {
  return sha256_hex(fmt::format("cospot forecast 1\n{}\n{}\n{}\n{}\n", method, season, horizon,
                                values_text(training)));
}

std::string forecast_tasks_text(std::span<const ForecastTask> tasks) {
  std::string text;
  for (const ForecastTask& task : tasks) {
    text += fmt::format("{},{},{},{},{}\n", task.key(), task.method, task.season, task.horizon,
                        values_text(task.training));
  }
  return text;
}

ForecastTable read_forecasts(const std::filesystem::path& file) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  TableReader table(file, kForecastFormat);
  ForecastTable forecasts;
  while (table.next()) {
    Forecast& forecast = forecasts[std::string(table.field(kKey))];
    const std::string step = fmt::format("{}", forecast.point.size() + 1);
    if (table.field(kStep) != step) table.refuse(kStep, step);
    forecast.model = table.field(kModel);
    forecast.note = table.field(kNote);
    forecast.point.push_back(table.number(kPoint, -kMost, kMost));
    forecast.sigma.push_back(table.number(kSigma, 0, kMost));
  }
  return forecasts;
}

std::string forecast_text(std::string_view key, std::string_view method, const Forecast& forecast) {
  std::string text = fmt::format("{}\n", kHeader);
  for (std::size_t i = 0; i < forecast.point.size(); ++i) {
    text += fmt::format("{},{},{},{},{},{},{}\n", key, method, forecast.model, forecast.note, i + 1,
                        forecast.point[i], forecast.sigma[i]);
  }
  return text;
}

}  // namespace cospot
