// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Submission of a kernel: the only place that touches a queue.
#pragma once

#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/operands.hpp>
#include <hornbeam/detail/slices.hpp>
#include <hornbeam/kernels/arguments.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>
#include <vector>

#include "module_loader.hpp"

namespace hornbeam::detail {

/// Submits one kernel over rows x columns x batch of C.
/// \param geometry of the call, see for_call(). \param part is looked at where it cuts k.
template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::k_slices& part, const kernel::matmul_arguments<T>& x,
                   std::int64_t batch, const std::vector<sycl::event>& dependencies = {});

/// The same with operands in buffers; the pointers in x are not looked at.
template <class T>
sycl::event launch(sycl::queue& queue, const ready_kernel& kernel, const launch_geometry& geometry,
                   const kernel::k_slices& part, const kernel::matmul_arguments<T>& x,
                   std::int64_t batch, const operand_buffers<T>& buffers);

}  // namespace hornbeam::detail
