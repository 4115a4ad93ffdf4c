// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// How C is divided over work-items and launches, for sizes that no test could multiply.

#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/pieces.hpp>
#include <hornbeam/detail/slices.hpp>
#include <iostream>
#include <string>

namespace {

using hornbeam::detail::checked_call;
using hornbeam::detail::largest_launch;

int failures = 0;

void require(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::cerr << what << '\n';
}

/// The promises of cover(), which kernels rely on, for every small size, tile and group.
void test_cover() {
  for (std::int64_t size = 1; size <= 300; ++size)
    for (const std::int64_t tile : {1, 2, 3, 4, 8, 16})
      for (const std::int64_t group : {1, 2, 7, 8, 16, 64, 128}) {
        const auto [global, local] = hornbeam::detail::cover(size, tile, group);
        const bool good = local >= 1 && local <= group && global % local == 0 &&
                          global * tile >= size && (global - local) * tile < size &&
                          (local * tile <= size || global == 1);
        require(good, "size " + std::to_string(size) + ", tile " + std::to_string(tile) +
                          ", group " + std::to_string(group) + ": global " +
                          std::to_string(global) + ", local " + std::to_string(local));
      }
}

/// Single work-items that share C: as few as can be where they are even, else more.
void test_shares() {
  const hornbeam::detail::launch_geometry tile{96, 192, 1, 1, 8, 48};
  const auto blocks = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                          std::int64_t compute_units) {
    const auto range =
        hornbeam::detail::launch_range(tile, {8192, compute_units}, {m, n, k, batch});
    require(range.get_local_range().size() == 1, "work-groups are single work-items");
    require(range.get_global_range()[0] == static_cast<std::size_t>(batch), "a layer an entry");
    return std::pair(range.get_global_range()[1], range.get_global_range()[2]);
  };
  using counts = std::pair<std::size_t, std::size_t>;
  require(blocks(64, 64, 12544, 1, 1) == counts(1, 1), "one unit, one block");
  require(blocks(64, 64, 12544, 1, 2) == counts(2, 1), "halved where there are more tiles");
  require(blocks(96, 576, 1000, 1, 2) == counts(2, 3), "three blocks on two units");
  require(blocks(64, 64, 12544, 16, 2) == counts(1, 1), "the batch is even already");
  require(blocks(64, 64, 12544, 1, 64) == counts(8, 2), "no more than there are tiles");
  require(blocks(16, 48, 16, 1, 2) == counts(1, 1), "too little for another thread");
  require(blocks(9600, 19200, 8, 1, 64) == counts(100, 100), "enough blocks anyway");
}

/// Sizes, operands and strides of the pieces of one call. Pointers are numbers here, never
/// followed.
void test_pieces(bool transpose_a, bool transpose_b) {
  const auto at = [](std::int64_t element) {
    return reinterpret_cast<float*>(static_cast<std::uintptr_t>(element) * sizeof(float));
  };
  checked_call<float> call{};
  const std::int64_t m = 2 * largest_launch + 5, n = 7, batch = largest_launch + 3;
  call.arguments = {at(1), at(2), at(3), m, n, 11, m, 100, 9, 1, 1, 2, 1, 0};
  call.batch = batch;
  call.transpose_a = transpose_a;
  call.transpose_b = transpose_b;
  require(!hornbeam::detail::is_one_launch(call), "the call is too large for one launch");
  const auto parts = hornbeam::detail::pieces(call);
  require(parts.size() == 6, "three pieces along m by two along the batch");
  std::int64_t work = 0;
  for (const auto& part : parts) {
    require(hornbeam::detail::is_one_launch(part), "a piece is too large");
    work += part.arguments.m * part.batch / 8;
  }
  require(std::abs(work - (m / 8) * batch) < batch, "pieces do not add up");
  const auto& last = parts.back();
  require(last.arguments.m == 5 && last.batch == 3, "the last piece holds the rest");
  const std::int64_t row = 2 * largest_launch, entry = largest_launch;
  require(last.arguments.a == at(1 + row * (transpose_a ? 1 : m) + entry), "wrong rows of A");
  require(last.arguments.b == at(2 + entry), "wrong columns of B");
  require(last.arguments.c == at(3 + row * 9 + 2 * entry), "wrong rows of C");
}

/// Slices that calls get, and their workspace.
void test_slices() {
  using hornbeam::detail::for_call;
  const hornbeam::detail::launch_geometry most{32, 32, 1, 1, 0, 0, 16, 512}, none{32, 32, 1, 1};
  const auto slices = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
    hornbeam::kernel::matmul_arguments<float> x{};
    x.m = m;
    x.n = n;
    x.k = k;
    require(for_call(none, x, batch).slices == 0, "the kernel does not cut k");
    const auto got = for_call(most, x, batch);
    const std::int64_t bytes = hornbeam::detail::workspace_bytes(got, x, batch);
    require(bytes == (got.slices > 1 ? 4 * m * n * batch * got.slices : 0), "bytes of the sums");
    require(bytes <= hornbeam::detail::most_workspace_bytes, "too large a workspace");
    return got.slices;
  };
  require(slices(1, 1, 1 << 20, 1) == 16, "as many as the kernel has");
  require(slices(1, 1, 16 * 512 - 1, 1) == 15, "none shorter than the least");
  require(slices(1, 1, 1023, 1) == 1 && slices(1, 1, 0, 1) == 1, "k is too short to cut");
  require(slices(512, 256, 1 << 20, 1) == 8, "as many as the workspace holds");
  require(slices(1, 256, 1 << 20, 512) == 8, "for the whole batch");
  require(slices(largest_launch, largest_launch, 1 << 20, largest_launch) == 1, "no overflow");
  require(slices(largest_launch + 5, 1, 1 << 20, 1) == 1, "none for a call in pieces");
  require(hornbeam::detail::launched_entries({nullptr, 4, 0}, 3) == 12, "each slice");
  require(hornbeam::detail::launched_entries({nullptr, 4, 1}, 3) == 3, "each entry");
}

}  // namespace

int main() {
  test_cover();
  test_shares();
  test_slices();
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) test_pieces(transpose_a, transpose_b);
  return failures == 0 ? 0 : 1;
}
