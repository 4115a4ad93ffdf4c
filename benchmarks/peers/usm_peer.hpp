// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Libraries that are called with a SYCL queue and USM pointers: same queue, same memory.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <sycl/sycl.hpp>

#include "worker.hpp"

namespace hornbeam::peers {

/// Holds queue and operands.
class usm_peer : public peer {
 public:
  usm_peer() : queue_{sycl::default_selector_v, sycl::property::queue::in_order()} {}

  json::object ready() const {
    const auto device = queue_.get_device();
    return json::object()
        .field("device", device.get_info<sycl::info::device::name>())
        .field("driver", device.get_info<sycl::info::device::driver_version>());
  }

  void load(const problem& x, const float* a, const float* b) override {
    a_.reset();
    b_.reset();
    c_.reset();
    x_ = x;
    a_ = allocate(x.a_count());
    b_ = allocate(x.b_count());
    c_ = allocate(x.c_count());
    std::copy_n(a, x.a_count(), a_.get());
    std::copy_n(b, x.b_count(), b_.get());
    std::fill_n(c_.get(), x.c_count(), std::numeric_limits<float>::quiet_NaN());
  }

  void read_result(float* c) override { std::copy_n(c_.get(), x_.c_count(), c); }

 protected:
  struct usm_free {
    sycl::queue queue;
    void operator()(float* data) const { sycl::free(data, queue); }
  };
  using operand = std::unique_ptr<float, usm_free>;

  operand allocate(std::size_t count) {
    operand made(sycl::malloc_shared<float>(count, queue_), usm_free{queue_});
    if (!made) throw std::bad_alloc();
    return made;
  }

  sycl::queue queue_;
  problem x_{};
  operand a_{nullptr, usm_free{queue_}}, b_{nullptr, usm_free{queue_}},
      c_{nullptr, usm_free{queue_}};
};

}  // namespace hornbeam::peers
