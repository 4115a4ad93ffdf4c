// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a device's key is made of, as its driver reports it.
#pragma once

#include <sycl/device.hpp>

#include "device_key.hpp"

namespace hornbeam::detail {

/// Asks a device for its properties. Builds a small program where it is a CPU, to see what the
/// driver generates code for: that takes a fraction of a second.
/// \throws sycl::exception
device_properties describe(const sycl::device& device);

}  // namespace hornbeam::detail
