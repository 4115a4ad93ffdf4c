// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions of introspection.hpp, where they are compiled with the program.
#pragma once

#include <hornbeam/deployment.hpp>
#include <hornbeam/detail/describe.hpp>
#include <hornbeam/version.hpp>

namespace hornbeam {

inline build_information build_info() {
  return detail::describe_build(HORNBEAM_VERSION, HORNBEAM_SINGLE_SOURCE);
}

template <class T>
std::vector<std::string> kernels(const sycl::device&) {
  return detail::kernel_ids(
      detail::table_for(detail::targets[0], detail::data_type<T>::name, "kernels"));
}

/// Standard SYCL does not tell a device's key, so the device is "unknown" and the match no closer
/// than "default".
template <class T>
explanation explain(const sycl::device&, matmul_shape shape, const matmul_options<T>& options) {
  const auto& target = detail::targets[0];
  const char* match = *target.dataset_key == '\0' ? "" : "default";
  return detail::explain_for(target, match, "unknown", shape, options);
}

/// Kernels are part of the program: there is nothing to compile.
template <class T>
void prepare(sycl::queue& queue) {
  constexpr const char* function = "prepare";
  detail::data_type<T>::require(queue.get_device(), function);
  detail::table_for(detail::targets[0], detail::data_type<T>::name, function);
}

}  // namespace hornbeam
