#pragma once

#include <string>

namespace cospot {

/// A model file with two hidden units and rows that are easily added up:
///   unit 0 = 1 + flavor (2,4): 2, other: 0 + hour 3: 0.5 + weekday 6: 0.25 + known previous: -1
///   unit 1 = -1 + age input 1: 3
///   output = -2 + unit 0 - 2 * unit 1
/// Lines are numbered from 1; kHandModelLines is the last, 'end'.
inline std::string hand_model() {
  std::string text =
      "cospot-lifetime-model 1\n"
      "# made by hand\n"
      "flavors 1\n"
      "2 4 0\n"
      "previous-ends 1\n"
      "60\n"
      "intervals 3\n"
      "10 0\n"
      "20 1\n"
      "40 1\n"
      "hidden 2\n"
      "bias 1 -1\n"
      "output 1 -2\n"
      "output-bias -2\n"
      "inputs flavor 2\n"
      "2 0\n"
      "0 0\n"
      "inputs hour 24\n";
  for (int hour = 0; hour < 24; ++hour) text += hour == 3 ? "0.5 0\n" : "0 0\n";
  text += "inputs weekday 7\n";
  for (int day = 0; day < 7; ++day) text += day == 6 ? "0.25 0\n" : "0 0\n";
  text +=
      "inputs previous 3\n"
      "-1 0\n"
      "-1 0\n"
      "0 0\n"
      "inputs age 2\n"
      "0 0\n"
      "0 3\n"
      "end\n";
  return text;
}

inline constexpr int kHandModelLines = 58;

}  // namespace cospot
