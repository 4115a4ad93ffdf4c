// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Local memory of kernels that DPC++'s runtime compiler builds: static, so that it is part of the
/// module and launches need not know of it. Kernels that need none do not include this.
#pragma once

#include <sycl/sycl.hpp>

namespace hornbeam::kernel {

/// The same memory for all work-items of a group, aligned for vectors and lines of caches.
template <class T, int Elements>
T* static_local_memory() {
  struct alignas(64) storage {
    T elements[Elements];
  };
  static sycl::ext::oneapi::experimental::work_group_static<storage> memory;
  return static_cast<storage&>(memory).elements;
}

}  // namespace hornbeam::kernel
