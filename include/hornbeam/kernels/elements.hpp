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
#include <type_traits>

namespace hornbeam::kernel {

/// What kernels compute in: operands are converted to it, results from it when they are stored.
template <class T>
struct accumulator {
  using type = T;
};

/// Every product of two halves is exact in float.
template <>
struct accumulator<sycl::half> {
  using type = float;
};

template <class T>
using accumulator_t = typename accumulator<T>::type;

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
accumulator_t<T> element_a(const matmul_arguments<T>& x, std::int64_t row, std::int64_t p) {
  return TransposeA ? x.a[p * x.lda + row] : x.a[row * x.lda + p];
}

/// Element (p, col) of op(B).
template <bool TransposeB, class T>
accumulator_t<T> element_b(const matmul_arguments<T>& x, std::int64_t p, std::int64_t col) {
  return TransposeB ? x.b[col * x.ldb + p] : x.b[p * x.ldb + col];
}

/// One element of op(A) * op(B): fused multiply-adds in ascending p, as in every bit-stable kernel.
template <bool TransposeA, bool TransposeB, class T>
accumulator_t<T> dot(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col) {
  accumulator_t<T> sum{0};
  for (std::int64_t p = 0; p < x.k; ++p)
    sum = sycl::fma(element_a<TransposeA>(x, row, p), element_b<TransposeB>(x, p, col), sum);
  return sum;
}

/// Writes alpha * product + beta * c to C(row, col), rounded to T at the end. A zero product leaves
/// beta * c as it is, so that beta = 1 returns C bit for bit, negative zeros included.
template <class T>
void store(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col,
           accumulator_t<T> product) {
  using wide = accumulator_t<T>;
  T* const c = x.c + row * x.ldc + col;
  const wide scaled = static_cast<wide>(x.alpha) * product;
  const auto beta = static_cast<wide>(x.beta);
  if (beta == wide{0})
    *c = static_cast<T>(scaled);
  else
    *c = static_cast<T>(scaled == wide{0} ? beta * static_cast<wide>(*c)
                                          : sycl::fma(beta, static_cast<wide>(*c), scaled));
}

/// N consecutive elements, converted; the address needs no more than the alignment of T.
template <int N, class T>
sycl::vec<accumulator_t<T>, N> load_vector(const T* from) {
  sycl::vec<T, N> value;
  std::memcpy(&value, from, sizeof(T) * N);
  if constexpr (std::is_same_v<T, accumulator_t<T>>)
    return value;
  else
    return value.template convert<accumulator_t<T>>();
}

/// Writes N consecutive elements, rounded to T; the address needs no more than the alignment of T.
template <int N, class T>
void store_vector(T* to, const sycl::vec<accumulator_t<T>, N>& value) {
  if constexpr (std::is_same_v<T, accumulator_t<T>>) {
    std::memcpy(to, &value, sizeof(T) * N);
  } else {
    const sycl::vec<T, N> rounded = value.template convert<T>();
    std::memcpy(to, &rounded, sizeof(T) * N);
  }
}

/// Transposes a square matrix in registers: swaps its quarters of Half x Half, then theirs.
template <int Half, class T, int N>
void transpose(sycl::vec<T, N> (&rows)[N]) {
#pragma unroll
  for (int r = 0; r < N; ++r)
    if (r % (2 * Half) < Half) {
      const sycl::vec<T, N> upper = rows[r], lower = rows[r + Half];
#pragma unroll
      for (int c = 0; c < N; ++c) {
        const bool left = c % (2 * Half) < Half;
        rows[r][c] = left ? upper[c] : lower[c - Half];
        rows[r + Half][c] = left ? upper[c + Half] : lower[c];
      }
    }
  if constexpr (Half > 1) transpose<Half / 2>(rows);
}

#ifdef SYCL_IMPLEMENTATION_ACPP  // AdaptiveCpp lacks sycl::select
/// Elements of `then` where a comparison holds, of `otherwise` elsewhere.
template <class T, class Flag, int N>
sycl::vec<T, N> select(const sycl::vec<T, N>& otherwise, const sycl::vec<T, N>& then,
                       const sycl::vec<Flag, N>& comparison) {
  sycl::vec<T, N> result = otherwise;
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (comparison[i] != 0) result[i] = then[i];
  return result;
}
#else
using sycl::select;
#endif

/// store() for N consecutive elements of a row.
template <class T, int N>
void store_line(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col,
                const sycl::vec<accumulator_t<T>, N>& product) {
  using wide = accumulator_t<T>;
  using vector = sycl::vec<wide, N>;
  T* const to = x.c + row * x.ldc + col;
  const vector scaled = vector(static_cast<wide>(x.alpha)) * product;
  const auto beta = static_cast<wide>(x.beta);
  if (beta == wide{0}) {
    store_vector<N>(to, scaled);
  } else {
    const vector kept = vector(beta) * load_vector<N>(to);
    const vector sum = sycl::fma(vector(beta), load_vector<N>(to), scaled);
    store_vector<N>(to, vector(select(sum, kept, scaled == vector(wide{0}))));
  }
}

}  // namespace hornbeam::kernel
