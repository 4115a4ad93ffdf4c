// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Local memory of a work-group: how a kernel asks for it.
#pragma once

#if !defined(HORNBEAM_SINGLE_SOURCE)
#include <hornbeam/detail/wheel_local_memory.hpp>
#endif

namespace hornbeam::kernel {

/// Elements that the work-items of a group share; what they hold at first is undefined. A kernel
/// that needs them takes this as its last argument, `= {}`, and so tells how many by its type.
template <class T, int Elements>
struct local_memory {
  static_assert(Elements > 0);

#if !defined(HORNBEAM_SINGLE_SOURCE)
  local_memory() : elements(static_local_memory<T, Elements>()) {}
#endif
  /// What the launch has set aside; nothing else will do where kernels are part of the program.
  explicit local_memory(T* memory) : elements(memory) {}

  T* elements;
};

}  // namespace hornbeam::kernel
