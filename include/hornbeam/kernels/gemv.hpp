// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The matrix-vector kernel, for C of one row or one column: a work-item computes part of it in one
/// pass over its part of the matrix.
///
/// Where outputs lie side by side in memory, it adds a few lines of the matrix at a time to sums in
/// private memory. Where k does, it reads a few lines in squares, which it transposes in registers,
/// so that a vector holds one step of k of several sums. Other C are computed row by row: right,
/// but slow. Its parameters are in gemv.json.
///
/// Every sum is a chain of fused multiply-adds in ascending k: same bits as from any other kernel.
#pragma once

#include <hornbeam/kernels/blocks.hpp>
#include <hornbeam/kernels/elements.hpp>

namespace hornbeam::kernel {

/// The product of a matrix and a vector: `outputs` sums over k, kept in private memory.
template <class T, int Width>
class matrix_vector_product {
 public:
  using wide = accumulator_t<T>;

  /// Largest number of outputs.
  static constexpr int most_outputs = 4096;

  /// \param matrix its first element, with `ld` elements from one line to the next.
  /// \param factors the vector, with `stride` elements from one to the next.
  matrix_vector_product(const T* matrix, std::int64_t ld, const T* factors, std::int64_t stride,
                        std::int64_t k, int outputs)
      : matrix_(matrix), ld_(ld), factors_(factors), stride_(stride), k_(k), outputs_(outputs) {}

  /// Computes the sums.
  /// \tparam AlongOutputs whether a line of the matrix holds the elements of one step of k, rather
  /// than those of one output.
  template <bool AlongOutputs>
  void compute() {
    if constexpr (AlongOutputs)
      compute_along_outputs();
    else
      compute_along_k();
  }

  int outputs() const { return outputs_; }
  wide operator[](int output) const { return sums_[output]; }

 private:
  using vector = sycl::vec<wide, Width>;
  static constexpr int lines = 8, square = 8;
  using square_vector = sycl::vec<wide, square>;

  void compute_along_outputs() {
    for (int o = 0; o < outputs_; ++o) sums_[o] = wide{0};
    std::int64_t p = 0;
#pragma unroll 1
    for (; p + lines <= k_; p += lines) add_lines<lines>(p);
#pragma unroll 1
    for (; p < k_; ++p) add_lines<1>(p);
  }

  void compute_along_k() {
#pragma unroll 1
    for (int o = 0; o < outputs_; o += square) {
      const T* line[square];
#pragma unroll
      for (int r = 0; r < square; ++r) line[r] = matrix_ + sycl::min(o + r, outputs_ - 1) * ld_;
      square_vector sum(wide{0});
      std::int64_t p = 0;
#pragma unroll 1
      for (; p + square <= k_; p += square) {
        square_vector element[square];
#pragma unroll
        for (int r = 0; r < square; ++r) element[r] = load_vector<square>(line[r] + p);
        transpose<square / 2>(element);
#pragma unroll
        for (int q = 0; q < square; ++q)
          sum = sycl::fma(element[q], square_vector(factors_[(p + q) * stride_]), sum);
      }
#pragma unroll 1
      for (; p < k_; ++p) {
        const wide factor = factors_[p * stride_];
#pragma unroll
        for (int r = 0; r < square; ++r)
          sum[r] = sycl::fma(static_cast<wide>(line[r][p]), factor, sum[r]);
      }
#pragma unroll
      for (int r = 0; r < square; ++r)
        if (o + r < outputs_) sums_[o + r] = sum[r];
    }
  }

  /// Adds steps p to p + Lines of k to all sums.
  template <int Lines>
  void add_lines(std::int64_t p) {
    const T* const from = matrix_ + p * ld_;
    wide factor[Lines];
#pragma unroll
    for (int q = 0; q < Lines; ++q) factor[q] = factors_[(p + q) * stride_];
    int o = 0;
#pragma unroll 1
    for (; o + Width <= outputs_; o += Width) {
      vector sum = load_vector<Width>(sums_ + o);
#pragma unroll
      for (int q = 0; q < Lines; ++q)
        sum = sycl::fma(vector(factor[q]), load_vector<Width>(from + q * ld_ + o), sum);
      store_vector<Width>(sums_ + o, sum);
    }
#pragma unroll 1
    for (; o < outputs_; ++o)
#pragma unroll
      for (int q = 0; q < Lines; ++q)
        sums_[o] = sycl::fma(factor[q], static_cast<wide>(from[q * ld_ + o]), sums_[o]);
  }

  const T* matrix_;
  std::int64_t ld_;
  const T* factors_;
  std::int64_t stride_, k_;
  int outputs_;
  wide sums_[most_outputs];
};

/// Launch: (batch, blocks along rows, blocks along columns) in work-groups of one work-item, any
/// number of them. Any m, n, k >= 0.
template <class T, int Width, bool TransposeA, bool TransposeB>
void gemv(const sycl::nd_item<3>& item, const matmul_arguments<T>& all) {
  using vector_product = matrix_vector_product<T, Width>;
  const auto x = batch_entry(all, static_cast<std::int64_t>(item.get_global_id(0)));
  const block rows = block_of(item, 1, x.m, 1), cols = block_of(item, 2, x.n, 1);
  if (x.n == 1) {
    if (cols.size == 0) return;
    const std::int64_t next_b = TransposeB ? 1 : x.ldb;
    const std::int64_t step = step_of(rows.size, vector_product::most_outputs, 1);
#pragma unroll 1
    for (std::int64_t i = 0; i < rows.size; i += step) {
      const T* const a = x.a + (rows.begin + i) * (TransposeA ? 1 : x.lda);
      vector_product product(a, x.lda, x.b, next_b, x.k,
                             static_cast<int>(sycl::min(step, rows.size - i)));
      product.template compute<TransposeA>();
      for (int o = 0; o < product.outputs(); ++o) store(x, rows.begin + i + o, 0, product[o]);
    }
    return;
  }
  const std::int64_t next_a = TransposeA ? x.lda : 1;
  const std::int64_t step = step_of(cols.size, vector_product::most_outputs, 1);
#pragma unroll 1
  for (std::int64_t i = rows.begin; i < rows.begin + rows.size; ++i) {
    const T* const a = x.a + i * (TransposeA ? 1 : x.lda);
#pragma unroll 1
    for (std::int64_t j = 0; j < cols.size; j += step) {
      const T* const b = x.b + (cols.begin + j) * (TransposeB ? x.ldb : 1);
      vector_product product(b, x.ldb, a, next_a, x.k,
                             static_cast<int>(sycl::min(step, cols.size - j)));
      product.template compute<!TransposeB>();
      for (int o = 0; o < product.outputs(); ++o) store(x, i, cols.begin + j + o, product[o]);
    }
  }
}

}  // namespace hornbeam::kernel
