// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a pointer is USM of a context, asked three times in every call.
#pragma once

#include <cstddef>
#include <sycl/context.hpp>

namespace hornbeam::detail {

/// Asks the driver itself where it can, which takes less time than sycl::get_pointer_type.
class usm_lookup {
 public:
  explicit usm_lookup(const sycl::context& context);

  /// Whether the pointer points into an allocation made for the context. On devices that reach all
  /// of the host's memory others would work too; refusing them keeps programs portable.
  bool owns(const void* pointer) const;

 private:
  using query = int (*)(void*, const void*, unsigned, std::size_t, void*, std::size_t*);

  sycl::context context_;
  void* native_context_ = nullptr;
  query query_ = nullptr;  // null where the driver has none
};

}  // namespace hornbeam::detail
