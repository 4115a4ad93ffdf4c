// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Kernels that are ready to launch, per context and device. Compiled on first use, then found
/// without a contended lock.
#pragma once

#include <atomic>
#include <hornbeam/detail/deployment.hpp>
#include <hornbeam/detail/workspace_pool.hpp>
#include <memory>
#include <mutex>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <vector>

#include "module_loader.hpp"
#include "usm_lookup.hpp"

namespace hornbeam::detail {

/// The deployed kernels on one device of one context.
class device_kernels {
 public:
  device_kernels(sycl::context context, sycl::device device);

  bool is_for(const sycl::context& context, const sycl::device& device) const {
    return context_ == context && device_ == device;
  }

  /// What the library holds for this device.
  const target& built_for() const { return target_; }

  /// Whether a pointer is USM of the context.
  bool owns(const void* pointer) const { return usm_.owns(pointer); }

  /// Memory for calls that bring none.
  workspace_pool& workspaces() { return workspaces_; }

  /// The kernel, compiled if this is its first use. Other kernels can be compiled meanwhile.
  /// \param function of the public interface, for messages.
  /// \throws unsupported_device, device_error; a later call tries again.
  const ready_kernel& get(const spirv_module& module, const char* function);

 private:
  struct slot {
    const spirv_module* module;
    std::atomic<const ready_kernel*> ready{nullptr};
    std::mutex building{};
    std::unique_ptr<const ready_kernel> owner{};
  };

  slot& find(const spirv_module& module);

  sycl::context context_;
  sycl::device device_;
  usm_lookup usm_;
  const target& target_;
  workspace_pool workspaces_;
  std::vector<std::unique_ptr<slot>> slots_;  // sorted by module, fixed after construction
};

/// The kernels for a device of a context. They are kept, with the context, until the process ends.
device_kernels& kernels_for(const sycl::context& context, const sycl::device& device);

}  // namespace hornbeam::detail
