// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matrix multiplication with kernels tuned for the device the library was built for.
#pragma once

#include <cstddef>
#include <hornbeam/detail/api.hpp>
#include <hornbeam/detail/element_types.hpp>
#include <hornbeam/detail/sycl.hpp>
#include <hornbeam/errors.hpp>
#include <hornbeam/introspection.hpp>
#include <hornbeam/types.hpp>
#include <hornbeam/version.hpp>
#include <vector>

namespace hornbeam {

// clang-format off
/// C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C for every entry of the batch.
///
/// How matrices are stored, with the packed values of leading dimension and stride:
/// | matrix | row-major                             | transposed                            | column-major                 |
/// |--------|---------------------------------------|---------------------------------------|------------------------------|
/// | A      | m rows of k: lda = k, stride lda * m  | k rows of m: lda = m, stride lda * k  | k columns of m (m of k)      |
/// | B      | k rows of n: ldb = n, stride ldb * k  | n rows of k: ldb = k, stride ldb * n  | n columns of k (k of n)      |
/// | C      | m rows of n: ldc = n, stride ldc * m  |                                       | n columns of m               |
/// A last row needs its elements only, not the whole leading dimension; what lies between rows is never
/// written.
///
/// \param a, b, c USM pointers usable from the queue's context. A and B may be null, and are not read,
///   when alpha or k is 0.
/// \param dependencies events that must complete first.
/// \returns an event that completes when C is written. m, n or batch of 0 submits nothing.
///
/// Each element is a chain of k fused multiply-adds in ascending order, then alpha * sum + beta * C: the
/// same bits for the same operands, whatever kernel, batch or size of the rest, unless the library was built
/// to permit kernels that add in another order (HORNBEAM_BIT_STABLE=OFF; explain() tells). For sycl::half all
/// of that is computed in float, and the result rounded once. When beta is 0, C is not read. The call does
/// not wait for the device; the first call of a kernel waits for its compilation (see prepare()). Safe to
/// call from several threads.
///
/// \throws invalid_argument before anything is submitted, naming argument, value and permitted values
/// \throws unsupported_device if the device or its driver cannot run the kernels
/// \throws unimplemented if the library was built without the type
/// \throws device_error if the driver fails to build a kernel, or has no memory for a workspace
// clang-format on
template <class T>
HORNBEAM_API sycl::event matmul(sycl::queue& queue, const T* a, const T* b, T* c,
                                matmul_shape shape, const matmul_options<T>& options = {},
                                const std::vector<sycl::event>& dependencies = {});

/// The same with operands in buffers, from their first element on. The buffers must hold the whole
/// matrices, as small as these may be; m, n and batch may be at most 2^30.
/// \returns an event that completes when C is written; the runtime orders calls by their buffers.
/// \throws as above
template <class T>
HORNBEAM_API sycl::event matmul(sycl::queue& queue, sycl::buffer<T>& a, sycl::buffer<T>& b,
                                sycl::buffer<T>& c, matmul_shape shape,
                                const matmul_options<T>& options = {});

/// Bytes of workspace that a call with the same arguments uses; 0 where it needs none, 4 MB at
/// most. The call may be given that much in its options, else it uses memory of the library's own.
/// \throws invalid_argument as matmul does; unimplemented if the library was built without the
/// type.
template <class T>
HORNBEAM_API std::size_t workspace_size(const sycl::queue& queue, matmul_shape shape,
                                        const matmul_options<T>& options = {});

#if !defined(HORNBEAM_SINGLE_SOURCE)
#define HORNBEAM_DECLARE(T)                                                                  \
  extern template HORNBEAM_API sycl::event matmul<T>(sycl::queue&, const T*, const T*, T*,   \
                                                     matmul_shape, const matmul_options<T>&, \
                                                     const std::vector<sycl::event>&);       \
  extern template HORNBEAM_API sycl::event matmul<T>(sycl::queue&, sycl::buffer<T>&,         \
                                                     sycl::buffer<T>&, sycl::buffer<T>&,     \
                                                     matmul_shape, const matmul_options<T>&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_DECLARE)
#undef HORNBEAM_DECLARE
#endif

}  // namespace hornbeam

#if defined(HORNBEAM_SINGLE_SOURCE)
#include <hornbeam/detail/single_source/matmul.hpp>
#endif
