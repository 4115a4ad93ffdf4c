// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the library must know about an element type.
#pragma once

#include <hornbeam/detail/failures.hpp>
#include <hornbeam/detail/sycl.hpp>

namespace hornbeam::detail {

/// \tparam Device sycl::device, or what a test has in its place.
/// \throws unsupported_device if the device lacks an aspect that a type needs.
template <class Device>
void require_aspect(const Device& device, sycl::aspect aspect, const char* aspect_name,
                    const char* type, const char* function) {
  if (!device.has(aspect))
    fail(function, failures::missing_aspect,
         {{"device", device.template get_info<sycl::info::device::name>()},
          {"aspect", aspect_name},
          {"type", type}});
}

/// Its name in options and tables, and a check that a device computes with it.
template <class T>
struct data_type;

template <>
struct data_type<float> {
  static constexpr const char* name = "float";
  template <class Device>
  static void require(const Device&, const char*) {}
};

template <>
struct data_type<double> {
  static constexpr const char* name = "double";
  template <class Device>
  static void require(const Device& device, const char* function) {
    require_aspect(device, sycl::aspect::fp64, "fp64", name, function);
  }
};

template <>
struct data_type<sycl::half> {
  static constexpr const char* name = "half";
  template <class Device>
  static void require(const Device& device, const char* function) {
    require_aspect(device, sycl::aspect::fp16, "fp16", name, function);
  }
};

}  // namespace hornbeam::detail
