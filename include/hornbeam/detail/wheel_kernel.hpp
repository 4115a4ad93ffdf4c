// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Wraps a kernel template in a free function that DPC++'s runtime compiler can build and that
/// takes plain arguments only. Here and in wheel_local_memory.hpp device code depends on that
/// toolchain, and nowhere else.
#pragma once

#include <cstdint>
#include <hornbeam/kernels/arguments.hpp>
#include <hornbeam/kernels/slices.hpp>
#include <sycl/sycl.hpp>

/// Defines the device function NAME(arguments of matmul_arguments<TYPE>, in order) that runs
/// KERNEL, a parenthesised instantiation such as (hornbeam::kernel::reference<float, false,
/// true>). The module that holds it calls it "__sycl_kernel_NAME".
#define HORNBEAM_KERNEL(NAME, TYPE, KERNEL)                                                    \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                                \
      (sycl::ext::oneapi::experimental::nd_range_kernel<3>)) void                              \
  NAME(const TYPE* a, const TYPE* b, TYPE* c, std::int64_t m, std::int64_t n, std::int64_t k,  \
       std::int64_t lda, std::int64_t ldb, std::int64_t ldc, std::int64_t stride_a,            \
       std::int64_t stride_b, std::int64_t stride_c, TYPE alpha, TYPE beta) {                  \
    KERNEL(sycl::ext::oneapi::this_work_item::get_nd_item<3>(),                                \
           hornbeam::kernel::matmul_arguments<TYPE>{a, b, c, m, n, k, lda, ldb, ldc, stride_a, \
                                                    stride_b, stride_c, alpha, beta});         \
  }

/// The same for a kernel that cuts k into slices: it is given the members of k_slices as well.
#define HORNBEAM_SLICED_KERNEL(NAME, TYPE, KERNEL)                                             \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                                \
      (sycl::ext::oneapi::experimental::nd_range_kernel<3>)) void                              \
  NAME(const TYPE* a, const TYPE* b, TYPE* c, std::int64_t m, std::int64_t n, std::int64_t k,  \
       std::int64_t lda, std::int64_t ldb, std::int64_t ldc, std::int64_t stride_a,            \
       std::int64_t stride_b, std::int64_t stride_c, TYPE alpha, TYPE beta, void* sums,        \
       std::int64_t count, std::int64_t step) {                                                \
    KERNEL(sycl::ext::oneapi::this_work_item::get_nd_item<3>(),                                \
           hornbeam::kernel::matmul_arguments<TYPE>{a, b, c, m, n, k, lda, ldb, ldc, stride_a, \
                                                    stride_b, stride_c, alpha, beta},          \
           hornbeam::kernel::k_slices{sums, count, step});                                     \
  }
