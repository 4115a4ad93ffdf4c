// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// A matmul call from its arguments to the launch of a kernel, for every toolchain.
#pragma once

#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/detail/operands.hpp>
#include <hornbeam/detail/select.hpp>
#include <hornbeam/detail/slices.hpp>
#include <hornbeam/detail/workspace_pool.hpp>
#include <string>
#include <vector>

namespace hornbeam::detail {

/// Checks a workspace that a call has to use.
/// \throws invalid_argument
template <class Device>
void check_workspace(const char* function, const workspace& given, std::size_t least,
                     const Device& device) {
  if (!device.owns(given.memory)) fail(function, failures::foreign_workspace, {});
  if (given.bytes < least)
    fail(function, failures::small_workspace,
         {{"value", std::to_string(given.bytes)}, {"least", std::to_string(least)}});
}

/// workspace_size() for a device.
/// \param built_for the target that serves it.
template <class T>
std::size_t workspace_size_for(const target& built_for, const matmul_shape& shape,
                               const matmul_options<T>& options) {
  constexpr const char* function = "workspace_size";
  const auto call = check_call<T>(function, nullptr, nullptr, nullptr, shape, options);
  const auto& table = table_for(built_for, data_type<T>::name, function);
  const std::string* forced = options.kernel ? &*options.kernel : nullptr;
  const auto choice = select_kernel(table, call.size(), call.has_product(), forced, function);
  if (!call.has_product()) return 0;
  const auto geometry = geometry_for(table.kernels[choice.kernel], call);
  return static_cast<std::size_t>(workspace_bytes(geometry, call.arguments, call.batch));
}

/// Checks, selects and launches.
///
/// A toolchain's part is the Device, made from a queue. It tells what the library holds for the
/// queue's device (`built_for()`) and whether a pointer is USM of its context (`owns(pointer)`),
/// launches a step (`launch(queue, step, call, operands, function)`, where operands are either
/// events to wait for or operand_buffers), makes an event of several (`after(queue, events)`) and
/// lends memory (`workspaces()`).
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
  launch_step step{*kernel.entries[call.transposes()], geometry_for(kernel, call), one_step()};
  const auto bytes =
      static_cast<std::size_t>(workspace_bytes(step.geometry, call.arguments, call.batch));
  if (bytes == 0) return operands.launch(queue, device, step, call, {}, function);

  const auto submit = [&](void* sums, sycl::event& last) {
    for (step.part = {sums, step.geometry.slices, 0}; step.part.step < 2; ++step.part.step)
      last = operands.launch(queue, device, step, call, {last}, function);
  };
  if (!options.workspace) return device.workspaces().lend(submit, function);
  const workspace& given = *options.workspace;
  check_workspace(function, given, bytes, device);
  sycl::event last;
  submit(given.memory, last);
  return last;
}

}  // namespace hornbeam::detail
