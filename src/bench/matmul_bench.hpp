// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks and times matmul kernels on a queue: what the driver knows of the operation.
#pragma once

#include <memory>
#include <string>
#include <sycl/queue.hpp>

#include "request.hpp"

namespace hornbeam::bench {

/// Answers one request.
class matmul_bench {
 public:
  virtual ~matmul_bench() = default;

  /// Compares the whole output of a kernel with that of the reference kernel, bit for bit where the
  /// kernel promises that, on sizes at the edges of tiles and work-groups, padding included.
  virtual reply verify(const request& given) = 0;

  /// Times a kernel on one problem. Operands are random and, from launch to launch, rotate through
  /// rotate_bytes of memory.
  virtual reply measure(const request& given) = 0;
};

/// The benchmark for an element type ("float", "double" or "half"); holds its modules and operands.
/// \throws bad_request if there is no such type.
std::unique_ptr<matmul_bench> make_matmul_bench(const std::string& data_type, sycl::queue& queue);

}  // namespace hornbeam::bench
