// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Wraps a kernel template in a function that launches it, for compilers that take host and device
/// code from the same source. The counterpart of wheel_kernel.hpp, in standard SYCL 2020.
#pragma once

#include <hornbeam/kernels/arguments.hpp>
#include <sycl/sycl.hpp>
#include <vector>

namespace hornbeam::detail {

/// A kernel that was compiled with the program.
struct single_source_kernel {
  /// Submits the kernel. `arguments` points to a kernel::matmul_arguments of its element type.
  sycl::event (*launch)(sycl::queue& queue, const sycl::nd_range<3>& range, const void* arguments,
                        const std::vector<sycl::event>& dependencies);
};

/// single_source_kernel::launch of a function object that holds the arguments.
template <class Function, class T>
sycl::event launch_function(sycl::queue& queue, const sycl::nd_range<3>& range,
                            const void* arguments, const std::vector<sycl::event>& dependencies) {
  const Function function{*static_cast<const kernel::matmul_arguments<T>*>(arguments)};
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(dependencies);
    handler.parallel_for(range, function);
  });
}

}  // namespace hornbeam::detail

/// Defines the single_source_kernel NAME that runs KERNEL on matmul_arguments<TYPE>; KERNEL is a
/// parenthesised instantiation such as (hornbeam::kernel::reference<float, false, true>). To be
/// used in a namespace inside hornbeam::detail.
#define HORNBEAM_KERNEL(NAME, TYPE, KERNEL)                                          \
  struct NAME##_function {                                                           \
    hornbeam::kernel::matmul_arguments<TYPE> arguments;                              \
    void operator()(const sycl::nd_item<3>& item) const { KERNEL(item, arguments); } \
  };                                                                                 \
  inline constexpr single_source_kernel NAME = {&launch_function<NAME##_function, TYPE>};
