// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// A matmul call from its arguments to the launch of a kernel, for every toolchain.
#pragma once

#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/operands.hpp>
#include <hornbeam/detail/select.hpp>

namespace hornbeam::detail {

/// Checks, selects and launches.
///
/// A toolchain's part is the Device, made from a queue. It tells what the library holds for the
/// queue's device (`built_for()`) and whether a pointer is USM of its context (`owns(pointer)`),
/// launches an entry of a table (`launch(queue, entry, geometry, call, operands, function)`, where
/// operands are either events to wait for or operand_buffers) and makes an event of several
/// (`after(queue, events)`).
/// \param operands usm_operands or buffer_operands.
template <class Device, class T, class Operands>
sycl::event run_matmul(sycl::queue& queue, const matmul_shape& shape,
                       const matmul_options<T>& options, const Operands& operands) {
  constexpr const char* function = "matmul";
  auto call = operands.check(function, shape, options);
  data_type<T>::require(queue.get_device(), function);
  const Device device(queue);
  const auto& table = table_for(device.built_for(), data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice = select_kernel(table, call.size(), call.has_product(), forced, function);
  if (call.empty()) return operands.nothing_to_do(queue, device);
  operands.check(function, call, device);

  if (!call.has_product()) {  // whatever alpha is, infinite included, it scales nothing
    call.arguments.k = 0;
    call.arguments.alpha = T{0};
  }
  const auto& kernel = table.kernels[choice.kernel];
  return operands.launch(queue, device, kernel, call, function);
}

}  // namespace hornbeam::detail
