#include "tests/cpp/settings_grid.hpp"

namespace cospot::reference {

std::vector<Settings> settings_grid(const ResourceVector& host, std::size_t hosts) {
  std::vector<Settings> all;
  for (const char* vm : {"UTIL", "COS", "DPD", "FirstFit"}) {
    for (const char* spot : {"sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD", "FirstFit"}) {
      for (const char* evictor : {"FIFO", "YJF", "LPO", "LPML"}) {
        for (const bool saf : {false, true}) {
          for (const std::size_t otn : {1U, 2U, 3U, 32U}) {
            all.push_back({host, hosts, vm, spot, evictor, saf, otn});
          }
        }
      }
    }
  }
  return all;
}

std::string describe(const Settings& settings) {
  const std::string policies =
      settings.vm + " " + settings.spot + " " + settings.evictor + (settings.saf ? " SAF" : "");
  if (settings.epsilon) return policies + " epsilon " + std::to_string(*settings.epsilon);
  if (settings.adaptive) {
    return policies + " adaptive " + std::to_string(settings.adaptive->at_low_load) + " to " +
           std::to_string(settings.adaptive->at_high_load);
  }
  return policies + " OTN " + std::to_string(settings.otn);
}

}  // namespace cospot::reference
