// The studies of cospot. A new one is a folder beside this file, its #include and its row here, and
// a test (CONTRIBUTING.md).
#include "sim_harness/studies/broker/broker_study.hpp"
#include "sim_harness/studies/classes/classes_study.hpp"
#include "sim_harness/studies/compare/compare_study.hpp"
#include "sim_harness/studies/deadline/deadline_study.hpp"
#include "sim_harness/studies/degradation/degradation_study.hpp"
#include "sim_harness/studies/economy/economy_study.hpp"
#include "sim_harness/studies/levels/levels_study.hpp"
#include "sim_harness/studies/life/life_study.hpp"
#include "sim_harness/studies/schedulers/schedulers_study.hpp"
#include "sim_harness/studies/sla/sla_study.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

const StudyRegistry& built_in_studies() {
  static const StudyRegistry registry(
      {compare_study(), degradation_study(), economy_study(), levels_study(), sla_study(),
       broker_study(), deadline_study(), classes_study(), life_study(), schedulers_study()});
  return registry;
}

}  // namespace cospot
