// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// SPIR-V to the binary of one device, with that device's own driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../build_target.hpp"
#include "../opencl.hpp"

namespace hornbeam::device_compiler {

/// A device of this machine whose driver takes SPIR-V.
class native_device {
 public:
  /// The first device with this name and driver version; nothing where there is none.
  static std::optional<native_device> find(const std::string& name, const std::string& driver);

  /// What its binaries are for.
  const detail::build_target& target() const { return target_; }

  /// What the driver makes of a SPIR-V module.
  /// \throws std::runtime_error if it fails to build it.
  std::vector<unsigned char> compile(const std::vector<unsigned char>& spirv) const;

 private:
  native_device(cl_device_id device, detail::build_target target);

  cl_device_id device_;
  detail::owned<cl_context> context_;
  detail::build_target target_;
};

}  // namespace hornbeam::device_compiler
