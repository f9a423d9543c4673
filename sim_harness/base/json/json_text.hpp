#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// A text as a JSON string.
[[nodiscard]] std::string json_text(std::string_view text);

/// A number as JSON has it, with as many digits as it needs to be read back exactly; `null` when
/// it is none or not finite.
[[nodiscard]] std::string json_number(std::optional<double> number);

[[nodiscard]] std::string json_bool(bool value);

/// `[a,b]` of texts that are JSON already.
[[nodiscard]] std::string json_list(const std::vector<std::string>& items);

/// `[a,b]` of what `write` makes of each value.
template <class Values, class Write>
std::string list_of(const Values& values, const Write& write) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(write(value));
  return json_list(items);
}

/// A JSON object, member by member in the order in which they are added. Values are JSON already.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, const std::string& json);
  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace cospot
