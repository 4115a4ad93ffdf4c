// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions of matmul.hpp, where they are compiled with the program.
#pragma once

#include <hornbeam/deployment.hpp>
#include <hornbeam/detail/run_matmul.hpp>
#include <hornbeam/detail/single_source/launch.hpp>

namespace hornbeam {

template <class T>
sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c, matmul_shape shape,
                   const matmul_options<T>& options, const std::vector<sycl::event>& dependencies) {
  return detail::run_matmul<detail::single_source_device>(
      queue, shape, options, detail::usm_operands<T>(a, b, c, dependencies));
}

template <class T>
sycl::event matmul(sycl::queue& queue, sycl::buffer<T>& a, sycl::buffer<T>& b, sycl::buffer<T>& c,
                   matmul_shape shape, const matmul_options<T>& options) {
  return detail::run_matmul<detail::single_source_device>(queue, shape, options,
                                                          detail::buffer_operands<T>(a, b, c));
}

template <class T>
std::size_t workspace_size(const sycl::queue&, matmul_shape shape,
                           const matmul_options<T>& options) {
  return detail::workspace_size_for(detail::targets[0], shape, options);
}

}  // namespace hornbeam
