// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which of the targets that the library was built for serves a device.
#pragma once

#include <hornbeam/detail/deployment.hpp>
#include <string>
#include <sycl/device.hpp>

namespace hornbeam::detail {

/// A device and the target that serves it.
struct served_device {
  std::string key;       ///< of the device
  const target* chosen;  ///< the closest one
  const char* match;     ///< how the device matches the one that was measured; "" if none was
};

/// What is known of a device. It is asked when it is first looked up, which takes a fraction of a
/// second, and never again. Never throws for a device that does not answer: it is "unknown".
const served_device& served(const sycl::device& device);

/// The target that serves a device. Where there is only one, nothing is asked.
const target& target_for(const sycl::device& device);

}  // namespace hornbeam::detail
