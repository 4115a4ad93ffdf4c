// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The split-k kernel, for few outputs and a long k, on CPUs: each slice of k has work-items of its
/// own, whose sums are added up by a second launch.
///
/// Where both operands of an output lie along k in memory, vectors do too, and their elements are
/// added at the end. Otherwise vectors lie along whichever side of C is contiguous in an operand,
/// times single elements of the other one. Either way several steps of k are under way at once, so
/// that one output is enough to keep the multipliers busy. The parameters are in split_k.json.
///
/// Sums are added in another order than by other kernels, so the bits differ from theirs; but the
/// order depends on sizes and strides alone, so they are the same in every run.
#pragma once

#include <hornbeam/kernels/blocks.hpp>
#include <hornbeam/kernels/elements.hpp>
#include <hornbeam/kernels/slices.hpp>

namespace hornbeam::kernel {

/// Lines of an operand: rows of op(A) or columns of op(B).
template <class T>
struct operand_lines {
  const T* first;
  std::int64_t next, next_k;  ///< elements from one line, or step of k, to the next
  int count;

  const T* at(int line) const { return first + line * next; }
};

/// Where the sums of a block go: to C, or to the workspace as they are.
template <class T>
struct sum_target {
  const matmul_arguments<T>& x;
  accumulator_t<T>* sums;  ///< those of the slice, m x n; null for C
  std::int64_t row, col;   ///< of the block's first output
  bool mirrored;           ///< outputs are named column first

  void put(int i, int j, accumulator_t<T> sum) const {
    const std::int64_t r = row + (mirrored ? j : i), c = col + (mirrored ? i : j);
    if (sums != nullptr)
      sums[r * x.n + c] = sum;
    else
      store(x, r, c, sum);
  }
};

/// Sums over k for a block of outputs, one for each line of `left` and of `right`.
template <class T, int Width>
class slice_sums {
 public:
  slice_sums(const operand_lines<T>& left, const operand_lines<T>& right, std::int64_t k,
             const sum_target<T>& target)
      : left_(left), right_(right), k_(k), target_(target) {}

  /// With vectors along k; next_k is 1 for both sides.
  void compute_along_k() const {
    int i = 0;
#pragma unroll 1
    for (; i + 4 <= left_.count; i += 4) {
      int j = 0;
#pragma unroll 1
      for (; j + 2 <= right_.count; j += 2) tile_along_k<4, 2, 1>(i, j);
      if (j < right_.count) tile_along_k<4, 1, 2>(i, j);
    }
#pragma unroll 1
    for (; i < left_.count; ++i) {
      int j = 0;
#pragma unroll 1
      for (; j + 4 <= right_.count; j += 4) tile_along_k<1, 4, 2>(i, j);
#pragma unroll 1
      for (; j < right_.count; ++j) tile_along_k<1, 1, 8>(i, j);
    }
  }

  /// With vectors along the lines of `right`, whose `next` is 1.
  void compute_along_right() const {
    int j = 0;
#pragma unroll 1
    for (; j + Width <= right_.count; j += Width) strip<Width>(j);
#pragma unroll 1
    for (; j < right_.count; ++j) strip<1>(j);
  }

 private:
  using wide = accumulator_t<T>;

  template <int Lines, int Others, int Steps>
  void tile_along_k(int i, int j) const {
    using vector = sycl::vec<wide, Width>;
    const T *left[Lines], *right[Others];
    vector sum[Lines][Others][Steps];
#pragma unroll
    for (int x = 0; x < Lines; ++x) left[x] = left_.at(i + x);
#pragma unroll
    for (int y = 0; y < Others; ++y) right[y] = right_.at(j + y);
#pragma unroll
    for (int x = 0; x < Lines; ++x)
#pragma unroll
      for (int y = 0; y < Others; ++y)
#pragma unroll
        for (int s = 0; s < Steps; ++s) sum[x][y][s] = vector(wide{0});
    std::int64_t p = 0;
#pragma unroll 1
    for (; p + Steps * Width <= k_; p += Steps * Width)
#pragma unroll
      for (int s = 0; s < Steps; ++s) {
        vector factor[Others];
#pragma unroll
        for (int y = 0; y < Others; ++y) factor[y] = load_vector<Width>(right[y] + p + s * Width);
#pragma unroll
        for (int x = 0; x < Lines; ++x) {
          const vector other = load_vector<Width>(left[x] + p + s * Width);
#pragma unroll
          for (int y = 0; y < Others; ++y) sum[x][y][s] = sycl::fma(other, factor[y], sum[x][y][s]);
        }
      }
    wide parts[Lines][Others][Width];
#pragma unroll
    for (int x = 0; x < Lines; ++x)
#pragma unroll
      for (int y = 0; y < Others; ++y) {
#pragma unroll
        for (int s = 1; s < Steps; ++s) sum[x][y][0] += sum[x][y][s];
        store_vector<Width>(parts[x][y], sum[x][y][0]);
      }
#pragma unroll 1
    for (int x = 0; x < Lines; ++x)
#pragma unroll 1
      for (int y = 0; y < Others; ++y) {
        wide total{0};
#pragma unroll 1
        for (int e = 0; e < Width; ++e) total += parts[x][y][e];
#pragma unroll 1
        for (std::int64_t q = p; q < k_; ++q)
          total = sycl::fma(static_cast<wide>(left_.at(i + x)[q]),
                            static_cast<wide>(right_.at(j + y)[q]), total);
        target_.put(i + x, j + y, total);
      }
  }

  /// All lines of `left` by N lines of `right`.
  template <int N>
  void strip(int j) const {
    int i = 0;
#pragma unroll 1
    for (; i + 4 <= left_.count; i += 4) tile_along_right<4, 2, N>(i, j);
#pragma unroll 1
    for (; i < left_.count; ++i) tile_along_right<1, 8, N>(i, j);
  }

  template <int Lines, int Steps, int N>
  void tile_along_right(int i, int j) const {
    using vector = sycl::vec<wide, N>;
    const T* left[Lines];
    vector sum[Lines][Steps];
#pragma unroll
    for (int x = 0; x < Lines; ++x) left[x] = left_.at(i + x);
#pragma unroll
    for (int x = 0; x < Lines; ++x)
#pragma unroll
      for (int s = 0; s < Steps; ++s) sum[x][s] = vector(wide{0});
    const auto add = [&](std::int64_t p, int s) {
      const vector line = load_vector<N>(right_.at(j) + p * right_.next_k);
#pragma unroll
      for (int x = 0; x < Lines; ++x)
        sum[x][s] =
            sycl::fma(vector(static_cast<wide>(left[x][p * left_.next_k])), line, sum[x][s]);
    };
    std::int64_t p = 0;
#pragma unroll 1
    for (; p + Steps <= k_; p += Steps)
#pragma unroll
      for (int s = 0; s < Steps; ++s) add(p + s, s);
#pragma unroll 1
    for (; p < k_; ++p) add(p, 0);
    wide totals[Lines][N];
#pragma unroll
    for (int x = 0; x < Lines; ++x) {
#pragma unroll
      for (int s = 1; s < Steps; ++s) sum[x][0] += sum[x][s];
      store_vector<N>(totals[x], sum[x][0]);
    }
#pragma unroll 1
    for (int x = 0; x < Lines; ++x)
#pragma unroll 1
      for (int e = 0; e < N; ++e) target_.put(i + x, j + e, totals[x][e]);
  }

  operand_lines<T> left_, right_;
  std::int64_t k_;
  sum_target<T> target_;
};

/// Sums over the k of `x` for a block of outputs, to C where `sums` is null.
template <int Width, bool TransposeA, bool TransposeB, class T>
void sum_block(const matmul_arguments<T>& x, const block& rows, const block& cols,
               accumulator_t<T>* sums) {
  const std::int64_t row_a = TransposeA ? 1 : x.lda, col_b = TransposeB ? x.ldb : 1;
  const operand_lines<T> a{x.a + rows.begin * row_a, row_a, TransposeA ? x.lda : 1,
                           static_cast<int>(rows.size)};
  const operand_lines<T> b{x.b + cols.begin * col_b, col_b, TransposeB ? 1 : x.ldb,
                           static_cast<int>(cols.size)};
  const bool along_k = a.next_k == 1 && b.next_k == 1;
  const bool mirrored = TransposeA && !along_k && (TransposeB || rows.size > cols.size);
  const slice_sums<T, Width> block(mirrored ? b : a, mirrored ? a : b, x.k,
                                   {x, sums, rows.begin, cols.begin, mirrored});
  if (along_k)
    block.compute_along_k();
  else
    block.compute_along_right();
}

/// Launch: (batch, blocks along rows, blocks along columns) in work-groups of one work-item, the
/// batch times the number of slices in the first step of two: see k_slices. Any m, n, k >= 0.
template <class T, int Width, bool TransposeA, bool TransposeB>
void split_k(const sycl::nd_item<3>& item, const matmul_arguments<T>& all, const k_slices& part) {
  using wide = accumulator_t<T>;
  const auto index = static_cast<std::int64_t>(item.get_global_id(0));
  const block rows = block_of(item, 1, all.m, 1), cols = block_of(item, 2, all.n, 1);
  wide* const sums = part.count == 1 ? nullptr : static_cast<wide*>(part.sums);
  const std::int64_t outputs = all.m * all.n;
  if (part.step == 1) {
    const auto x = batch_entry(all, index);
    const wide* const mine = sums + index * part.count * outputs;
#pragma unroll 1
    for (std::int64_t i = rows.begin; i < rows.begin + rows.size; ++i)
#pragma unroll 1
      for (std::int64_t j = cols.begin; j < cols.begin + cols.size; ++j) {
        wide sum{0};
#pragma unroll 1
        for (std::int64_t s = 0; s < part.count; ++s) sum += mine[s * outputs + i * x.n + j];
        store(x, i, j, sum);
      }
    return;
  }
  auto x = batch_entry(all, index / part.count);
  // In whole vectors, so that only the last slice has a rest.
  const std::int64_t vectors = (x.k + Width - 1) / Width;
  const std::int64_t depth = (vectors + part.count - 1) / part.count * Width;
  const std::int64_t begin = sycl::min(x.k, index % part.count * depth);
  x.a += begin * (TransposeA ? x.lda : 1);
  x.b += begin * (TransposeB ? 1 : x.ldb);
  x.k = sycl::min(x.k - begin, depth);
  sum_block<Width, TransposeA, TransposeB>(x, rows, cols,
                                           sums == nullptr ? sums : sums + index * outputs);
}

}  // namespace hornbeam::kernel
