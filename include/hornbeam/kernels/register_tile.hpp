// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The register-tile kernel: a work-item computes a Rows x Cols tile of C in registers.
///
/// It steps through k by Acc, loading a Rows x Acc block of op(A) and an Acc x Cols block of op(B)
/// with vector loads along whichever dimension is contiguous, and adds their product to the tile.
/// After J. Lawson, "Performance portability through machine learning guided kernel selection in
/// SYCL libraries", 2020. Its parameters and constraints are in register_tile.json.
///
/// A work-group at the lower or right edge that would stick out of C is shifted back inside as a
/// whole, so that one unguarded loop serves every group; of a shifted group only the elements are
/// stored that no other group owns. Only where C is smaller than one tile does the kernel go
/// element by element. Every path adds in ascending k with fused multiply-adds: same bits whatever
/// the parameters.
#pragma once

#include <hornbeam/kernels/elements.hpp>

namespace hornbeam::kernel {

/// Rows x Cols accumulators and the steps that fill and store them.
template <class T, int Rows, int Cols, bool TransposeA, bool TransposeB>
class register_block {
 public:
  /// The tile whose first element is C(row, col), all of it inside C.
  register_block(const matmul_arguments<T>& x, std::int64_t row, std::int64_t col)
      : x_(x), row_(row), col_(col) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) sum_[r] = vector(wide{0});
  }

  /// Adds the product over all of k, Acc steps at a time and the rest one by one.
  template <int Acc>
  void accumulate() {
    std::int64_t p = 0;
    for (; p + Acc <= x_.k; p += Acc) step<Acc>(p);
    if constexpr (Acc > 1)
      for (; p < x_.k; ++p) step<1>(p);
  }

  /// Stores the whole tile.
  void store_all() const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) store_line(x_, row_ + r, col_, sum_[r]);
  }

  /// Stores the elements at or beyond (row, col) only. Rare, so small rather than fast: it is
  /// compiled into every kernel.
  void store_from(std::int64_t row, std::int64_t col) const {
    wide spilled[Rows * Cols];
#pragma unroll
    for (int r = 0; r < Rows; ++r) store_vector<Cols>(spilled + r * Cols, sum_[r]);
#pragma unroll 1
    for (std::int64_t i = sycl::max(row_, row); i < row_ + Rows; ++i)
#pragma unroll 1
      for (std::int64_t j = sycl::max(col_, col); j < col_ + Cols; ++j)
        store(x_, i, j, spilled[(i - row_) * Cols + (j - col_)]);
  }

 private:
  using wide = accumulator_t<T>;
  using vector = sycl::vec<wide, Cols>;

  template <int Acc>
  void step(std::int64_t p) {
    wide a[Rows][Acc];
    vector b[Acc];
    load_a<Acc>(p, a);
    load_b<Acc>(p, b);
#pragma unroll
    for (int q = 0; q < Acc; ++q)
#pragma unroll
      for (int r = 0; r < Rows; ++r) sum_[r] = sycl::fma(vector(a[r][q]), b[q], sum_[r]);
  }

  template <int Acc>
  void load_a(std::int64_t p, wide (&a)[Rows][Acc]) const {
    if constexpr (TransposeA) {
#pragma unroll
      for (int q = 0; q < Acc; ++q) {
        const auto column = load_vector<Rows>(x_.a + (p + q) * x_.lda + row_);
#pragma unroll
        for (int r = 0; r < Rows; ++r) a[r][q] = column[r];
      }
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const auto line = load_vector<Acc>(x_.a + (row_ + r) * x_.lda + p);
#pragma unroll
        for (int q = 0; q < Acc; ++q) a[r][q] = line[q];
      }
    }
  }

  template <int Acc>
  void load_b(std::int64_t p, vector (&b)[Acc]) const {
    if constexpr (TransposeB) {
#pragma unroll
      for (int j = 0; j < Cols; ++j) {
        const auto column = load_vector<Acc>(x_.b + (col_ + j) * x_.ldb + p);
#pragma unroll
        for (int q = 0; q < Acc; ++q) b[q][j] = column[q];
      }
    } else {
#pragma unroll
      for (int q = 0; q < Acc; ++q) b[q] = load_vector<Cols>(x_.b + (p + q) * x_.ldb + col_);
    }
  }

  const matmul_arguments<T>& x_;
  std::int64_t row_, col_;
  vector sum_[Rows];
};

/// How the work-groups along one dimension of C cover it.
struct group_span {
  std::int64_t own;    ///< first row (or column) of C that this group owns
  std::int64_t shift;  ///< how far it moves back so as not to stick out; 0 but for the last group

  /// \param tile rows (or columns) per work-item, \param size how many C has.
  group_span(const sycl::nd_item<3>& item, int dimension, std::int64_t tile, std::int64_t size) {
    const auto group = static_cast<std::int64_t>(item.get_group(dimension));
    const auto groups = static_cast<std::int64_t>(item.get_group_range(dimension));
    const auto extent = static_cast<std::int64_t>(item.get_local_range(dimension)) * tile;
    own = group * extent;
    // (group + 1) / groups is 1 for the last group and 0 for the others. A minimum or a comparison
    // says the same, but then Intel's CPU driver no longer sees that the shift is one for the whole
    // group and gathers every load: a third of the speed or less.
    shift = (group + 1) / groups * (groups * extent - size);
  }
};

/// Launch: (batch, tiles along rows, tiles along columns) in equal work-groups; unless C is smaller
/// than one tile along a dimension, no group may cover more than C has along it (see launch_range).
/// Any m, n, k >= 0. Per work-item: Rows * Cols accumulators, (Rows + Cols) * k elements read,
/// Rows * Cols * k fused multiply-adds.
template <class T, int Rows, int Acc, int Cols, bool TransposeA, bool TransposeB>
void register_tile(const sycl::nd_item<3>& item, const matmul_arguments<T>& all) {
  const auto index = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  const auto x = batch_entry(all, index(item.get_global_id(0)));
  const std::int64_t row = index(item.get_global_id(1)) * Rows;
  const std::int64_t col = index(item.get_global_id(2)) * Cols;
  if (x.m < Rows || x.n < Cols) {
    for (std::int64_t i = row; i < sycl::min(row + Rows, x.m); ++i)
      for (std::int64_t j = col; j < sycl::min(col + Cols, x.n); ++j)
        store(x, i, j, dot<TransposeA, TransposeB>(x, i, j));
    return;
  }
  const group_span rows(item, 1, Rows, x.m);
  const group_span cols(item, 2, Cols, x.n);
  register_block<T, Rows, Cols, TransposeA, TransposeB> tile(x, row - rows.shift, col - cols.shift);
  tile.template accumulate<Acc>();
  if (rows.shift > 0 || cols.shift > 0)
    tile.store_from(rows.own, cols.own);
  else
    tile.store_all();
}

}  // namespace hornbeam::kernel
