// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes a kernel template a function object, for compilers that take host and device code from the
/// same source. The counterpart of wheel_kernel.hpp.
#pragma once

#include <hornbeam/detail/kernel_entry.hpp>
#include <hornbeam/kernels/arguments.hpp>
#include <hornbeam/kernels/slices.hpp>
#include <sycl/sycl.hpp>

namespace hornbeam::detail {

/// Types of function objects, made by HORNBEAM_KERNEL.
template <class... Functions>
struct function_list {};

/// The list of all that were deployed for an element type; specialised by the generated header.
template <class T>
struct deployed_functions {
  using list = function_list<>;
};

}  // namespace hornbeam::detail

/// Defines the table entry NAME, and NAME_function, which runs KERNEL on matmul_arguments<TYPE>.
/// KERNEL is a parenthesised instantiation such as (hornbeam::kernel::reference<float, false,
/// true>). To be used inside hornbeam::detail.
#define HORNBEAM_KERNEL(NAME, TYPE, KERNEL) HORNBEAM_FUNCTION(NAME, TYPE, KERNEL(item, x))

/// The same for a kernel that cuts k into slices: it is given k_slices as well.
#define HORNBEAM_SLICED_KERNEL(NAME, TYPE, KERNEL) \
  HORNBEAM_FUNCTION(NAME, TYPE, KERNEL(item, x, part))

#define HORNBEAM_FUNCTION(NAME, TYPE, CALL)                                          \
  inline constexpr kernel_entry NAME{#NAME};                                         \
  struct NAME##_function {                                                           \
    static constexpr const kernel_entry* entry = &NAME;                              \
    void operator()(const sycl::nd_item<3>& item,                                    \
                    const hornbeam::kernel::matmul_arguments<TYPE>& x,               \
                    [[maybe_unused]] const hornbeam::kernel::k_slices& part) const { \
      CALL;                                                                          \
    }                                                                                \
  };
