// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matrix multiplication with kernels tuned for the device the library was built for.
#pragma once

#include <hornbeam/detail/api.hpp>
#include <hornbeam/detail/sycl.hpp>
#include <hornbeam/errors.hpp>
#include <hornbeam/introspection.hpp>
#include <hornbeam/types.hpp>
#include <hornbeam/version.hpp>
#include <vector>

namespace hornbeam {

/// C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C for every entry of the batch.
///
/// \param a, b, c USM pointers usable from the queue's context. As stored, with the packed values
/// of
///   leading dimension and stride in parentheses:
///   | matrix | row-major | column-major |
///   | A | m rows of k (lda = k, stride = lda * m); transposed: k rows of m | m x k by columns (lda
///   = m) | | B | k rows of n (ldb = n, stride = ldb * k); transposed: n rows of k | k x n by
///   columns (ldb = k) | | C | m rows of n (ldc = n, stride = ldc * m) | m x n by columns (ldc = m)
///   | The last row needs only its elements, not the whole leading dimension; what lies between
///   rows is never written. A and B may be null, and are not read, when alpha or k is 0.
/// \param dependencies events that must complete first.
/// \returns an event that completes when C is written. m, n or batch of 0 submits nothing.
///
/// Each element is a chain of k fused multiply-adds in ascending order, then alpha * sum + beta *
/// C: the same bits for the same operands, whatever kernel, batch or size of the rest. When beta is
/// 0, C is not read. The call does not wait for the device; the first call of a kernel waits for
/// its compilation (see prepare()). Safe to call from several threads.
///
/// \throws invalid_argument before anything is submitted, naming argument, value and permitted
/// values;
///   unsupported_device if the device or driver cannot run the kernels; unimplemented if the
///   library was built without the type; device_error if the driver fails to build a kernel.
template <class T>
HORNBEAM_API sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c,
                                matmul_shape shape, const matmul_options<T>& options = {},
                                const std::vector<sycl::event>& dependencies = {});

extern template sycl::event matmul<float>(sycl::queue&, const float*, const float*, float*,
                                          matmul_shape, const matmul_options<float>&,
                                          const std::vector<sycl::event>&);
extern template sycl::event matmul<double>(sycl::queue&, const double*, const double*, double*,
                                           matmul_shape, const matmul_options<double>&,
                                           const std::vector<sycl::event>&);

}  // namespace hornbeam
