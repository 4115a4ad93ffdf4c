// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Workspaces for calls that bring none.
#pragma once

#include <array>
#include <atomic>
#include <hornbeam/detail/failures.hpp>
#include <hornbeam/detail/slices.hpp>
#include <hornbeam/detail/sycl.hpp>
#include <mutex>
#include <string>
#include <utility>

namespace hornbeam::detail {

/// A few blocks of memory on a device, each large enough for any call. They are allocated as calls
/// need them at the same time, and kept until the process ends, as kernels are. When all are in
/// use, calls follow each other on the device; the host never waits for it.
class workspace_pool {
 public:
  workspace_pool(sycl::context context, sycl::device device)
      : context_(std::move(context)), device_(std::move(device)) {}

  bool is_for(const sycl::context& context, const sycl::device& device) const {
    return context_ == context && device_ == device;
  }

  /// Lends a block while a call is submitted.
  /// \param submit called with the memory and an event: what is submitted first has to wait for it,
  /// and it is to become that of each submission that uses the memory.
  /// \param function of the public interface, for messages.
  /// \throws device_error if the device has no memory left
  template <class Submit>
  sycl::event lend(const Submit& submit, const char* function) {
    for (block& free : blocks_) {
      const std::unique_lock<std::mutex> lock(free.lent, std::try_to_lock);
      if (lock && complete(free.last_use)) return use(free, submit, function);
    }
    block& next = blocks_[turn_++ % blocks_.size()];
    const std::lock_guard<std::mutex> lock(next.lent);
    return use(next, submit, function);
  }

 private:
  struct block {
    std::mutex lent{};
    void* memory = nullptr;
    sycl::event last_use{};
  };

  static bool complete(const sycl::event& event) {
    return event.get_info<sycl::info::event::command_execution_status>() ==
           sycl::info::event_command_status::complete;
  }

  template <class Submit>
  sycl::event use(block& mine, const Submit& submit, const char* function) {
    if (mine.memory == nullptr)
      mine.memory = sycl::malloc_device(most_workspace_bytes, device_, context_);
    if (mine.memory == nullptr)
      fail(function, failures::no_workspace, {{"bytes", std::to_string(most_workspace_bytes)}});
    submit(mine.memory, mine.last_use);
    return mine.last_use;
  }

  sycl::context context_;
  sycl::device device_;
  std::array<block, 8> blocks_{};
  std::atomic<std::size_t> turn_{0};
};

}  // namespace hornbeam::detail
