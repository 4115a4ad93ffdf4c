// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "native.hpp"

#include <stdexcept>
#include <utility>

namespace hornbeam::device_compiler {
namespace {

void check(cl_int error, const char* what) {
  if (error != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with OpenCL error " +
                             std::to_string(error));
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> found(count);
  clGetPlatformIDs(count, found.data(), nullptr);
  return found;
}

std::vector<cl_device_id> devices(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> found(count);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found.data(), nullptr);
  return found;
}

}  // namespace

std::optional<native_device> native_device::find(const std::string& name,
                                                 const std::string& driver) {
  for (auto* const platform : platforms())
    for (auto* const device : devices(platform)) {
      auto target = detail::build_target_of(device);
      if (target.device == name && target.driver == driver && detail::takes_spirv(device))
        return native_device(device, std::move(target));
    }
  return std::nullopt;
}

native_device::native_device(cl_device_id device, detail::build_target target)
    : device_(device), target_(std::move(target)) {
  cl_int error = CL_SUCCESS;
  context_.reset(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error));
  check(error, "clCreateContext");
}

std::vector<unsigned char> native_device::compile(const std::vector<unsigned char>& spirv) const {
  cl_int error = CL_SUCCESS;
  const detail::owned<cl_program> program(
      clCreateProgramWithIL(context_.get(), spirv.data(), spirv.size(), &error));
  check(error, "clCreateProgramWithIL");
  check(detail::build(program, device_), "clBuildProgram");
  std::size_t size = 0;
  check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
        "clGetProgramInfo");
  std::vector<unsigned char> binary(size);
  unsigned char* place = binary.data();
  check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof place,
                         static_cast<void*>(&place), nullptr),
        "clGetProgramInfo");
  return binary;
}

}  // namespace hornbeam::device_compiler
