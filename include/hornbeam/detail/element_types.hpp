// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The element types of the library, listed here alone.
#pragma once

#include <hornbeam/detail/sycl.hpp>

/// X(type) for each element type; for declarations and instantiations of the public templates.
#define HORNBEAM_FOR_EACH_ELEMENT_TYPE(X) \
  X(float)                                \
  X(double)                               \
  X(sycl::half)
