#include "sim_harness/studies/sla/sla_settings.hpp"
#include "sim_harness/studies/sla/sla_summary.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {

Study sla_study() {
  Study study = provider_study(sla_preset());
  study.read = [](const StudyFile& file) -> LoadExperiment {
    const ProviderStudy parts(sla_preset(), file.root, file.keeps_timeline);
    return [parts, settings = read_sla_settings(file)] {
      return load_provider_experiment(parts, settings);
    };
  };
  study.summarise = [figures = study.figures](ResultsDatabase& results, Timing timing) {
    StudySummary summary = sla_summary(results, timing);
    const StudyFigures of_parts = figures(results.schema());
    if (of_parts.figures.empty()) return summary;
    const StudySummary more = summary_of_figures(results, of_parts);
    summary.text.append(more.text);
    summary.json["parts"] = more.json.at("combinations");
    return summary;
  };
  study.figures = [figures = study.figures](const Schema& schema) {
    StudyFigures all = sla_figures();
    for (const Figure& one : figures(schema).figures) all.figures.push_back(one);
    return all;
  };
  return study;
}

}  // namespace cospot
