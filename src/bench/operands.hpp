// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Memory for operands on the device.
#pragma once

#include <cstdint>
#include <random>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

namespace hornbeam::bench {

/// A USM allocation that grows.
template <class T>
class device_memory {
 public:
  explicit device_memory(sycl::queue& queue) : queue_(queue) {}
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { sycl::free(data_, queue_); }

  /// At least `count` elements, random in [-1, 1). Older contents may be gone.
  T* at_least(std::int64_t count) {
    if (count <= count_) return data_;
    sycl::free(data_, queue_);
    data_ = sycl::malloc_shared<T>(static_cast<std::size_t>(count), queue_);
    count_ = data_ == nullptr ? 0 : count;
    if (data_ == nullptr) throw std::bad_alloc();
    std::minstd_rand random(1);
    for (std::int64_t i = 0; i < count; ++i)
      data_[i] =
          static_cast<T>(2.0 * static_cast<double>(random()) / std::minstd_rand::max() - 1.0);
    return data_;
  }

 private:
  sycl::queue& queue_;
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace hornbeam::bench
