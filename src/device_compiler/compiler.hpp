// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// SYCL source to SPIR-V with DPC++'s runtime compiler.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace hornbeam::device_compiler {

/// The source does not compile; what() is the compiler's log.
class compile_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// SPIR-V that holds one kernel.
struct compiled_kernel {
  std::string function;  ///< as in the source; the module calls it "__sycl_kernel_" + function
  std::vector<unsigned char> bytes;
  std::vector<unsigned char> native = {};  ///< what a driver made of it, empty where none did
};

/// Compiles a translation unit of free-function kernels to one module for each.
/// \returns the modules, sorted by function.
/// \throws compile_error, or std::runtime_error where no OpenCL device takes SPIR-V.
std::vector<compiled_kernel> compile(const std::string& source,
                                     const std::vector<std::string>& include_directories);

}  // namespace hornbeam::device_compiler
