// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes a kernel template a function object, for compilers that take host and device code from the
/// same source. The counterpart of wheel_kernel.hpp.
#pragma once

#include <hornbeam/detail/kernel_entry.hpp>
#include <hornbeam/kernels/arguments.hpp>
#include <hornbeam/kernels/local_memory.hpp>
#include <hornbeam/kernels/slices.hpp>
#include <sycl/sycl.hpp>
#include <tuple>

namespace hornbeam::detail {

/// Types of function objects, made by HORNBEAM_KERNEL.
template <class... Functions>
struct function_list {};

/// The list of all that were deployed for an element type; specialised by the generated header.
template <class T>
struct deployed_functions {
  using list = function_list<>;
};

/// What a kernel asks for beside its arguments, told by its address: nothing, or a local_memory.
template <class T>
std::tuple<> needs_of(void (*)(const sycl::nd_item<3>&, const kernel::matmul_arguments<T>&));

template <class T>
std::tuple<> needs_of(void (*)(const sycl::nd_item<3>&, const kernel::matmul_arguments<T>&,
                               const kernel::k_slices&));

template <class T, class Local, int Elements>
kernel::local_memory<Local, Elements> needs_of(
    void (*)(const sycl::nd_item<3>&, const kernel::matmul_arguments<T>&,
             const kernel::local_memory<Local, Elements>&));

}  // namespace hornbeam::detail

/// Defines the table entry NAME, and NAME_function, which runs KERNEL on matmul_arguments<TYPE> and
/// the local memory that it asks for, if any.
/// KERNEL is a parenthesised instantiation such as (hornbeam::kernel::reference<float, false,
/// true>). To be used inside hornbeam::detail.
#define HORNBEAM_KERNEL(NAME, TYPE, KERNEL) \
  HORNBEAM_FUNCTION(NAME, TYPE, KERNEL, (item, x, more...))

/// The same for a kernel that cuts k into slices: it is given k_slices as well.
#define HORNBEAM_SLICED_KERNEL(NAME, TYPE, KERNEL) \
  HORNBEAM_FUNCTION(NAME, TYPE, KERNEL, (item, x, part))

#define HORNBEAM_FUNCTION(NAME, TYPE, KERNEL, ARGUMENTS)                     \
  inline constexpr kernel_entry NAME{#NAME};                                 \
  struct NAME##_function {                                                   \
    static constexpr const kernel_entry* entry = &NAME;                      \
    using needs = decltype(needs_of(&KERNEL));                               \
    template <class... More>                                                 \
    void operator()(const sycl::nd_item<3>& item,                            \
                    const hornbeam::kernel::matmul_arguments<TYPE>& x,       \
                    [[maybe_unused]] const hornbeam::kernel::k_slices& part, \
                    [[maybe_unused]] const More&... more) const {            \
      KERNEL ARGUMENTS;                                                      \
    }                                                                        \
  };
