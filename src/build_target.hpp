// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a driver's own binary depends on beside the module it was made from.
#pragma once

#include <string>

#include "opencl.hpp"

namespace hornbeam::detail {

/// A device as its driver generates code for it. A native binary is only used where all of this is
/// as it was where the binary was made.
struct build_target {
  std::string device, driver;   ///< name and version, as the driver gives them
  std::string instruction_set;  ///< of the host's processor where that is the device, else empty
};

build_target build_target_of(cl_device_id device);

}  // namespace hornbeam::detail
