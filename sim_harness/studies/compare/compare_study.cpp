#include "sim_harness/studies/compare/compare_study.hpp"

#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/compare_summary.hpp"
#include "sim_harness/studies/compare/money.hpp"

namespace cospot {
namespace {

/// True if only policies vary in the database; the summary then names the best ones.
bool is_of_policies(const Schema& schema) {
  return schema.axes.size() == compare_schema().axes.size();
}

}  // namespace

Study compare_study() {
  Study study = provider_study(compare_preset());
  study.figures = [figures = study.figures](const Schema& schema) {
    return is_of_policies(schema) ? compare_figures() : figures(schema);
  };
  study.summarise = [figures = study.figures](ResultsDatabase& results, Timing timing) {
    const Schema& schema = results.schema();
    return is_of_policies(schema) ? compare_summary(results, timing)
                                  : summary_of_figures(results, figures(schema));
  };
  study.money = [money = study.money](const Schema& schema) {
    StudyMoney made = money(schema);
    if (is_of_policies(schema)) made.summary = summarise_compared_money;
    return made;
  };
  return study;
}

}  // namespace cospot
