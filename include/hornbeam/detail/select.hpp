// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a checked call to the kernel that runs it. Pure functions of size and options.
#pragma once

#include <cstddef>
#include <cstring>
#include <hornbeam/detail/deployment.hpp>
#include <hornbeam/detail/failures.hpp>
#include <string>

namespace hornbeam::detail {

/// A deployed kernel and the leaf of the tree that named it; no leaf where there was no choice.
struct choice {
  std::size_t kernel;  ///< index into selection_table::kernels
  const leaf* reason;
};

/// What was deployed for an element type.
/// \throws unimplemented naming the types that were built.
inline const selection_table& table_for(const target& device, const char* data_type,
                                        const char* function) {
  for (std::size_t i = 0; i < device.table_count; ++i)
    if (std::strcmp(device.tables[i].data_type, data_type) == 0) return device.tables[i];
  std::string built;
  for (std::size_t i = 0; i < device.table_count; ++i)
    built += std::string(built.empty() ? "" : ", ") + device.tables[i].data_type;
  fail(function, failures::type_left_out, {{"type", data_type}, {"permitted", built}});
}

/// The deployed kernel of an id.
/// \throws invalid_argument naming those that exist.
inline std::size_t kernel_of_id(const selection_table& table, const std::string& id,
                                const char* function) {
  for (std::size_t i = 0; i < table.kernel_count; ++i)
    if (id == table.kernels[i].id) return i;
  std::string deployed;
  for (std::size_t i = 0; i < table.kernel_count; ++i)
    deployed += std::string(i == 0 ? "" : ", ") + table.kernels[i].id;
  fail(function, failures::unknown_kernel, {{"value", id}, {"permitted", deployed}});
}

/// The kernel for a call.
/// \param has_product whether there is anything to multiply; scaling C needs no tuned kernel.
/// \param forced id of the kernel to use, or null.
/// \throws invalid_argument if forced names no deployed kernel.
inline choice select_kernel(const selection_table& table, const problem_size& size,
                            bool has_product, const std::string* forced, const char* function) {
  if (forced != nullptr) return {kernel_of_id(table, *forced, function), nullptr};
  const std::size_t reference = table.kernel_count - 1;
  if (!has_product) return {reference, nullptr};
  const leaf& reached = table.leaves[table.select(size)];
  return {static_cast<std::size_t>(reached.kernel), &reached};
}

}  // namespace hornbeam::detail
