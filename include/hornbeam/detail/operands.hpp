// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two ways in which operands are given: USM pointers and buffers.
#pragma once

#include <hornbeam/detail/check_call.hpp>
#include <hornbeam/detail/deployment.hpp>
#include <hornbeam/detail/failures.hpp>
#include <hornbeam/detail/launch_range.hpp>
#include <hornbeam/detail/pieces.hpp>
#include <hornbeam/detail/slices.hpp>
#include <hornbeam/detail/sycl.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hornbeam::detail {

/// The buffers of a row-major call; A and B are null where they are not read.
template <class T>
struct operand_buffers {
  sycl::buffer<T>*a, *b, *c;
  std::vector<sycl::event> after{};  ///< beside what the runtime waits for
};

/// What is launched: a kernel, how, and which step of its work.
struct launch_step {
  const kernel_entry& entry;
  launch_geometry geometry;
  kernel::k_slices part;
};

/// How a kernel is launched for a call that is not empty; see for_call().
template <class T>
launch_geometry geometry_for(const deployed_kernel& kernel, const checked_call<T>& call) {
  return for_call(kernel.geometry, call.arguments, call.batch);
}

/// USM pointers, in the caller's order. For `Device` see run_matmul().
template <class T>
class usm_operands {
 public:
  usm_operands(const T* a, const T* b, T* c, const std::vector<sycl::event>& dependencies)
      : a_(a), b_(b), c_(c), dependencies_(dependencies) {}

  checked_call<T> check(const char* function, const matmul_shape& shape,
                        const matmul_options<T>& options) const {
    return check_call(function, a_, b_, c_, shape, options);
  }

  /// Checks the operands of a call that is not empty.
  /// \throws invalid_argument
  template <class Device>
  void check(const char* function, const checked_call<T>& call, const Device& device) const {
    const auto usable = [&](const char* name, const void* pointer) {
      if (pointer == nullptr) fail(function, failures::null_pointer, {{"argument", name}});
      if (!device.owns(pointer)) fail(function, failures::foreign_pointer, {{"argument", name}});
    };
    if (call.has_product()) {
      usable("a", a_);
      usable("b", b_);
    }
    usable("c", c_);
  }

  /// \param after what has to be complete beside the dependencies.
  template <class Device>
  sycl::event launch(sycl::queue& queue, const Device& device, const launch_step& step,
                     const checked_call<T>& call, std::vector<sycl::event> after,
                     const char* function) const {
    if (!after.empty()) after.insert(after.end(), dependencies_.begin(), dependencies_.end());
    const auto& dependencies = after.empty() ? dependencies_ : after;
    const auto start = [&](const checked_call<T>& part) {
      return device.launch(queue, step, part, dependencies, function);
    };
    if (is_one_launch(call)) return start(call);
    std::vector<sycl::event> parts;
    for (const auto& piece : pieces(call)) parts.push_back(start(piece));
    return device.after(queue, parts);
  }

  /// An event for a call that starts nothing: complete, or complete when its dependencies are.
  template <class Device>
  sycl::event nothing_to_do(sycl::queue& queue, const Device& device) const {
    if (dependencies_.empty()) return {};
    if (dependencies_.size() == 1) return dependencies_.front();
    return device.after(queue, dependencies_);
  }

 private:
  const T* a_;
  const T* b_;
  T* c_;
  const std::vector<sycl::event>& dependencies_;
};

/// Buffers, in the caller's order. The runtime takes care of dependencies.
template <class T>
class buffer_operands {
 public:
  buffer_operands(sycl::buffer<T>& a, sycl::buffer<T>& b, sycl::buffer<T>& c)
      : a_(a), b_(b), c_(c) {}

  checked_call<T> check(const char* function, const matmul_shape& shape,
                        const matmul_options<T>& options) const {
    return check_call<T>(function, nullptr, nullptr, nullptr, shape, options);
  }

  /// Checks the operands of a call that is not empty.
  /// \throws invalid_argument
  template <class Device>
  void check(const char* function, const checked_call<T>& call, const Device&) const {
    const auto& x = call.arguments;
    at_most_one_launch(function, call.swapped ? "n" : "m", x.m);
    at_most_one_launch(function, call.swapped ? "m" : "n", x.n);
    at_most_one_launch(function, "batch", call.batch);
    if (call.has_product()) {
      large_enough(function, "a", a_, call.swapped ? call.extent_b() : call.extent_a());
      large_enough(function, "b", b_, call.swapped ? call.extent_a() : call.extent_b());
    }
    large_enough(function, "c", c_, call.extent_c());
  }

  /// \param after what has to be complete beside what the runtime waits for.
  template <class Device>
  sycl::event launch(sycl::queue& queue, const Device& device, const launch_step& step,
                     const checked_call<T>& call, std::vector<sycl::event> after,
                     const char* function) const {
    operand_buffers<T> operands{&a_, &b_, &c_, std::move(after)};
    if (call.swapped) std::swap(operands.a, operands.b);
    if (call.arguments.k == 0) operands.a = operands.b = nullptr;
    return device.launch(queue, step, call, operands, function);
  }

  template <class Device>
  sycl::event nothing_to_do(sycl::queue&, const Device&) const {
    return {};
  }

 private:
  static void at_most_one_launch(const char* function, const char* name, std::int64_t value) {
    if (value > largest_launch)
      fail(function, failures::long_buffer_call,
           {{"argument", name},
            {"value", std::to_string(value)},
            {"most", std::to_string(largest_launch)}});
  }

  static void large_enough(const char* function, const char* name, const sycl::buffer<T>& buffer,
                           std::int64_t least) {
    if (static_cast<std::int64_t>(buffer.size()) < least)
      fail(function, failures::small_buffer,
           {{"argument", name},
            {"value", std::to_string(buffer.size())},
            {"least", std::to_string(least)}});
  }

  sycl::buffer<T>& a_;
  sycl::buffer<T>& b_;
  sycl::buffer<T>& c_;
};

}  // namespace hornbeam::detail
