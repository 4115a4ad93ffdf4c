// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the tables say, in the words of introspection.hpp.
#pragma once

#include <hornbeam/detail/check_call.hpp>
#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/select.hpp>
#include <hornbeam/introspection.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace hornbeam::detail {

inline std::vector<std::string> kernel_ids(const selection_table& table) {
  std::vector<std::string> ids;
  ids.reserve(table.kernel_count);
  for (std::size_t i = 0; i < table.kernel_count; ++i) ids.emplace_back(table.kernels[i].id);
  return ids;
}

/// explain() for a device.
/// \param built_for the target that serves it, \param match how the device matches the one that was
/// measured, \param device its key.
template <class T>
explanation explain_for(const target& built_for, const char* match, const std::string& device,
                        const matmul_shape& shape, const matmul_options<T>& options) {
  constexpr const char* function = "explain";
  const auto call = check_call<T>(function, nullptr, nullptr, nullptr, shape, options);
  const auto& table = table_for(built_for, data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice = select_kernel(table, call.size(), call.has_product(), forced, function);
  const bool measured = choice.reason != nullptr;
  return {table.kernels[choice.kernel].id,
          measured ? choice.reason->path : "",
          measured ? choice.reason->expected_share : std::numeric_limits<double>::quiet_NaN(),
          built_for.key,
          built_for.dataset_key,
          match,
          device,
          table.kernels[choice.kernel].bit_stable};
}

inline build_information describe_build(const char* version, const char* toolchain) {
  build_information info{version, toolchain, {}};
  for (std::size_t t = 0; t < target_count; ++t) {
    const target& built = targets[t];
    target_information target{built.key, built.dataset_key, built.match, {}};
    for (std::size_t i = 0; i < built.table_count; ++i) {
      const selection_table& table = built.tables[i];
      target.selections.push_back({table.data_type, kernel_ids(table), table.held_out_share,
                                   table.dataset_digest, table.note});
    }
    info.targets.push_back(std::move(target));
  }
  return info;
}

}  // namespace hornbeam::detail
