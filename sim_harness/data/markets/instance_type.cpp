#include "sim_harness/data/markets/instance_type.hpp"

namespace cospot {

const std::vector<InstanceType>& types_of_2011() {
  static const std::vector<InstanceType> types{{"m1.small", 1, 1740, 85'000},
                                               {"m1.large", 4, 7680, 340'000},
                                               {"m1.xlarge", 8, 15360, 680'000},
                                               {"c1.medium", 5, 1740, 170'000},
                                               {"c1.xlarge", 20, 7168, 680'000}};
  return types;
}

}  // namespace cospot
