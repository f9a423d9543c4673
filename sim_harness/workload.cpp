#include "sim_harness/workload.hpp"
