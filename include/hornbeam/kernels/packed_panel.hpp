// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The packed-panel kernel, for CPUs: a work-item computes a large block of C with explicit
/// vectors.
///
/// It steps through k by at most KBlock. Of op(B), that many rows of the block's columns are copied
/// into panels of Cols columns, each contiguous, which stay in the nearest caches while a tile of
/// Rows x Cols accumulators in registers moves over the block. A is read in place, or copied
/// likewise where it is transposed. Where a block has hardly any rows to use a copy again, B is
/// read in place too. The parameters and constraints are in packed_panel.json.
///
/// Columns beyond C are zeros in the panels, rows beyond it repeat the last one, and neither is
/// stored: so one loop without guards serves every tile. Sums wait in private memory between steps,
/// so that each element is one chain of fused multiply-adds in ascending k: same bits as from any
/// other kernel.
#pragma once

#include <hornbeam/kernels/blocks.hpp>
#include <hornbeam/kernels/elements.hpp>

namespace hornbeam::kernel {

/// A block of C and what its work-item keeps in private memory.
template <class T, int Rows, int Cols, int Width, int KBlock, bool TransposeA, bool TransposeB>
class panel_block {
 public:
  static_assert(Cols % Width == 0);

  /// Largest block; the values and constraints in packed_panel.json go no further.
  static constexpr int most_rows = 192, most_cols = 384, most_elements = 36864;

  /// The block of these rows and columns, at least one of each.
  panel_block(const matmul_arguments<T>& x, const block& rows, const block& cols)
      : x_(x), row_(rows.begin), col_(cols.begin), rows_(rows.size), cols_(cols.size) {}

  void compute() {
    const bool in_place = !TransposeB && rows_ <= Rows && cols_ >= Cols;
    const std::int64_t most = in_place ? in_place_depth : KBlock;
    const std::int64_t steps = sycl::max<std::int64_t>(1, (x_.k + most - 1) / most);
    const std::int64_t depth = (x_.k + steps - 1) / steps;
#pragma unroll 1
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t begin = i * depth;
      const auto left =
          static_cast<int>(sycl::max<std::int64_t>(0, sycl::min(x_.k - begin, depth)));
      add({begin, left, i == 0, i == steps - 1}, in_place);
    }
  }

 private:
  using wide = accumulator_t<T>;
  using vector = sycl::vec<wide, Width>;

  /// Steps of k at a time where B is read in place: as few lines as caches can follow.
  static constexpr int in_place_depth = 8;
  /// Elements of the panels that leave room in the nearest cache for what passes through it.
  static constexpr int near_elements = 20480 / sizeof(T);

  /// A part of k; `depth` may be 0 in the first.
  struct step {
    std::int64_t begin;
    int depth;
    bool first, last;
  };

  /// A tile whose first element is (row, col) of the block, with the first elements of its operands
  /// and how far these are from those of the next k.
  struct place {
    int row, col;
    const T* b;
    std::int64_t next_b;
  };

  void add(const step& now, bool in_place) {
    const int whole = in_place ? cols_ / Cols * Cols : 0;
    if constexpr (TransposeA) pack_a(now);
    pack_b(now, whole);
    const int row_tiles = (rows_ + Rows - 1) / Rows;
    const int col_tiles = (cols_ + Cols - 1) / Cols;
    const bool along_rows = now.depth * cols_ > near_elements;
#pragma unroll 1
    for (int t = 0; t < row_tiles * col_tiles; ++t) {
      const int i = along_rows ? t % row_tiles : t / col_tiles;
      const int j = along_rows ? t / row_tiles : t % col_tiles;
      place at{i * Rows, j * Cols, panels_ + j * Cols * now.depth, Cols};
      if (at.col < whole) {
        at.b = x_.b + now.begin * x_.ldb + col_ + at.col;
        at.next_b = x_.ldb;
      }
      if (vectors(cols_ - at.col) == Cols / Width)
        tile<Cols / Width>(now, at);
      else
        tile<1>(now, at);
    }
  }

  /// Copies the part of op(B) from column `from` on to panels of Cols columns.
  void pack_b(const step& now, int from) {
    const int whole = cols_ / Cols * Cols;
    const int end = cols_ + padding(cols_ - whole);
    if constexpr (TransposeB) {
#pragma unroll 1
      for (int j = from; j < end; ++j) {
        T* const to = panels_ + j / Cols * Cols * now.depth + j % Cols;
        const T* const b = x_.b + (col_ + sycl::min(j, cols_ - 1)) * x_.ldb + now.begin;
        for (int q = 0; q < now.depth; ++q) to[q * Cols] = b[q];
      }
    } else {
#pragma unroll 1
      for (int q = 0; q < now.depth; ++q) {
        const T* const b = x_.b + (now.begin + q) * x_.ldb + col_;
        T* to = panels_ + from * now.depth + q * Cols;
#pragma unroll 1
        for (int j = from; j < whole; j += Cols, to += Cols * now.depth)
          std::memcpy(to, b + j, sizeof(T) * Cols);
        int j = whole;
#pragma unroll 1
        for (; j + Width <= cols_; j += Width, to += Width)
          std::memcpy(to, b + j, sizeof(T) * Width);
#pragma unroll 1
        for (; j < end; ++j) *to++ = j < cols_ ? b[j] : T{0};
      }
    }
  }

  /// Copies the part of op(A) to panels of Rows rows.
  void pack_a(const step& now) {
#pragma unroll 1
    for (int q = 0; q < now.depth; ++q) {
      const T* const a = x_.a + (now.begin + q) * x_.lda + row_;
      T* to = packed_a_ + q * Rows;
      int i = 0;
#pragma unroll 1
      for (; i + Rows <= rows_; i += Rows, to += Rows * now.depth)
        std::memcpy(to, a + i, sizeof(T) * Rows);
#pragma unroll 1
      for (; i < rows_; ++i) *to++ = a[i];
    }
  }

  /// Adds a part of k to a tile, of which the first `Vectors` vectors of a row are used.
  template <int Vectors>
  void tile(const step& now, const place& at) {
    vector sum[Rows][Vectors];
    wide* const waiting = waiting_ + at.row * cols_rounded() + at.col;
    if (now.first) {
#pragma unroll
      for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (int v = 0; v < Vectors; ++v) sum[r][v] = vector(wide{0});
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (int v = 0; v < Vectors; ++v)
          sum[r][v] = load_vector<Width>(waiting + r * cols_rounded() + v * Width);
    }
    const T* a[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int row = sycl::min(at.row + r, rows_ - 1);
      a[r] = TransposeA ? packed_a_ + at.row * now.depth + row - at.row
                        : x_.a + (row_ + row) * x_.lda + now.begin;
    }
    constexpr int next_a = TransposeA ? Rows : 1;
    const T* b = at.b;
#pragma unroll 1
    for (std::int64_t q = 0; q < now.depth; ++q, b += at.next_b) {
      vector line[Vectors];
#pragma unroll
      for (int v = 0; v < Vectors; ++v) line[v] = load_vector<Width>(b + v * Width);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const vector element(static_cast<wide>(a[r][q * next_a]));
#pragma unroll
        for (int v = 0; v < Vectors; ++v) sum[r][v] = sycl::fma(element, line[v], sum[r][v]);
      }
    }
    if (now.last && x_.beta == T{0} && at.row + Rows <= rows_ &&
        at.col + Vectors * Width <= cols_) {
      T* const c = x_.c + (row_ + at.row) * x_.ldc + col_ + at.col;
#pragma unroll
      for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (int v = 0; v < Vectors; ++v)
          store_vector<Width>(c + r * x_.ldc + v * Width,
                              vector(static_cast<wide>(x_.alpha)) * sum[r][v]);
      return;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int v = 0; v < Vectors; ++v)
        store_vector<Width>(waiting + r * cols_rounded() + v * Width, sum[r][v]);
    if (now.last) finish(at, waiting);
  }

  /// Stores a tile from where its sums wait.
  void finish(const place& at, const wide* waiting) {
    const int rows = sycl::min(Rows, rows_ - at.row);
    const int cols = sycl::min(Cols, cols_ - at.col);
#pragma unroll 1
    for (int r = 0; r < rows; ++r) {
      const std::int64_t row = row_ + at.row + r, col = col_ + at.col;
      const wide* const sums = waiting + r * cols_rounded();
      int j = 0;
#pragma unroll 1
      for (; j + Width <= cols; j += Width)
        store_line(x_, row, col + j, load_vector<Width>(sums + j));
#pragma unroll 1
      for (; j < cols; ++j) store(x_, row, col + j, sums[j]);
    }
  }

  /// Vectors of a tile where C has so many columns left: all or one.
  static int vectors(int cols) { return cols > Width ? Cols / Width : 1; }
  /// Columns of zeros beside so many of C in a tile that is not whole.
  static int padding(int cols) { return cols == 0 ? 0 : vectors(cols) * Width - cols; }

  int cols_rounded() const { return (cols_ + Cols - 1) / Cols * Cols; }

  const matmul_arguments<T>& x_;
  std::int64_t row_, col_;
  int rows_, cols_;
  T panels_[KBlock * most_cols];
  T packed_a_[TransposeA ? KBlock * most_rows : 1];
  wide waiting_[most_elements];
};

/// Launch: (batch, blocks along rows, blocks along columns) in work-groups of one work-item, enough
/// of them that none exceeds panel_block's largest. Any m, n, k >= 0.
template <class T, int Rows, int Cols, int Width, int KBlock, bool TransposeA, bool TransposeB>
void packed_panel(const sycl::nd_item<3>& item, const matmul_arguments<T>& all) {
  const auto x = batch_entry(all, static_cast<std::int64_t>(item.get_global_id(0)));
  const block rows = block_of(item, 1, x.m, Rows), cols = block_of(item, 2, x.n, Cols);
  if (rows.size == 0 || cols.size == 0) return;
  panel_block<T, Rows, Cols, Width, KBlock, TransposeA, TransposeB>(x, rows, cols).compute();
}

}  // namespace hornbeam::kernel
