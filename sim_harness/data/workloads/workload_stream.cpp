#include "sim_harness/data/workloads/workload_stream.hpp"

#include "sim_harness/data/workloads/placement_fields.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot {

WorkloadStream::WorkloadStream(const std::filesystem::path& path, WorkloadSchema schema)
    : stream_(path), schema_(schema) {
  text_ = kWorkloadSchemas[static_cast<std::size_t>(schema)].header;
  text_ += '\n';
}

WorkloadStream::WorkloadStream(const std::filesystem::path& path,
                               const WorkloadStatements& statements)
    : WorkloadStream(path, WorkloadSchema::kCospot) {
  placements_ = statements.placements;
  if (placements_ != nullptr) text_.insert(text_.size() - 1, kPlacementColumns);
  text_.insert(0, workload_statements(statements.window, statements.vcpus_unit));
}

void WorkloadStream::write(const WorkloadRow& row) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
  append_workload_row(text_, row, schema_);
  if (placements_ != nullptr) text_.insert(text_.size() - 1, placement_fields(row, *placements_));
  ++rows_;
  if (text_.size() < kPieceBytes) return;
  stream_.write(text_);
  text_.clear();
}

void WorkloadStream::commit() {
  stream_.write(text_);
  stream_.commit();
}

}  // namespace cospot
