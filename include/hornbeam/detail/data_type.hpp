// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the library must know about an element type.
#pragma once

#include <hornbeam/detail/failures.hpp>
#include <sycl/device.hpp>

namespace hornbeam::detail {

template <class T>
struct data_type;

template <>
struct data_type<float> {
  static constexpr const char* name = "float";
  static void require(const sycl::device&, const char*) {}
};

template <>
struct data_type<double> {
  static constexpr const char* name = "double";
  /// \throws unsupported_device
  static void require(const sycl::device& device, const char* function) {
    if (!device.has(sycl::aspect::fp64))
      fail(function, failures::missing_aspect,
           {{"device", device.get_info<sycl::info::device::name>()},
            {"aspect", "fp64"},
            {"type", name}});
  }
};

}  // namespace hornbeam::detail
