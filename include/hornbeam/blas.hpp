// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// gemm and gemm_batch with their arguments in the order of oneMKL's BLAS interface, for programs
/// that move over from it: hornbeam::blas::row_major and hornbeam::blas::column_major.
///
/// Everything else is as matmul has it: checks and their messages, events, empty calls. Of
/// gemm_batch there is the strided form; strides of A and B may be 0. Functions are objects, so
/// that both namespaces share one definition; they are called as functions.
#pragma once

#include <cstdint>
#include <hornbeam/matmul.hpp>
#include <vector>

namespace hornbeam::blas {

namespace detail {

/// T, not deduced: gemm(..., 1, a, ...) takes its element type from the operands.
template <class T>
struct same {
  using type = T;
};
template <class T>
using scalar = typename same<T>::type;

template <class T>
matmul_options<T> options(layout order, transpose transa, transpose transb, T alpha, T beta,
                          std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  matmul_options<T> result;
  result.order = order;
  result.transa = transa;
  result.transb = transb;
  result.alpha = alpha;
  result.beta = beta;
  result.lda = lda;
  result.ldb = ldb;
  result.ldc = ldc;
  return result;
}

template <class T>
matmul_options<T> with_strides(matmul_options<T> result, std::int64_t stride_a,
                               std::int64_t stride_b, std::int64_t stride_c) {
  result.stride_a = stride_a;
  result.stride_b = stride_b;
  result.stride_c = stride_c;
  return result;
}

template <layout Order>
struct gemm_function {
  /// C = alpha * op(A) * op(B) + beta * C on USM pointers.
  /// \param m, n, k C is m x n, op(A) m x k, op(B) k x n.
  /// \returns an event that completes when C is written.
  template <class T>
  sycl::event operator()(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m,
                         std::int64_t n, std::int64_t k, scalar<T> alpha, const T* a,
                         std::int64_t lda, const T* b, std::int64_t ldb, scalar<T> beta, T* c,
                         std::int64_t ldc,
                         const std::vector<sycl::event>& dependencies = {}) const {
    const auto rest = options<T>(Order, transa, transb, alpha, beta, lda, ldb, ldc);
    return matmul(queue, a, b, c, {m, n, k}, rest, dependencies);
  }

  /// The same on buffers.
  template <class T>
  void operator()(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m,
                  std::int64_t n, std::int64_t k, scalar<T> alpha, sycl::buffer<T>& a,
                  std::int64_t lda, sycl::buffer<T>& b, std::int64_t ldb, scalar<T> beta,
                  sycl::buffer<T>& c, std::int64_t ldc) const {
    const auto rest = options<T>(Order, transa, transb, alpha, beta, lda, ldb, ldc);
    matmul(queue, a, b, c, {m, n, k}, rest);
  }
};

template <layout Order>
struct gemm_batch_function {
  /// gemm for each of batch_size entries that lie stride_a, stride_b and stride_c elements apart,
  /// on USM pointers.
  template <class T>
  sycl::event operator()(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m,
                         std::int64_t n, std::int64_t k, scalar<T> alpha, const T* a,
                         std::int64_t lda, std::int64_t stride_a, const T* b, std::int64_t ldb,
                         std::int64_t stride_b, scalar<T> beta, T* c, std::int64_t ldc,
                         std::int64_t stride_c, std::int64_t batch_size,
                         const std::vector<sycl::event>& dependencies = {}) const {
    const auto rest = options<T>(Order, transa, transb, alpha, beta, lda, ldb, ldc);
    return matmul(queue, a, b, c, {m, n, k, batch_size},
                  with_strides(rest, stride_a, stride_b, stride_c), dependencies);
  }

  /// The same on buffers.
  template <class T>
  void operator()(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m,
                  std::int64_t n, std::int64_t k, scalar<T> alpha, sycl::buffer<T>& a,
                  std::int64_t lda, std::int64_t stride_a, sycl::buffer<T>& b, std::int64_t ldb,
                  std::int64_t stride_b, scalar<T> beta, sycl::buffer<T>& c, std::int64_t ldc,
                  std::int64_t stride_c, std::int64_t batch_size) const {
    const auto rest = options<T>(Order, transa, transb, alpha, beta, lda, ldb, ldc);
    matmul(queue, a, b, c, {m, n, k, batch_size}, with_strides(rest, stride_a, stride_b, stride_c));
  }
};

}  // namespace detail

/// Matrices stored by rows.
namespace row_major {
inline constexpr detail::gemm_function<layout::row_major> gemm{};
inline constexpr detail::gemm_batch_function<layout::row_major> gemm_batch{};
}  // namespace row_major

/// Matrices stored by columns, as in Fortran.
namespace column_major {
inline constexpr detail::gemm_function<layout::column_major> gemm{};
inline constexpr detail::gemm_batch_function<layout::column_major> gemm_batch{};
}  // namespace column_major

}  // namespace hornbeam::blas
