// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The data that device keys are made by: what the generated device_naming.cpp defines.
/// tuning/hornbeam/device_naming.py holds it and says what each field means. Needs no SYCL.
#pragma once

#include <cstddef>

namespace hornbeam::detail {

/// 32-bit elements that a CPU's vectors hold, 0 where that is not known.
struct vector_widths {
  int floats, integers;
};

struct device_naming {
  struct list {
    const char* const* begin;
    std::size_t size;
  };
  struct maker {
    const char* name;
    list patterns;
  };
  struct instruction_set {
    const char* name;
    vector_widths widths;
  };
  /// A program whose kernels have sub-groups as wide as the vectors that the driver uses.
  struct vector_probe {
    const char *source, *floats, *integers;
    std::size_t group;
  };

  std::size_t longest_text, longest_part, most_words;
  list noise;
  const maker* makers;
  std::size_t maker_count;
  list x86;
  const instruction_set* instruction_sets;
  std::size_t instruction_set_count;
  vector_probe probe;
  const char *other_x86, *no_maker, *no_architecture;
};

extern const device_naming naming;

}  // namespace hornbeam::detail
