// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the table of docs/errors.md.

#include <hornbeam/detail/failures.hpp>
#include <iostream>

namespace {

using hornbeam::detail::exception_class;

const char* name_of(exception_class thrown) {
  switch (thrown) {
    case exception_class::invalid_argument:
      return "invalid_argument";
    case exception_class::unsupported_device:
      return "unsupported_device";
    case exception_class::unimplemented:
      return "unimplemented";
    case exception_class::device_error:
      return "device_error";
  }
  return "";
}

}  // namespace

int main() {
  std::cout << "| exception | about | when | message |\n|---|---|---|---|\n";
  for (const auto* failure : hornbeam::detail::failures::all)
    std::cout << "| `" << name_of(failure->thrown) << "` | " << failure->argument << " | "
              << failure->when << " | " << failure->text << " |\n";
}
