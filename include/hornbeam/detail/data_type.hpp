// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the library must know about an element type.
#pragma once

#include <hornbeam/detail/failures.hpp>
#include <hornbeam/detail/sycl.hpp>

namespace hornbeam::detail {

/// \throws unsupported_device if the device cannot compute with a type for lack of an aspect.
inline void require_aspect(const char* function, const sycl::device& device, sycl::aspect aspect,
                           const char* aspect_name, const char* type) {
  if (!device.has(aspect))
    fail(function, failures::missing_aspect,
         {{"device", device.get_info<sycl::info::device::name>()},
          {"aspect", aspect_name},
          {"type", type}});
}

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
    require_aspect(function, device, sycl::aspect::fp64, "fp64", name);
  }
};

template <>
struct data_type<sycl::half> {
  static constexpr const char* name = "half";
  /// \throws unsupported_device
  static void require(const sycl::device& device, const char* function) {
    require_aspect(function, device, sycl::aspect::fp16, "fp16", name);
  }
};

}  // namespace hornbeam::detail
