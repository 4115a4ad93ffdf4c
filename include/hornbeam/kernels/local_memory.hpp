// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Local memory of a work-group: how a kernel asks for it.
#pragma once

namespace hornbeam::kernel {

/// Elements that the work-items of a group share. A kernel that needs them takes this as its last
/// argument, `= {}`, and so tells how many by its type; what they hold at first is undefined.
template <class T, int Elements>
struct local_memory {
  static_assert(Elements > 0);

  /// What the launch has set aside.
  explicit local_memory(T* memory) : elements(memory) {}

  /// The same for every work-item of the group; defined where the toolchain has such memory, see
  /// detail/wheel_kernel.hpp.
  local_memory();

  T* elements;
};

}  // namespace hornbeam::kernel
