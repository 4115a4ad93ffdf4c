// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Access to single elements and vectors of the operands, and the arithmetic that all kernels
/// share.
#pragma once

#include <cstdint>
#include <cstring>
#include <hornbeam/kernels/arguments.hpp>
#include <sycl/sycl.hpp>

namespace hornbeam::kernel {

/// The operands of one entry of the batch.
template <class T>
matmul_arguments<T> batch_entry(matmul_arguments<T> all, std::int64_t index) {
  all.a += index * all.stride_a;
  all.b += index * all.stride_b;
  all.c += index * all.stride_c;
  return all;
}

/// Element (row, p) of op(A).
template <bool TransposeA, class T>
T element_a(const matmul_arguments<T>& x, std::int64_t row, std::int64_t p) {
  return TransposeA ? x.a[p * x.lda + row] : x.a[row * x.lda + p];
}

/// Element (p, col) of op(B).
template <bool TransposeB, class T>
T element_b(const matmul_arguments<T>& x, std::int64_t p, std::int64_t col) {
  return TransposeB ? x.b[col * x.ldb + p] : x.b[p * x.ldb + col];
}

/// One element of op(A) * op(B): fused multiply-adds in ascending p, as in every bit-stable kernel.
template <bool TransposeA, bool TransposeB, class T>
T dot(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col) {
  T sum{0};
  for (std::int64_t p = 0; p < x.k; ++p)
    sum = sycl::fma(element_a<TransposeA>(x, row, p), element_b<TransposeB>(x, p, col), sum);
  return sum;
}

/// Writes alpha * product + beta * c to C(row, col). A zero product leaves beta * c as it is, so
/// that beta = 1 returns C bit for bit, negative zeros included.
template <class T>
void store(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col, T product) {
  T* const c = x.c + row * x.ldc + col;
  const T scaled = x.alpha * product;
  if (x.beta == T{0})
    *c = scaled;
  else
    *c = scaled == T{0} ? x.beta * *c : sycl::fma(x.beta, *c, scaled);
}

/// N consecutive elements; the address needs no more than the alignment of T.
template <int N, class T>
sycl::vec<T, N> load_vector(const T* from) {
  sycl::vec<T, N> value;
  std::memcpy(&value, from, sizeof(T) * N);
  return value;
}

/// Writes N consecutive elements; the address needs no more than the alignment of T.
template <int N, class T>
void store_vector(T* to, const sycl::vec<T, N>& value) {
  std::memcpy(to, &value, sizeof(T) * N);
}

/// store() for N consecutive elements of a row.
template <class T, int N>
void store_line(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col,
                const sycl::vec<T, N>& product) {
  using vector = sycl::vec<T, N>;
  T* const to = x.c + row * x.ldc + col;
  const vector scaled = vector(x.alpha) * product;
  if (x.beta == T{0}) {
    store_vector<N>(to, scaled);
  } else {
    const vector kept = vector(x.beta) * load_vector<N>(to);
    const vector sum = sycl::fma(vector(x.beta), load_vector<N>(to), scaled);
    store_vector<N>(to, vector(sycl::select(sum, kept, scaled == vector(T{0}))));
  }
}

}  // namespace hornbeam::kernel
