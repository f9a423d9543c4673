#include "sim_harness/data/reconstruction/slack_program.hpp"

#include "core/errors.hpp"

#ifdef COSPOT_HAS_CLP

#include <Clp_C_Interface.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace cospot {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();  // what CLP takes for infinity

/// The columns of the program, one after the other, as CLP wants them.
struct Columns {
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> rows;
  std::vector<double> values;
  std::vector<double> lower;
  std::vector<double> cost;

  void add_entry(std::size_t row, double value) {
    rows.push_back(static_cast<int>(row));
    values.push_back(value);
  }
  void end_column(double least, double cost_of_one) {
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    lower.push_back(least);
    cost.push_back(cost_of_one);
  }
};

/// Sizes of VM types, sizes of machine types, then each equation's slack above and below 0.
Columns make_columns(const SizeRatios& ratios, SlackUnit unit) {
  const bool logarithms = unit == SlackUnit::kLogarithm;
  const double least = logarithms ? -kUnbounded : 1;
  std::vector<std::vector<std::size_t>> rows_of_type(ratios.vm_types);
  std::vector<std::vector<std::size_t>> rows_of_machine(ratios.machine_types);
  for (std::size_t row = 0; row < ratios.equations.size(); ++row) {
    rows_of_type[ratios.equations[row].vm_type].push_back(row);
    rows_of_machine[ratios.equations[row].machine_type].push_back(row);
  }
  Columns columns;
  for (const auto& rows : rows_of_type) {
    for (const std::size_t row : rows) columns.add_entry(row, 1);
    columns.end_column(least, 0);
  }
  for (const auto& rows : rows_of_machine) {
    for (const std::size_t row : rows) {
      columns.add_entry(row, logarithms ? -1 : -ratios.equations[row].share);
    }
    columns.end_column(least, 0);
  }
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t row = 0; row < ratios.equations.size(); ++row) {
      columns.add_entry(row, sign);
      columns.end_column(0, 1);
    }
  }
  return columns;
}

}  // namespace

struct SlackProgram::Model {
  explicit Model(const SizeRatios& size_ratios)
      : ratios(&size_ratios),
        clp(Clp_newModel()),
        constants(size_ratios.equations.size(), 0.0),
        taken_out(size_ratios.equations.size(), false) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() { Clp_deleteModel(clp); }

  const SizeRatios* ratios;
  Clp_Simplex* clp;
  std::vector<double> constants;  ///< what each equation amounts to
  std::vector<bool> taken_out;
};

SlackProgram::SlackProgram(const SizeRatios& ratios, SlackUnit unit)
    : model_(std::make_unique<Model>(ratios)) {
  const Columns columns = make_columns(ratios, unit);
  std::vector<double>& constants = model_->constants;
  if (unit == SlackUnit::kLogarithm) {
    for (std::size_t row = 0; row < constants.size(); ++row) {
      constants[row] = std::log(ratios.equations[row].share);
    }
  }
  const std::vector<double> upper(columns.lower.size(), kUnbounded);
  Clp_setLogLevel(model_->clp, 0);
  Clp_loadProblem(model_->clp, static_cast<int>(columns.lower.size()),
                  static_cast<int>(constants.size()), columns.starts.data(), columns.rows.data(),
                  columns.values.data(), columns.lower.data(), upper.data(), columns.cost.data(),
                  constants.data(), constants.data());
}

SlackProgram::~SlackProgram() = default;

void SlackProgram::drop(std::size_t vm_type) {
  std::vector<double> lower = model_->constants;
  std::vector<double> upper = model_->constants;
  for (std::size_t row = 0; row < lower.size(); ++row) {
    if (model_->ratios->equations[row].vm_type == vm_type) model_->taken_out[row] = true;
    if (!model_->taken_out[row]) continue;
    lower[row] = -kUnbounded;
    upper[row] = kUnbounded;
  }
  Clp_chgRowLower(model_->clp, lower.data());
  Clp_chgRowUpper(model_->clp, upper.data());
}

std::vector<double> SlackProgram::solve() {
  constexpr int kOptimal = 0;
  if (Clp_primal(model_->clp, 0) != kOptimal || Clp_status(model_->clp) != kOptimal) {
    throw std::runtime_error("the solver CLP ended with status " +
                             std::to_string(Clp_status(model_->clp)));
  }
  const std::size_t rows = model_->constants.size();
  const double* above = Clp_primalColumnSolution(model_->clp) + model_->ratios->vm_types +
                        model_->ratios->machine_types;
  const double* below = above + rows;
  std::vector<double> slacks(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!model_->taken_out[row]) slacks[row] = std::abs(above[row] - below[row]);
  }
  return slacks;
}

bool has_slack_solver() { return true; }

}  // namespace cospot

#else

namespace cospot {

struct SlackProgram::Model {};

SlackProgram::SlackProgram(const SizeRatios& /*ratios*/, SlackUnit /*unit*/) {
  throw ConfigError(
      "this cospot was built without the solver CLP, which 'workload reconstruct' needs; install "
      "coinor-libclp-dev and build again");
}

SlackProgram::~SlackProgram() = default;

void SlackProgram::drop(std::size_t /*vm_type*/) {}

std::vector<double> SlackProgram::solve() { return {}; }

bool has_slack_solver() { return false; }

}  // namespace cospot

#endif
