#pragma once

namespace CLI {
class App;
}

namespace cospot {

class StudyRegistry;

/// Registers `report`. It runs inside app.parse() and throws the types of core/errors.hpp.
void add_report_command(CLI::App& app, const StudyRegistry& studies);

}  // namespace cospot
