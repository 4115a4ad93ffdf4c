// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything hornbeam throws on its own account. Messages read "hornbeam: function: what is
/// wrong".
#pragma once

#include <hornbeam/detail/api.hpp>
#include <stdexcept>
#include <string>

namespace hornbeam {

/// Base of all exceptions of the library.
class HORNBEAM_API exception : public std::runtime_error {
 public:
  exception(const std::string& function, const std::string& info)
      : std::runtime_error("hornbeam: " + function + ": " + info) {}
};

/// An argument has a value that the function does not permit; nothing was submitted.
class HORNBEAM_API invalid_argument : public exception {
 public:
  using exception::exception;
};

/// The device or its driver lacks something the call needs.
class HORNBEAM_API unsupported_device : public exception {
 public:
  using exception::exception;
};

/// This build of the library leaves out what the call needs.
class HORNBEAM_API unimplemented : public exception {
 public:
  using exception::exception;
};

/// The driver refused a kernel that it should have taken.
class HORNBEAM_API device_error : public exception {
 public:
  using exception::exception;
};

}  // namespace hornbeam
