// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Submission of a kernel that was compiled with the program, in standard SYCL 2020. Only kernels
/// for the element types and kinds of operand that a program uses become part of it.
#pragma once

#include <hornbeam/detail/operands.hpp>
#include <hornbeam/detail/single_source/kernel.hpp>
#include <hornbeam/detail/workspace_pool.hpp>
#include <memory>
#include <mutex>
#include <sycl/sycl.hpp>
#include <vector>

namespace hornbeam::detail {

/// Runs a function that needs no more than its arguments.
template <class Function, class T, class Needs = typename Function::needs>
struct function_call {
  explicit function_call(sycl::handler& /*handler*/) {}

  void operator()(const sycl::nd_item<3>& item, const kernel::matmul_arguments<T>& x,
                  const kernel::k_slices& part) const {
    Function{}(item, x, part);
  }
};

/// One that needs local memory.
template <class Function, class T, class Local, int Elements>
struct function_call<Function, T, kernel::local_memory<Local, Elements>> {
  sycl::local_accessor<Local, 1> memory;

  explicit function_call(sycl::handler& handler) : memory(Elements, handler) {}

  void operator()(const sycl::nd_item<3>& item, const kernel::matmul_arguments<T>& x,
                  const kernel::k_slices& part) const {
    Function{}(item, x, part, kernel::local_memory<Local, Elements>(&memory[0]));
  }
};

/// A kernel on USM pointers.
template <class Function, class T>
struct pointer_kernel {
  function_call<Function, T> call;
  kernel::matmul_arguments<T> arguments;
  kernel::k_slices part;

  void operator()(const sycl::nd_item<3>& item) const { call(item, arguments, part); }
};

/// A kernel on buffers; the pointers in `arguments` are not looked at.
template <class Function, class T>
struct buffer_kernel {
  function_call<Function, T> call;
  kernel::matmul_arguments<T> arguments;
  kernel::k_slices part;
  sycl::accessor<T, 1, sycl::access_mode::read> a, b;
  sycl::accessor<T, 1, sycl::access_mode::read_write> c;

  void operator()(const sycl::nd_item<3>& item) const {
    auto x = arguments;
    x.a = &a[0];
    x.b = &b[0];
    x.c = &c[0];
    call(item, x, part);
  }
};

/// Submits a kernel whose operands are those in `x`.
template <class Function, class T>
sycl::event submit(sycl::queue& queue, const sycl::nd_range<3>& range,
                   const kernel::matmul_arguments<T>& x, const kernel::k_slices& part,
                   const std::vector<sycl::event>& dependencies) {
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(dependencies);
    handler.parallel_for(range,
                         pointer_kernel<Function, T>{function_call<Function, T>(handler), x, part});
  });
}

/// The same with operands in buffers. Where A and B are not read, C stands in for them.
template <class Function, class T>
sycl::event submit(sycl::queue& queue, const sycl::nd_range<3>& range,
                   const kernel::matmul_arguments<T>& x, const kernel::k_slices& part,
                   const operand_buffers<T>& buffers) {
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(buffers.after);
    auto& a = buffers.a == nullptr ? *buffers.c : *buffers.a;
    auto& b = buffers.b == nullptr ? *buffers.c : *buffers.b;
    handler.parallel_for(range,
                         buffer_kernel<Function, T>{function_call<Function, T>(handler),
                                                    x,
                                                    part,
                                                    {a, handler, sycl::read_only},
                                                    {b, handler, sycl::read_only},
                                                    {*buffers.c, handler, sycl::read_write}});
  });
}

/// Submits the function of an entry.
template <class T, class Operands, class... Functions>
sycl::event submit_entry(function_list<Functions...>, const kernel_entry& entry, sycl::queue& queue,
                         const sycl::nd_range<3>& range, const kernel::matmul_arguments<T>& x,
                         const kernel::k_slices& part, const Operands& operands) {
  sycl::event result;
  const bool found =
      ((&entry == Functions::entry
            ? (result = detail::submit<Functions>(queue, range, x, part, operands), true)
            : false) ||
       ...);
  (void)found;  // every entry of a table is in the list of its element type
  return result;
}

/// The workspaces of a device of a context. They are kept, with the context, until the process
/// ends.
inline workspace_pool& workspaces_for(const sycl::context& context, const sycl::device& device) {
  static auto& mutex = *new std::mutex;
  static auto& pools = *new std::vector<std::unique_ptr<workspace_pool>>;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const auto& pool : pools)
    if (pool->is_for(context, device)) return *pool;
  return *pools.emplace_back(std::make_unique<workspace_pool>(context, device));
}

/// The deployed kernels on a queue's device: see run_matmul().
class single_source_device {
 public:
  explicit single_source_device(const sycl::queue& queue)
      : device_(queue.get_device()), context_(queue.get_context()) {}

  const target& built_for() const { return targets[0]; }

  bool owns(const void* pointer) const {
    return sycl::get_pointer_type(pointer, context_) != sycl::usm::alloc::unknown;
  }

  template <class T, class Operands>
  sycl::event launch(sycl::queue& queue, const launch_step& step, const checked_call<T>& call,
                     const Operands& operands, const char* /*function*/) const {
    const auto& x = call.arguments;
    const auto group = device_.get_info<sycl::info::device::max_work_group_size>();
    const auto units = device_.get_info<sycl::info::device::max_compute_units>();
    const auto range = launch_range(step.geometry, {static_cast<std::int64_t>(group), units},
                                    {x.m, x.n, x.k, launched_entries(step.part, call.batch)});
    return submit_entry(typename deployed_functions<T>::list{}, step.entry, queue, range, x,
                        step.part, operands);
  }

  workspace_pool& workspaces() const { return workspaces_for(context_, device_); }

  /// An event that completes when others are complete.
  static sycl::event after(sycl::queue& queue, const std::vector<sycl::event>& events) {
    return queue.submit([&](sycl::handler& handler) {
      handler.depends_on(events);
      handler.single_task([] {});
    });
  }

 private:
  sycl::device device_;
  sycl::context context_;
};

}  // namespace hornbeam::detail
