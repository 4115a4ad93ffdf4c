// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "select.hpp"

#include <cstring>
#include <hornbeam/errors.hpp>

namespace hornbeam::detail {

const selection_table& table_for(const target& device, const char* data_type,
                                 const char* function) {
  std::string built;
  for (std::size_t i = 0; i < device.table_count; ++i) {
    const selection_table& table = device.tables[i];
    if (std::strcmp(table.data_type, data_type) == 0) return table;
    built += std::string(built.empty() ? "" : ", ") + table.data_type;
  }
  throw unimplemented(function, std::string("this library was built without kernels for ") +
                                    data_type + " (built: " + built +
                                    "); add it to HORNBEAM_DATA_TYPES");
}

choice select_kernel(const selection_table& table, const problem_size& size, bool has_product,
                     const std::string* forced, const char* function) {
  const std::size_t reference = table.kernel_count - 1;
  if (forced != nullptr) {
    std::string deployed;
    for (std::size_t i = 0; i < table.kernel_count; ++i) {
      if (*forced == table.kernels[i].id) return {i, nullptr};
      deployed += std::string(i == 0 ? "" : ", ") + table.kernels[i].id;
    }
    throw invalid_argument(function, "kernel is '" + *forced + "', must be one of " + deployed);
  }
  if (!has_product) return {reference, nullptr};
  const leaf& reached = table.leaves[table.select(size)];
  return {static_cast<std::size_t>(reached.kernel), &reached};
}

}  // namespace hornbeam::detail
