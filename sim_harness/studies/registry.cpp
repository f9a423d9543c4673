// The studies of cospot. A new one is a folder beside this file, its #include and its row here, and
// a test (docs/extending.md).
#include "sim_harness/studies/compare/compare_study.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {

const StudyRegistry& built_in_studies() {
  static const StudyRegistry registry(
      {compare_study(), provider_study(degradation_preset()), economy_study(),
       provider_study(levels_preset()), sla_study(), broker_study(), deadline_study(),
       classes_study(), provider_study(life_preset()), provider_study(schedulers_preset()),
       provider_study(notice_preset()), signals_study()});
  return registry;
}

}  // namespace cospot
