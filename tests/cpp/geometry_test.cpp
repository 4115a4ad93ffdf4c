// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The promises of cover(), which kernels rely on, for every small size, tile and group.

#include <iostream>

#include "launch.hpp"

int main() {
  using hornbeam::detail::cover;
  long failures = 0;
  for (std::int64_t size = 1; size <= 300; ++size)
    for (const std::int64_t tile : {1, 2, 3, 4, 8, 16})
      for (const std::int64_t group : {1, 2, 7, 8, 16, 64, 128}) {
        const auto range = cover(size, tile, group);
        const bool good = range.local >= 1 && range.local <= group &&
                          range.global % range.local == 0 && range.global * tile >= size &&
                          (range.global - range.local) * tile < size &&
                          (range.local * tile <= size || range.global == 1);
        if (good) continue;
        ++failures;
        std::cerr << "size " << size << ", tile " << tile << ", group " << group << ": global "
                  << range.global << ", local " << range.local << '\n';
      }
  return failures == 0 ? 0 : 1;
}
