// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The packed-panel kernel, for CPUs: a work-item computes a large block of C with explicit
/// vectors.
///
/// It steps through k by at most KBlock. Of op(B), that many rows of Cols columns at a time are
/// copied into a contiguous panel, which stays in the nearest caches while a tile of Rows x Cols
/// accumulators in registers moves down the block. A is read in place, or copied likewise where it
/// is transposed. Where a block has hardly any rows to use a copy again, B is read in place too.
/// The parameters and constraints are in packed_panel.json.
///
/// Columns beyond C are zeros in the panels, rows beyond it repeat the last one, and neither is
/// stored: so one loop without guards serves every tile. Sums wait in memory between steps, so that
/// each element is one chain of fused multiply-adds in ascending k: same bits as from any other
/// kernel.
#pragma once

#include <hornbeam/kernels/blocks.hpp>
#include <hornbeam/kernels/elements.hpp>
#include <hornbeam/kernels/local_memory.hpp>

namespace hornbeam::kernel {

/// What a work-item keeps in local memory, which it has for itself: private memory may come from
/// the stack of a thread, several times over where a driver makes vectors of work-items.
template <class T, int Rows, int Cols, int KBlock, bool TransposeA>
struct panel_memory {
  using wide = accumulator_t<T>;
  static constexpr int kib = 1024;

  /// Elements of panels that leave room in the nearest cache for what passes through it.
  static constexpr int near_elements = 20 * kib / sizeof(T);
  static constexpr int panel_elements = 96 * kib / sizeof(T);
  /// Largest block.
  static constexpr int most_sums = 96 * kib / sizeof(wide);
  static constexpr int most_rows =
      TransposeA ? 48 * kib / sizeof(T) / KBlock / Rows * Rows : most_sums / Cols;

  T panels[panel_elements];
  T packed_a[TransposeA ? KBlock * most_rows : 1];
  wide sums[most_sums];
};

/// A block of C that fits its memory.
template <class T, int Rows, int Cols, int Width, int KBlock, bool TransposeA, bool TransposeB>
class panel_block {
 public:
  using memory = panel_memory<T, Rows, Cols, KBlock, TransposeA>;
  static_assert(Cols % Width == 0 && KBlock * Cols <= memory::panel_elements);

  /// The block of these rows and columns, at least one of each.
  panel_block(const matmul_arguments<T>& x, const block& rows, const block& cols, memory& own)
      : x_(x),
        own_(own),
        row_(rows.begin),
        col_(cols.begin),
        rows_(static_cast<int>(rows.size)),
        cols_(static_cast<int>(cols.size)),
        panel_(vectors(cols_) * Width) {}

  void compute() {
    const bool in_place = !TransposeB && rows_ <= Rows && cols_ >= Cols;
    const std::int64_t most = in_place ? in_place_depth : most_depth();
    const std::int64_t steps = sycl::max<std::int64_t>(1, (x_.k + most - 1) / most);
    const std::int64_t depth = (x_.k + steps - 1) / steps;
#pragma unroll 1
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t begin = i * depth;
      const auto left =
          static_cast<int>(sycl::max<std::int64_t>(0, sycl::min(x_.k - begin, depth)));
      add({begin, left, i == 0, i == steps - 1}, in_place ? cols_ / Cols * Cols : 0);
    }
  }

 private:
  using wide = accumulator_t<T>;
  using vector = sycl::vec<wide, Width>;

  /// Steps of k at a time where B is read in place: as few lines as caches can follow.
  static constexpr int in_place_depth = 8;
  static constexpr int most_vectors = Cols / Width;
  /// Elements of a side of the squares in which a transposed B is copied.
  static constexpr int square = Width < 8 ? Width : 8;

  /// A part of k; `depth` may be 0 in the first.
  struct step {
    std::int64_t begin;
    int depth;
    bool first, last;
  };

  /// A tile whose first element is (row, col) of the block, with the first element of op(B) that it
  /// needs and how far this is from the one for the next k.
  struct place {
    int row, col;
    const T* b;
    std::int64_t next_b;
  };

  /// Adds a part of k to the block.
  /// \param in_place columns, the first of the block, of which B is read in place.
  void add(const step& now, int in_place) {
    if constexpr (TransposeA) pack_a(now);
    const int most = memory::panel_elements / sycl::max(now.depth, 1) / panel_ * panel_;
    int end = 0;
#pragma unroll 1
    for (int col = 0; col < cols_; col = end) {
      end = col < in_place ? in_place : sycl::min(col + most, cols_);
      if (col >= in_place) pack_b(now, col, end);
      add(now, col, end, col < in_place);
    }
  }

  /// Adds a part of k to columns of the block, for which panels hold op(B) if it isn't read in
  /// place.
  void add(const step& now, int begin, int end, bool in_place) {
    const int row_tiles = (rows_ + Rows - 1) / Rows;
    const int col_tiles = (end - begin + Cols - 1) / Cols;
    // Panels that all fit the nearest cache are used for one row of tiles after the other.
    const bool along_rows = now.depth * (end - begin) > memory::near_elements;
#pragma unroll 1
    for (int t = 0; t < row_tiles * col_tiles; ++t) {
      const int i = along_rows ? t % row_tiles : t / col_tiles;
      const int j = along_rows ? t / row_tiles : t % col_tiles;
      place at{i * Rows, begin + j * Cols, own_.panels + j * Cols * now.depth, panel_};
      if (in_place) {
        at.b = x_.b + now.begin * x_.ldb + col_ + at.col;
        at.next_b = x_.ldb;
      }
      tile_of<most_vectors>(now, at);
    }
  }

  /// Copies columns of op(B) to panels.
  void pack_b(const step& now, int from, int to) {
    if constexpr (TransposeB) {
#pragma unroll 1
      for (int j = from; j < to; j += square)
        pack_transposed(now, j,
                        own_.panels + (j - from) / Cols * Cols * now.depth + (j - from) % Cols);
    } else {
      const int whole = from + (to - from) / Cols * Cols;
#pragma unroll 1
      for (int q = 0; q < now.depth; ++q) {
        const T* const b = x_.b + (now.begin + q) * x_.ldb + col_;
        T* panel = own_.panels + q * panel_;
        int j = from;
#pragma unroll 1
        for (; j < whole; j += Cols, panel += Cols * now.depth)
          std::memcpy(panel, b + j, sizeof(T) * Cols);
#pragma unroll 1
        for (; j + Width <= to; j += Width, panel += Width)
          std::memcpy(panel, b + j, sizeof(T) * Width);
        if (j < to) {
          store_vector<Width>(panel, vector(wide{0}));
          copy_fewer<Width / 2>(b + j, panel, to - j);
        }
      }
    }
  }

  /// Copies columns j to j + square of a transposed B, in squares; behind C's last column, that
  /// one.
  void pack_transposed(const step& now, int j, T* panel) {
    const T* from[square];
#pragma unroll
    for (int c = 0; c < square; ++c)
      from[c] = x_.b + (col_ + sycl::min(j + c, cols_ - 1)) * x_.ldb + now.begin;
    int q = 0;
#pragma unroll 1
    for (; q + square <= now.depth; q += square) {
      sycl::vec<T, square> lines[square];
#pragma unroll
      for (int c = 0; c < square; ++c) std::memcpy(&lines[c], from[c] + q, sizeof(T) * square);
      transpose<square / 2>(lines);
#pragma unroll
      for (int c = 0; c < square; ++c)
        std::memcpy(panel + (q + c) * panel_, &lines[c], sizeof(T) * square);
    }
#pragma unroll 1
    for (; q < now.depth; ++q)
#pragma unroll
      for (int c = 0; c < square; ++c) panel[q * panel_ + c] = from[c][q];
  }

  /// Copies fewer than 2 Size elements.
  template <int Size>
  static void copy_fewer(const T* from, T* to, int count) {
    const bool some = count >= Size;
    if (some) std::memcpy(to, from, sizeof(T) * Size);
    if constexpr (Size > 1) {
      const int done = some ? Size : 0;
      copy_fewer<Size / 2>(from + done, to + done, count - done);
    }
  }

  /// Copies the part of op(A) to panels of Rows rows.
  void pack_a(const step& now) {
#pragma unroll 1
    for (int q = 0; q < now.depth; ++q) {
      const T* const a = x_.a + (now.begin + q) * x_.lda + row_;
      T* to = own_.packed_a + q * Rows;
      int i = 0;
#pragma unroll 1
      for (; i + Rows <= rows_; i += Rows, to += Rows * now.depth)
        std::memcpy(to, a + i, sizeof(T) * Rows);
#pragma unroll 1
      for (; i < rows_; ++i) *to++ = a[i];
    }
  }

  /// tile() for as many vectors as C has columns left.
  template <int Vectors>
  void tile_of(const step& now, const place& at) {
    if constexpr (Vectors > 1) {
      if (vectors(cols_ - at.col) < Vectors) return tile_of<Vectors - 1>(now, at);
    }
    tile<Vectors>(now, at);
  }

  /// Adds a part of k to a tile, of which the first `Vectors` vectors of a row are used.
  template <int Vectors>
  void tile(const step& now, const place& at) {
    vector sum[Rows][Vectors];
    wide* const waiting = own_.sums + at.row * cols_rounded() + at.col;
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
      a[r] = TransposeA ? own_.packed_a + at.row * now.depth + row - at.row
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

  /// Vectors of a tile where C has so many columns left, at least one.
  static int vectors(int cols) { return sycl::min((cols + Width - 1) / Width, most_vectors); }

  /// Steps of k at a time: KBlock, or more where C is too narrow for whole panels, so that rows of
  /// A are read in longer pieces.
  std::int64_t most_depth() const {
    return TransposeA || panel_ == Cols ? KBlock : memory::panel_elements / panel_;
  }

  int cols_rounded() const { return (cols_ + Cols - 1) / Cols * Cols; }

  const matmul_arguments<T>& x_;
  memory& own_;
  std::int64_t row_, col_;
  int rows_, cols_;
  int panel_;  ///< columns of a panel: Cols, or fewer where C has fewer
};

/// Launch: (batch, blocks along rows, blocks along columns) in work-groups of one work-item, any
/// number of them; what does not fit the memory at once is computed in parts. Any m, n, k >= 0.
template <class T, int Rows, int Cols, int Width, int KBlock, bool TransposeA, bool TransposeB>
void packed_panel(
    const sycl::nd_item<3>& item, const matmul_arguments<T>& all,
    const local_memory<panel_memory<T, Rows, Cols, KBlock, TransposeA>, 1>& own = {}) {
  using memory = panel_memory<T, Rows, Cols, KBlock, TransposeA>;
  static_assert(sizeof(memory) <= 240 * memory::kib + 64, "as packed_panel.json says");
  const auto x = batch_entry(all, static_cast<std::int64_t>(item.get_global_id(0)));
  const block rows = block_of(item, 1, x.m, Rows), cols = block_of(item, 2, x.n, Cols);
  if (rows.size == 0 || cols.size == 0) return;
  const std::int64_t row_step = step_of(rows.size, memory::most_rows, Rows);
  const std::int64_t col_step = step_of(cols.size, memory::most_sums / row_step, Cols);
#pragma unroll 1
  for (std::int64_t i = 0; i < rows.size; i += row_step)
#pragma unroll 1
    for (std::int64_t j = 0; j < cols.size; j += col_step)
      panel_block<T, Rows, Cols, Width, KBlock, TransposeA, TransposeB>(
          x, {rows.begin + i, sycl::min(row_step, rows.size - i)},
          {cols.begin + j, sycl::min(col_step, cols.size - j)}, *own.elements)
          .compute();
}

}  // namespace hornbeam::kernel
